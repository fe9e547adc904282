//! Integers: carries, narrow products, positions of bits, masks, comparisons with a number as their result.

use crate::values::{compare, halves, long, word};

#[test]
fn carries_make_wide_sums_and_differences() {
    let sum = "add.cc.u32 %r9, %r1, %r3;\naddc.u32 %r10, %r2, %r4;";
    compare(sum, |[a, b, c, d]| halves(long(a, b).wrapping_add(long(c, d))));
    let difference = "sub.cc.u32 %r9, %r1, %r3;\nsubc.u32 %r10, %r2, %r4;";
    compare(difference, |[a, b, c, d]| halves(long(a, b).wrapping_sub(long(c, d))));
    // A third word takes what the second one hands on.
    let three = "add.cc.s32 %r5, %r1, %r3;\naddc.cc.s32 %r9, %r2, %r4;\naddc.u32 %r10, 0, 0;";
    compare(three, |[a, b, c, d]| {
        let sum = u128::from(long(a, b)) + u128::from(long(c, d));
        [(sum >> 32) as u32, (sum >> 64) as u32]
    });
    let borrow = "sub.cc.u32 %r5, %r1, %r3;\nsubc.cc.u32 %r9, %r2, %r4;\nsubc.u32 %r10, 0, 0;";
    compare(borrow, |[a, b, c, d]| {
        let difference = i128::from(long(a, b)) - i128::from(long(c, d));
        [(difference >> 32) as u32, (difference >> 64) as u32]
    });
    let wide = "add.cc.u64 %rd3, %rd1, %rd2;\naddc.u64 %rd4, %rd1, %rd2;\nshr.u64 %rd5, %rd4, 32;\n\
                cvt.u32.u64 %r9, %rd4;\ncvt.u32.u64 %r10, %rd5;";
    compare(wide, |[a, b, c, d]| {
        let (sum, carry) = long(a, b).overflowing_add(long(c, d));
        halves(sum.wrapping_add(u64::from(carry)))
    });
}

#[test]
fn the_carry_of_a_difference_is_the_absence_of_a_borrow() {
    // As an H200 has it: sums behind differences and the other way round read one flag.
    let body =
        "sub.cc.u32 %r5, %r1, %r2;\naddc.u32 %r9, 0, 0;\nadd.cc.u32 %r5, %r3, %r4;\nsubc.u32 %r10, 9, 3;";
    compare(body, |[a, b, c, d]| {
        let carry = c.overflowing_add(d).1;
        [u32::from(a >= b), if carry { 6 } else { 5 }]
    });
    let wide = "sub.cc.u64 %rd3, %rd1, %rd2;\naddc.u32 %r9, 0, 0;\nadd.cc.u64 %rd3, %rd1, %rd2;\nsubc.u32 %r10, 0, 0;";
    compare(wide, |[a, b, c, d]| {
        let carry = long(a, b).overflowing_add(long(c, d)).1;
        [u32::from(long(a, b) >= long(c, d)), if carry { 0 } else { u32::MAX }]
    });
}

#[test]
fn a_carry_belongs_to_its_lane_and_lasts() {
    // Lanes that do not take part keep theirs, and an instruction without `.cc` leaves it.
    let body = "setp.lt.u32 %p0, %r4, 32;\nadd.cc.u32 %r5, %r1, %r2;\n@%p0 add.cc.u32 %r5, %r3, %r3;\n\
                add.u32 %r5, %r1, %r3;\naddc.u32 %r9, 0, 0;\naddc.u32 %r10, 1, 1;";
    compare(body, |[a, b, c, d]| {
        let carry = if d < 32 { u64::from(c) * 2 } else { u64::from(a) + u64::from(b) } >> 32;
        [carry as u32, 2 + carry as u32]
    });
}

#[test]
fn a_product_of_64_bits_is_made_of_halves() {
    // 64 × 64 → 128 bits as compilers write it, of which the upper 64 are compared.
    let body = "mul.lo.u32 %r5, %r1, %r3;\nmul.hi.u32 %r6, %r1, %r3;\nmad.lo.cc.u32 %r6, %r1, %r4, %r6;\n\
                madc.hi.u32 %r7, %r1, %r4, 0;\nmad.lo.cc.u32 %r6, %r2, %r3, %r6;\nmadc.hi.cc.u32 %r7, %r2, %r3, %r7;\n\
                addc.u32 %r8, 0, 0;\nmad.lo.cc.u32 %r9, %r2, %r4, %r7;\nmadc.hi.u32 %r10, %r2, %r4, %r8;";
    compare(body, |[a, b, c, d]| halves(((u128::from(long(a, b)) * u128::from(long(c, d))) >> 64) as u64));
    let signed = "mad.hi.cc.s32 %r9, %r1, %r2, %r3;\nmadc.lo.s32 %r10, %r1, %r2, %r3;";
    compare(signed, |[a, b, c, _]| {
        let high = ((i64::from(a.cast_signed()) * i64::from(b.cast_signed())) >> 32) as u32;
        let (sum, carry) = high.overflowing_add(c);
        [sum, a.wrapping_mul(b).wrapping_add(c).wrapping_add(u32::from(carry))]
    });
    let wide = "mad.lo.cc.u64 %rd3, %rd1, %rd2, %rd1;\nmadc.hi.u64 %rd4, %rd1, %rd2, 0;\nshr.u64 %rd5, %rd4, 32;\n\
                cvt.u32.u64 %r9, %rd4;\ncvt.u32.u64 %r10, %rd5;";
    compare(wide, |[a, b, c, d]| {
        let product = u128::from(long(a, b)) * u128::from(long(c, d));
        halves((product.wrapping_add(u128::from(long(a, b))) >> 64) as u64)
    });
}

#[test]
fn products_of_24_bits() {
    let low = |value: u32| i64::from(value << 8 >> 8);
    let signed = |value: u32| i64::from((value << 8).cast_signed() / 256);
    word("mul24.lo.u32 %r9, %r1, %r2;", |[a, b, ..]| (low(a) * low(b)) as u32);
    word("mul24.hi.u32 %r9, %r1, %r2;", |[a, b, ..]| (low(a) * low(b) / 65_536) as u32);
    word("mul24.lo.s32 %r9, %r1, %r2;", |[a, b, ..]| (signed(a) * signed(b)) as u32);
    word("mul24.hi.s32 %r9, %r1, %r2;", |[a, b, ..]| (signed(a) * signed(b)).div_euclid(65_536) as u32);
    word("mad24.lo.u32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| (low(a) * low(b) + i64::from(c)) as u32);
    word("mad24.hi.sat.s32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| {
        let sum = (signed(a) * signed(b)).div_euclid(65_536) + i64::from(c.cast_signed());
        sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32
    });
}

#[test]
fn distances_and_dot_products() {
    word("sad.u32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| c.wrapping_add(a.max(b) - a.min(b)));
    word("sad.s32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| {
        (i64::from(c) + (i64::from(a.cast_signed()) - i64::from(b.cast_signed())).abs()) as u32
    });
    let short = "cvt.u16.u32 %h1, %r1;\ncvt.u16.u32 %h2, %r2;\ncvt.u16.u32 %h3, %r3;\n\
                 sad.s16 %h4, %h1, %h2, %h3;\ncvt.u32.u16 %r9, %h4;";
    word(short, |[a, b, c, _]| {
        let distance = (i32::from(a as i16) - i32::from(b as i16)).unsigned_abs();
        (distance + (c & 0xffff)) & 0xffff
    });
    let byte = |word: u32, index: usize, signed: bool| {
        let byte = word.to_le_bytes()[index];
        if signed { i64::from(byte.cast_signed()) } else { i64::from(byte) }
    };
    for (left, right) in [(false, false), (false, true), (true, false), (true, true)] {
        let name = |signed| if signed { "s32" } else { "u32" };
        word(&format!("dp4a.{}.{} %r9, %r1, %r2, %r3;", name(left), name(right)), |[a, b, c, _]| {
            (0..4).fold(i64::from(c), |sum, index| sum + byte(a, index, left) * byte(b, index, right)) as u32
        });
        for (half, first) in [("lo", 0), ("hi", 2)] {
            let body = format!("dp2a.{half}.{}.{} %r9, %r1, %r2, %r3;", name(left), name(right));
            word(&body, |[a, b, c, _]| {
                let part = |index: u32| {
                    let half = (a >> (16 * index)) as u16;
                    if left { i64::from(half.cast_signed()) } else { i64::from(half) }
                };
                let products = part(0) * byte(b, first, right) + part(1) * byte(b, first + 1, right);
                (i64::from(c) + products) as u32
            });
        }
    }
}

#[test]
fn pairs_of_16_bits() {
    let each = |a: u32, b: u32, operation: &dyn Fn(i32, i32) -> i32, signed: bool| {
        let half = |word: u32, shift: u32| {
            let half = (word >> shift) as u16;
            if signed { i32::from(half.cast_signed()) } else { i32::from(half) }
        };
        let one = |shift: u32| (operation(half(a, shift), half(b, shift)) as u32 & 0xffff) << shift;
        one(0) | one(16)
    };
    for (ty, signed) in [("s16x2", true), ("u16x2", false)] {
        word(&format!("add.{ty} %r9, %r1, %r2;"), |[a, b, ..]| each(a, b, &|a, b| a + b, signed));
        word(&format!("min.{ty} %r9, %r1, %r2;"), |[a, b, ..]| each(a, b, &i32::min, signed));
        word(&format!("max.{ty} %r9, %r1, %r2;"), |[a, b, ..]| each(a, b, &i32::max, signed));
    }
    word("max.relu.s16x2 %r9, %r1, %r2;", |[a, b, ..]| each(a, b, &|a, b| a.max(b).max(0), true));
    word("min.s16x2.relu %r9, %r1, %r2;", |[a, b, ..]| each(a, b, &|a, b| a.min(b).max(0), true));
    word("max.relu.s32 %r9, %r1, %r2;", |[a, b, ..]| {
        a.cast_signed().max(b.cast_signed()).max(0).cast_unsigned()
    });
}

#[test]
fn lanes_of_a_word() {
    let bytes = |word: u32, signed: bool| {
        word.to_le_bytes().map(|byte| if signed { i32::from(byte.cast_signed()) } else { i32::from(byte) })
    };
    let each = |a: [i32; 4], b: [i32; 4], operation: &dyn Fn(i32, i32) -> i32| {
        u32::from_le_bytes(std::array::from_fn(|lane| operation(a[lane], b[lane]) as u8))
    };
    word("vabsdiff4.u32.u32.u32 %r9, %r1, %r2, %r3;", |[a, b, ..]| {
        each(bytes(a, false), bytes(b, false), &|a, b| a.max(b) - a.min(b))
    });
    word("vabsdiff4.u32.s32.s32.add %r9, %r1, %r2, %r3;", |[a, b, c, _]| {
        let pairs = bytes(a, true).into_iter().zip(bytes(b, true));
        pairs.fold(c, |sum, (a, b)| sum.wrapping_add(a.abs_diff(b)))
    });
    word("vadd4.s32.s32.u32.sat %r9, %r1, %r2, %r3;", |[a, b, ..]| {
        each(bytes(a, true), bytes(b, false), &|a, b| (a + b).min(127))
    });
    word("vsub4.u32.u32.u32 %r9, %r1, %r2, %r3;", |[a, b, ..]| {
        each(bytes(a, false), bytes(b, false), &|a, b| a - b)
    });
    word("vset4.s32.u32.lt %r9, %r1, %r2, %r3;", |[a, b, ..]| {
        each(bytes(a, true), bytes(b, false), &|a, b| i32::from(a < b))
    });
    word("vavrg2.s32.s32.s32 %r9, %r1, %r2, %r3;", |[a, b, ..]| {
        let half = |word: u32, shift: u32| i32::from((word >> shift) as i16);
        let mean = |shift: u32| {
            let sum = half(a, shift) + half(b, shift);
            // Rounded up for a sum that is not negative, else down: away from zero.
            let mean = if sum >= 0 { (sum + 1) / 2 } else { (sum - 1) / 2 };
            (mean as u32 & 0xffff) << shift
        };
        mean(0) | mean(16)
    });
    word("mov.b32 %r9, {0, 7};", |_| 0x7_0000);
}

#[test]
fn where_bits_are() {
    let top = |value: u128| (0..128).rev().find(|&bit| value >> bit & 1 == 1);
    let found = |value: u128| top(value).map_or(u32::MAX, |bit| bit);
    word("bfind.u32 %r9, %r1;", |[a, ..]| found(u128::from(a)));
    word("bfind.s32 %r9, %r1;", |[a, ..]| found(u128::from(if a >> 31 == 1 { !a } else { a })));
    word("bfind.shiftamt.u32 %r9, %r1;", |[a, ..]| top(u128::from(a)).map_or(u32::MAX, |bit| 31 - bit));
    word("bfind.u64 %r9, %rd1;", |[a, b, ..]| found(u128::from(long(a, b))));
    word("bfind.shiftamt.s64 %r9, %rd1;", |[a, b, ..]| {
        let value = long(a, b);
        top(u128::from(if b >> 31 == 1 { !value } else { value })).map_or(u32::MAX, |bit| 63 - bit)
    });
    let ones = |count: u32| (0..count.min(64)).fold(0_u64, |bits, bit| bits | 1 << bit);
    word("bmsk.clamp.b32 %r9, %r1, %r2;", |[a, b, ..]| (ones(b.min(32)) << a.min(32)) as u32);
    word("bmsk.wrap.b32 %r9, %r1, %r2;", |[a, b, ..]| (ones(b % 32) << (a % 32)) as u32);
    let extended = |value: u32, width: u32, signed: bool| {
        (0..32).fold(0, |bits, bit| {
            let from = if bit < width { Some(bit) } else { width.checked_sub(1).filter(|_| signed) };
            bits | from.map_or(0, |from| (value >> from & 1) << bit)
        })
    };
    word("szext.wrap.u32 %r9, %r1, %r2;", |[a, b, ..]| extended(a, b % 32, false));
    word("szext.wrap.s32 %r9, %r1, %r2;", |[a, b, ..]| extended(a, b % 32, true));
    word("szext.clamp.s32 %r9, %r1, %r2;", |[a, b, ..]| extended(a, b.min(32), true));
    word("cnot.b32 %r9, %r1;", |[a, ..]| u32::from(a == 0));
}

#[test]
fn tables_with_a_predicate() {
    let entry = |table: u32, a: u32, b: u32, c: u32| {
        (0..32).fold(0, |bits, bit| {
            let index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | c >> bit & 1;
            bits | (table >> index & 1) << bit
        })
    };
    for table in [0x00, 0x80, 0xe8, 0x96, 0x1b] {
        let body = format!(
            "setp.lt.u32 %p1, %r4, 32;\nlop3.or.b32 %r9|%p2, %r1, %r2, %r3, {table}, %p1;\nselp.u32 %r10, 1, 0, %p2;"
        );
        compare(&body, |[a, b, c, d]| {
            let value = entry(table, a, b, c);
            [value, u32::from(value != 0 || d < 32)]
        });
        let body = format!(
            "setp.lt.u32 %p1, %r4, 32;\nlop3.and.b32 _|%p1, %r1, %r2, %r3, {table}, !%p1;\nselp.u32 %r10, 1, 0, %p1;"
        );
        compare(&body, |[a, b, c, d]| [0, u32::from(entry(table, a, b, c) != 0 && d >= 32)]);
    }
}

#[test]
fn comparisons_with_a_number_as_their_result() {
    let mask = |holds: bool| if holds { u32::MAX } else { 0 };
    let one = |holds: bool| if holds { 1_f32.to_bits() } else { 0 };
    word("set.lt.s32.s32 %r9, %r1, %r2;", |[a, b, ..]| mask(a.cast_signed() < b.cast_signed()));
    word("set.ls.f32.u32 %r9, %r1, %r2;", |[a, b, ..]| one(a <= b));
    word("set.ge.u32.f32 %r9, %r1, %r2;", |[a, b, ..]| mask(f32::from_bits(a) >= f32::from_bits(b)));
    word("set.neu.f32.f32 %r9, %r1, %r2;", |[a, b, ..]| one(f32::from_bits(a) != f32::from_bits(b)));
    word("set.gt.u32.u64 %r9, %rd1, %rd2;", |[a, b, c, d]| mask(long(a, b) > long(c, d)));
    let joined = "setp.lt.u32 %p1, %r3, 32;\nset.eq.xor.u32.u32 %r9, %r1, %r2, !%p1;";
    word(joined, |[a, b, c, _]| mask((a == b) != (c >= 32)));
    // Each half has a mask, or 1.0, of its own; NaN equals nothing.
    let half = |bits: u32| {
        let (exponent, mantissa) = (bits >> 10 & 31, bits & 0x3ff);
        let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
        match exponent {
            31 if mantissa != 0 => f64::NAN,
            31 => sign * f64::INFINITY,
            0 => sign * f64::from(mantissa) * 2_f64.powi(-24),
            _ => sign * f64::from(1024 + mantissa) * 2_f64.powi(exponent as i32 - 25),
        }
    };
    let pair = |a: u32, b: u32, truth: u32| {
        let one = |shift: u32| if half(a >> shift) < half(b >> shift) { truth << shift } else { 0 };
        one(0) | one(16)
    };
    word("set.lt.u32.f16x2 %r9, %r1, %r2;", |[a, b, ..]| pair(a, b, 0xffff));
    word("set.lt.f16x2.f16x2 %r9, %r1, %r2;", |[a, b, ..]| pair(a, b, 0x3c00));
}

#[test]
fn selections_by_a_sign() {
    word("slct.b32.s32 %r9, %r1, %r2, %r3;", |[a, b, c, _]| if c >> 31 == 0 { a } else { b });
    let float = |[a, b, c, _]: [u32; 4]| if f32::from_bits(c) >= 0.0 { a } else { b };
    word("slct.u32.f32 %r9, %r1, %r2, %r3;", float);
    word("slct.ftz.f32.f32 %r9, %r1, %r2, %r3;", |given| {
        let [a, _, c, _] = given;
        if c & 0x7f80_0000 == 0 { a } else { float(given) }
    });
    compare("slct.b64.s32 %rd3, %rd1, %rd2, %r1;\nmov.b64 {%r9, %r10}, %rd3;", |[a, b, c, d]| {
        if a >> 31 == 0 { [a, b] } else { [c, d] }
    });
}
