//! Matrix instructions: every form against the tensor model, moves against the measured layouts, and what is refused.

use warpsmith::numerics::tensor::{
    Accumulator, Element, Form, Kind, Layout, Operand, Operands, Scale, TensorModel, container_shift,
};
use warpsmith::ptx::emu::{Config, GlobalMemory, Schedule, launch};
use warpsmith::ptx::isa::mma::MmaForm;
use warpsmith::ptx::isa::modifier::Modifier as _;
use warpsmith::ptx::module;

use crate::rig::{Params, bytes, program, words};

const LANES: usize = 32;

fn schedules() -> [Config; 3] {
    let under = |schedule| Config { schedule, ..Config::default() };
    [under(Schedule::Default), under(Schedule::Adversarial(1)), under(Schedule::Adversarial(7))]
}

/// Numbers that look random, equal on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.0 ^ self.0 >> 33
    }

    /// A float of either sign from ½ up to 2, or from 0 where that is below the normal range.
    fn float(&mut self, exponent: u32, mantissa: u32) -> u64 {
        let bias = (1_u64 << (exponent - 1)) - 1;
        let random = self.next();
        let sign = (random >> 62 & 1) << (exponent + mantissa);
        sign | (bias - 1) << mantissa | random & ((2 << mantissa) - 1)
    }

    fn element(&mut self, element: Element) -> u64 {
        match element {
            Element::F16 => self.float(5, 10),
            Element::BF16 => self.float(8, 7),
            Element::TF32 => self.float(8, 23),
            Element::F64 => self.float(11, 52),
            Element::E4M3 => self.float(4, 3),
            Element::E5M2 => self.float(5, 2),
            Element::E3M2 => self.float(3, 2),
            Element::E2M3 => self.float(2, 3),
            Element::E2M1 => self.float(2, 1),
            Element::S8 | Element::U8 => self.next() & 0xff,
            Element::S4 | Element::U4 => self.next() & 0xf,
        }
    }

    fn accumulator(&mut self, accumulator: Accumulator) -> u64 {
        match accumulator {
            Accumulator::F32 => self.float(8, 23),
            Accumulator::F16 => self.float(5, 10),
            Accumulator::F64 => self.float(11, 52),
            // Large ones too, so that sums wrap or are clamped.
            Accumulator::S32 => self.next() & 0xffff_ffff,
        }
    }

    fn scale(&mut self, scale: Scale) -> u8 {
        match scale {
            Scale::UE8M0 => 124 + (self.next() % 7) as u8,
            Scale::UE4M3 => 0x30 + (self.next() % 0x18) as u8,
        }
    }
}

/// The registers of each lane that hold a matrix.
fn registers(layout: &Layout, shift: u32, matrix: &[u64]) -> Vec<Vec<u64>> {
    let lane = |lane| {
        let mut registers = vec![0; layout.registers()];
        for index in 0..layout.per_lane() {
            let (row, column) = layout.position(lane, index);
            let part = index % layout.per_register();
            let value = matrix[row * layout.columns() + column];
            registers[index / layout.per_register()] |=
                value << (part as u32 * layout.element_bits() + shift);
        }
        registers
    };
    (0..LANES).map(lane).collect()
}

/// The text of a kernel that loads fragments from `[p_in]`, multiplies, and stores D to `[p_out]`, both lane by lane.
fn multiplication(form: &Form, target: &str, selectors: [u8; 4]) -> String {
    let [c, a, b] = [Operand::C, Operand::A, Operand::B].map(|operand| Layout::of(form, operand));
    let is_long = c.register_bits() == 64;
    let (width, prefix) = if is_long { (8, "%l") } else { (4, "%w") };
    let scales = if form.kind.scales() > 0 { 2 } else { 0 };
    let counts = [c.registers(), a.registers(), b.registers()];
    let stride = (counts.iter().sum::<usize>() + scales) * width;
    let mut body = String::new();
    let mut names = Vec::new();
    for index in 0..stride / width {
        body += &format!("ld.global.b{} {prefix}{index}, [%rd1+{}];\n", 8 * width, index * width);
        names.push(format!("{prefix}{index}"));
    }
    let braced = |from: usize, count: usize| format!("{{{}}}", names[from..from + count].join(", "));
    let fragments = [
        braced(0, counts[0]),
        braced(counts[0], counts[1]),
        braced(counts[0] + counts[1], counts[2]),
        braced(0, counts[0]),
    ];
    let mut opcode = String::from("mma.sync.aligned");
    MmaForm::from(*form).print(&mut opcode);
    body += &format!("{opcode} {}", fragments.join(", "));
    if scales > 0 {
        let [byte_a, thread_a, byte_b, thread_b] = selectors;
        let at = counts.iter().sum::<usize>();
        body += &format!(", {}, {{{byte_a}, {thread_a}}}", names[at]);
        body += &format!(", {}, {{{byte_b}, {thread_b}}}", names[at + 1]);
    }
    body += ";\n";
    for index in 0..counts[0] {
        body += &format!("st.global.b{} [%rd0+{}], {prefix}{index};\n", 8 * width, index * width);
    }
    format!(
        ".version 8.8\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 p_out, .param .u64 p_in)\n{{\n\
         .reg .b32 %r0, %w<20>;\n.reg .b64 %rd<4>, %l<20>;\nld.param.u64 %rd0, [p_out];\nld.param.u64 %rd1, [p_in];\n\
         mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, {stride};\nadd.s64 %rd1, %rd1, %rd2;\n\
         mul.wide.u32 %rd2, %r0, {};\nadd.s64 %rd0, %rd0, %rd2;\n{body}ret;\n}}\n",
        counts[0] * width
    )
}

/// Runs one form on random operands, and holds D against what the model gives for the matrices.
fn check_form(form: &Form, numbers: &mut Numbers) {
    let (sm, target) = [(80, "sm_80"), (89, "sm_89"), (90, "sm_90"), (120, "sm_120f")]
        .into_iter()
        .rfind(|&(sm, _)| TensorModel::of(sm).is_some_and(|model| model.has(form)))
        .unwrap_or_else(|| panic!("no model has {form}"));
    let model = TensorModel::of(sm).unwrap();
    let [la, lb, lc] = [Operand::A, Operand::B, Operand::C].map(|operand| Layout::of(form, operand));
    let size = |layout: &Layout| layout.rows() * layout.columns();
    let a: Vec<u64> = (0..size(&la)).map(|_| numbers.element(form.a)).collect();
    let b: Vec<u64> = (0..size(&lb)).map(|_| numbers.element(form.b)).collect();
    let c: Vec<u64> = (0..size(&lc)).map(|_| numbers.accumulator(form.acc)).collect();

    let each = form.kind.scales();
    let step = each.max(1) as u64;
    let mut byte = || (numbers.next() % (4 / step) * step) as u8;
    let bytes_of = [byte(), byte()];
    let selectors = [bytes_of[0], (numbers.next() % 2) as u8, bytes_of[1], (numbers.next() % 4) as u8];
    let mut scale_words = [[0_u32; LANES]; 2];
    scale_words.iter_mut().flatten().for_each(|word| *word = numbers.next() as u32);
    let (mut scale_a, mut scale_b) = (Vec::new(), Vec::new());
    if let Some(scale) = form.kind.scale() {
        let mut give = |factor: usize, lane: usize, scales: &mut Vec<u8>| {
            let mut word = scale_words[factor][lane].to_le_bytes();
            for index in 0..each {
                let value = numbers.scale(scale);
                word[usize::from(selectors[2 * factor]) + index] = value;
                scales.push(value);
            }
            scale_words[factor][lane] = u32::from_le_bytes(word);
        };
        for row in 0..usize::from(form.shape.m) {
            give(0, 4 * (row % 8) + 2 * usize::from(selectors[1]) + row / 8, &mut scale_a);
        }
        for column in 0..usize::from(form.shape.n) {
            give(1, 4 * column + usize::from(selectors[3]), &mut scale_b);
        }
    }
    let operands = Operands { a: &a, b: &b, c: &c, scale_a: &scale_a, scale_b: &scale_b };
    let expected = registers(&lc, 0, &model.multiply(form, &operands));

    let held = [
        registers(&lc, 0, &c),
        registers(&la, container_shift(form, form.a), &a),
        registers(&lb, container_shift(form, form.b), &b),
    ];
    let is_long = lc.register_bits() == 64;
    let mut input = Vec::new();
    for lane in 0..LANES {
        for value in held.iter().flat_map(|lanes| &lanes[lane]) {
            input.push(*value as u32);
            input.extend(is_long.then_some((value >> 32) as u32));
        }
        if each > 0 {
            input.extend(scale_words.map(|words| words[lane]));
        }
    }
    let expected: Vec<u32> = expected
        .into_iter()
        .flatten()
        .flat_map(|value| [value as u32, (value >> 32) as u32].into_iter().take(if is_long { 2 } else { 1 }))
        .collect();
    let text = multiplication(form, target, selectors);
    let program = program(&text);
    for config in schedules() {
        let mut memory = GlobalMemory::new();
        let out = memory.allocate("out", expected.len() as u64 * 4);
        let input = memory.allocate_with("in", &bytes(&input));
        let launched = Params::default().u64(out).u64(input).launch(1, 32);
        launch(&program, &launched, &mut memory, &config)
            .unwrap_or_else(|finding| panic!("{form}: {finding}"));
        assert_eq!(words(&memory, out, expected.len()), expected, "{form} on {target}, {config:?}");
    }
}

#[test]
fn every_form_multiplies_what_its_lanes_hold() {
    let mut numbers = Numbers(1);
    for form in Form::all() {
        check_form(&form, &mut numbers);
        if form.kind.scales() > 0 {
            // Other selectors, other lanes.
            (0..4).for_each(|_| check_form(&form, &mut numbers));
        }
    }
}

/// A small integer in a matrix: no two rows or columns are alike.
fn small(row: usize, column: usize) -> i32 {
    ((row * row + 3 * row * column + 5 * column + row) % 7) as i32 - 3
}

/// The bits of −3 … 3 in a format that has sign and magnitude.
fn encode(value: i32, magnitudes: [u32; 4], sign: u32) -> u32 {
    magnitudes[value.unsigned_abs() as usize] | if value < 0 { sign } else { 0 }
}

/// Runs one of the sheet's examples: packed A, B (column by column), perhaps scales.
fn example(text: &str, buffers: &[Vec<u8>]) -> Vec<f32> {
    let program = program(text);
    let run = |config: &Config| {
        let mut memory = GlobalMemory::new();
        let out = memory.allocate("d", 16 * 8 * 4);
        let mut params = Params::default();
        for (index, buffer) in buffers.iter().enumerate() {
            params = params.u64(memory.allocate_with(format!("in{index}"), buffer));
        }
        let launched = params.u64(out).launch(1, 32);
        launch(&program, &launched, &mut memory, config).unwrap_or_else(|finding| panic!("{finding}"));
        words(&memory, out, 16 * 8)
    };
    let [first, rest @ ..] = schedules().map(|config| run(&config));
    rest.iter().for_each(|other| assert_eq!(*other, first));
    first.into_iter().map(f32::from_bits).collect()
}

/// D of small integers, each product scaled.
fn product(k: usize, scale: impl Fn(usize, usize, usize) -> f32) -> Vec<f32> {
    let element = |i: usize, n: usize| {
        (0..k).map(|at| (small(i, at) * small(n + 20, at)) as f32 * scale(i, n, at)).sum()
    };
    (0..16).flat_map(|i| (0..8).map(move |n| (i, n))).map(|(i, n)| element(i, n)).collect()
}

/// A and B as the examples want them: rows of A and columns of B, `bits` an element.
fn factors(k: usize, bits: u32, encoded: impl Fn(i32) -> u32) -> [Vec<u8>; 2] {
    let pack = |rows: std::ops::Range<usize>| {
        let elements = rows.flat_map(|row| (0..k).map(move |at| small(row, at))).map(&encoded);
        let elements: Vec<u32> = elements.collect();
        match bits {
            16 => elements.iter().flat_map(|&value| (value as u16).to_le_bytes()).collect(),
            8 => elements.iter().map(|&value| value as u8).collect(),
            _ => elements.chunks_exact(2).map(|pair| (pair[0] | pair[1] << 4) as u8).collect(),
        }
    };
    [pack(0..16), pack(20..28)]
}

#[test]
fn the_examples_of_the_facts_sheet_run() {
    let bf16 = |value| encode(value, [0, 0x3f80, 0x4000, 0x4040], 0x8000);
    let text = include_str!("../data/ptx/mma_bf16_m16n8k16.ptx");
    assert_eq!(example(text, &factors(16, 16, bf16)), product(16, |_, _, _| 1.0));

    let e4m3 = |value| encode(value, [0, 0x38, 0x40, 0x44], 0x80);
    let text = include_str!("../data/ptx/mma_e4m3_m16n8k32.ptx");
    assert_eq!(example(text, &factors(32, 8, e4m3)), product(32, |_, _, _| 1.0));

    // Powers of two as scales; only byte 0 of a word is used.
    let power = |index: usize| [0.5, 1.0, 2.0, 4.0][index % 4];
    let words = |count: usize| -> Vec<u8> {
        (0..count).flat_map(|row| [126 + (row % 4) as u8, 99, 150, 7]).collect()
    };
    let text = include_str!("../data/ptx/mma_mxfp8_m16n8k32.ptx");
    let [a, b] = factors(32, 8, e4m3);
    let expected = product(32, |i, n, _| power(i) * power(n));
    assert_eq!(example(text, &[a, b, words(16), words(8)]), expected);

    let e2m1 = |value| encode(value, [0, 2, 4, 5], 8);
    let blocks = |count: usize| -> Vec<u8> {
        let exponents = (0..count).flat_map(|row| (0..4).map(move |block| (row + block) % 4));
        exponents.map(|exponent| 0x30 + 8 * exponent as u8).collect()
    };
    let text = include_str!("../data/ptx/mma_nvfp4_m16n8k64.ptx");
    let [a, b] = factors(64, 4, e2m1);
    let expected = product(64, |i, n, at| power(i + at / 16) * power(n + at / 16));
    assert_eq!(example(text, &[a, b, blocks(16), blocks(8)]), expected);
}

/// Runs instructions on `buf`, 1,024 bytes that hold `input`. `%r1` is `buf`, `%r2` the address of the row that the
/// lane gives, which is row 5 · lane mod 32; `%w0` to `%w3` go to the output, 16 bytes a lane, and then `buf`.
fn moved(body: &str, input: &[u8]) -> (Vec<[u32; 4]>, Vec<u8>) {
    let text = format!(
        ".version 8.8\n.target sm_120f\n.address_size 64\n.visible .entry k(.param .u64 p_out, .param .u64 p_in)\n{{\n\
         .reg .b32 %r<8>, %w<8>;\n.reg .b64 %rd<8>;\n.shared .align 16 .b8 buf[1024];\n\
         ld.param.u64 %rd0, [p_out];\nld.param.u64 %rd1, [p_in];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, buf;\n\
         mul.wide.u32 %rd2, %r0, 16;\nadd.s64 %rd1, %rd1, %rd2;\nadd.s64 %rd0, %rd0, %rd2;\nshl.b32 %r3, %r0, 4;\n\
         add.u32 %r3, %r3, %r1;\nld.global.v4.b32 {{%w0, %w1, %w2, %w3}}, [%rd1];\n\
         st.shared.v4.b32 [%r3], {{%w0, %w1, %w2, %w3}};\nld.global.v4.b32 {{%w4, %w5, %w6, %w7}}, [%rd1+512];\n\
         st.shared.v4.b32 [%r3+512], {{%w4, %w5, %w6, %w7}};\nbar.warp.sync -1;\nmul.lo.u32 %r2, %r0, 5;\n\
         and.b32 %r2, %r2, 31;\nshl.b32 %r2, %r2, 4;\nadd.u32 %r2, %r2, %r1;\n{body}\nbar.warp.sync -1;\n\
         st.global.v4.b32 [%rd0], {{%w0, %w1, %w2, %w3}};\nld.shared.v4.b32 {{%w0, %w1, %w2, %w3}}, [%r3];\n\
         st.global.v4.b32 [%rd0+512], {{%w0, %w1, %w2, %w3}};\nret;\n}}\n"
    );
    let program = program(&text);
    let run = |config: &Config| {
        let mut memory = GlobalMemory::new();
        let out = memory.allocate("out", 1024);
        let input = memory.allocate_with("in", input);
        let launched = Params::default().u64(out).u64(input).launch(1, 32);
        launch(&program, &launched, &mut memory, config).unwrap_or_else(|finding| panic!("{finding}"));
        words(&memory, out, 256)
    };
    let [first, rest @ ..] = schedules().map(|config| run(&config));
    rest.iter().for_each(|other| assert_eq!(*other, first));
    let lanes = first[..128].chunks_exact(4).map(|words| words.try_into().unwrap()).collect();
    (lanes, bytes(&first[128..]))
}

/// Each 16-bit element of the first 512 bytes its own number.
fn numbered() -> Vec<u8> {
    (0..512_u16).flat_map(|index| (index * 3 + 0x100).to_le_bytes()).collect()
}

/// A 16-bit element of the row whose address `lane` gives.
fn half(input: &[u8], lane: usize, column: usize) -> u32 {
    let at = lane * 5 % 32 * 16 + 2 * column;
    u32::from(u16::from_le_bytes([input[at], input[at + 1]]))
}

fn byte_of(input: &[u8], lane: usize, column: usize) -> u32 {
    u32::from(input[lane * 5 % 32 * 16 + column])
}

#[test]
fn loaded_matrices_lie_as_measured() {
    let input = numbered();
    for (count, regs) in [(1, "{%w0}"), (2, "{%w0, %w1}"), (4, "{%w0, %w1, %w2, %w3}")] {
        let line =
            |trans: &str| format!("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {regs}, [%r2];");
        let (plain, _) = moved(&line(""), &input);
        let (transposed, _) = moved(&line(".trans"), &input);
        for lane in 0..LANES {
            for matrix in 0..count {
                let (group, pair) = (lane >> 2, 2 * (lane & 3));
                let row = 8 * matrix + group;
                let expected = half(&input, row, pair) | half(&input, row, pair + 1) << 16;
                assert_eq!(plain[lane][matrix], expected, "x{count}, lane {lane}, matrix {matrix}");
                let row = 8 * matrix + pair;
                let expected = half(&input, row, group) | half(&input, row + 1, group) << 16;
                assert_eq!(
                    transposed[lane][matrix], expected,
                    "x{count}.trans, lane {lane}, matrix {matrix}"
                );
            }
        }
    }
    // By a symbol all lanes give one row, and a generic address is one of shared memory.
    let (one_row, _) = moved("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%w0}, [buf+16];", &input);
    let generic = "cvt.u64.u32 %rd3, %r2;\ncvta.shared.u64 %rd3, %rd3;\n\
                   ldmatrix.sync.aligned.m8n8.x1.b16 {%w0}, [%rd3];";
    let (generic, _) = moved(generic, &input);
    for lane in 0..LANES {
        let at = 16 + 4 * (lane & 3);
        assert_eq!(one_row[lane][0], u32::from_le_bytes(input[at..at + 4].try_into().unwrap()));
        let (row, pair) = (lane >> 2, 2 * (lane & 3));
        assert_eq!(generic[lane][0], half(&input, row, pair) | half(&input, row, pair + 1) << 16);
    }
}

#[test]
fn loaded_bytes_lie_as_published() {
    let input: Vec<u8> = (0..1024).map(|index| (index * 7 + index / 256) as u8).collect();
    let (lanes, _) =
        moved("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%w0, %w1, %w2, %w3}, [%r2];", &input);
    for (lane, registers) in lanes.iter().enumerate() {
        let (group, thread) = (lane >> 2, lane & 3);
        for (register, word) in registers.iter().enumerate() {
            for (part, &met) in word.to_le_bytes().iter().enumerate() {
                let row = 16 * (register / 2) + 4 * thread + 2 * (register % 2) + part % 2;
                let expected = byte_of(&input, row, group + 8 * (part / 2));
                assert_eq!(u32::from(met), expected, "lane {lane}, register {register}, byte {part}");
            }
        }
    }
    let four_bits =
        |row: usize, element: usize| byte_of(&input, row, element / 2) >> (4 * (element % 2)) & 15;
    let six_bits = |row: usize, element: usize| {
        let bit = 6 * element;
        let pair = byte_of(&input, row, bit / 8) | byte_of(&input, row, bit / 8 + 1) << 8;
        pair >> (bit % 8) & 63
    };
    type Word<'a> = &'a dyn Fn(usize, usize) -> u32;
    let forms: [(&str, Word<'_>); 2] = [("b4x16_p64", &four_bits), ("b6x16_p32", &six_bits)];
    for (element, expected) in forms {
        let line = format!("ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.{element} {{%w0, %w1}}, [%r2];");
        let (lanes, _) = moved(&line, &input);
        for (lane, registers) in lanes.iter().enumerate() {
            for (matrix, word) in registers[..2].iter().enumerate() {
                for (part, &met) in word.to_le_bytes().iter().enumerate() {
                    let expected = expected(8 * matrix + (lane >> 2), 4 * (lane & 3) + part);
                    assert_eq!(
                        u32::from(met),
                        expected,
                        "{element}, lane {lane}, matrix {matrix}, byte {part}"
                    );
                }
            }
        }
    }
}

#[test]
fn stored_matrices_are_the_inverse_of_loaded_ones() {
    let input = numbered();
    for trans in ["", ".trans"] {
        let body = format!(
            "ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%w0, %w1, %w2, %w3}}, [%r2];\n\
             add.u32 %w0, %w0, 0x10001;\nbar.warp.sync -1;\n\
             stmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 [%r2], {{%w0, %w1, %w2, %w3}};"
        );
        let (_, after) = moved(&body, &input);
        for row in 0..32 {
            for column in 0..8 {
                let expected = half(&input, row, column) + u32::from(row < 8);
                assert_eq!(half(&after, row, column), expected, "{trans} row {row} column {column}");
            }
        }
    }
}

#[test]
fn stored_bytes_are_accumulators_by_column() {
    // Byte i of lane l is made of l and i; element i of an accumulator lies at row g + 8 · (i / 2), column 2t + i mod 2.
    let body = "mul.lo.u32 %w0, %r0, 0x04040404;\nadd.u32 %w0, %w0, 0x03020100;\n\
                stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r2], {%w0};";
    let (_, after) = moved(body, &vec![0; 1024]);
    for row in 0..16 {
        for column in 0..8 {
            let (lane, element) = (4 * (row % 8) + column / 2, 2 * (row / 8) + column % 2);
            assert_eq!(
                byte_of(&after, column, row),
                (4 * lane + element) as u32,
                "row {row} column {column}"
            );
        }
    }
}

#[test]
fn a_matrix_is_transposed_in_registers() {
    let input = numbered();
    let body = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%w0}, [%r2];\n\
                movmatrix.sync.aligned.m8n8.trans.b16 %w0, %w0;";
    let (through_registers, _) = moved(body, &input);
    let (at_once, _) = moved("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%w0}, [%r2];", &input);
    assert!(through_registers.iter().zip(&at_once).all(|(met, expected)| met[0] == expected[0]));
}

#[test]
fn forms_print_in_one_spelling_and_read_in_others() {
    let spelled = |line: &str| {
        let text = format!(
            ".version 8.8\n.target sm_120f\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<16>;\n\
             .reg .b64 %d<8>;\n{line}\nret;\n}}\n"
        );
        let module = module::parse(&text).map_err(|error| error.to_string())?;
        let printed = module.print();
        let line = printed.lines().find(|line| line.contains("mma.")).unwrap();
        Ok::<_, String>(line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let fragments = "{%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3}";
    let scales = "%r10, {2, 1}, %r11, {0, 3}";
    let one =
        "mma.sync.aligned.kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0";
    let others = [
        "mma.sync.aligned.kind::mxf4.block_scale.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
    ];
    for opcode in others.into_iter().chain([one]) {
        let expected = format!("{one} {fragments}, {scales};");
        assert_eq!(spelled(&format!("{opcode} {fragments}, {scales};")), Ok(expected));
    }
    let f64 = "mma.sync.aligned.m8n8k4.row.col.rn.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%d3}, {%d0, %d1};";
    let [toward_zero, pair] = [
        f64.replace(".rn", ".rz"),
        "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16 {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r6, %r7}, \
         {%r0, %r1, %r2, %r3};"
            .to_owned(),
    ];
    for line in [f64, &toward_zero, &pair] {
        assert_eq!(spelled(line), Ok(line.to_owned()));
    }

    let plain = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
    let refused = [
        (
            format!(
                "{plain} {{%r0, %r1, %r2}}, {{%r4, %r5, %r6, %r7}}, {{%r8, %r9}}, {{%r0, %r1, %r2, %r3}};"
            ),
            "operand `d` has 3 elements, not 4",
        ),
        (
            format!(
                "{plain} {{%d0, %r1, %r2, %r3}}, {{%r4, %r5, %r6, %r7}}, {{%r8, %r9}}, {{%r0, %r1, %r2, %r3}};"
            ),
            "`%d0` is declared `.b64`, but operand `d` takes `.f32`",
        ),
        (format!("{plain} {fragments}, {scales};"), "operand `scale_a` has 1 elements, not 0"),
        (format!("{one} {fragments};"), "operand `scale_a` has 0 elements, not 1"),
        (format!("{one} {fragments}, %r10, {{1, 0}}, %r11, {{0, 0}};"), "0 or 2"),
        (format!("{one} {fragments}, %r10, {{0, 2}}, %r11, {{0, 0}};"), "A's scales is 0 or 1"),
        (format!("{one} {fragments}, %r10, {{0, 0}}, %r11, {{0, 4}};"), "B's scales is 0 to 3"),
        (f64.replace("row.col", "row.row"), "no form"),
        (pair.replace(".f16 ", ".f16.rn "), "no form"),
        (pair.replace("row.f16", "row.rn.f16"), "no form"),
        (
            "mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {%r0, %r1}, {%r4, %r5}, {%r8}, {%r0, %r1};"
                .to_owned(),
            "no form",
        ),
    ];
    for (line, part) in refused {
        let error = spelled(&line).expect_err(&line);
        assert!(error.contains(part), "{line}: {error}");
    }
}

#[test]
fn a_target_without_a_form_is_refused_by_name() {
    let refusal = |version: &str, target: &str, line: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<16>;\n\
             {line}\nret;\n}}\n"
        );
        let module = module::parse(&text).map_err(|error| error.to_string())?;
        module.check().map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    };
    let fragments = "{%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r0, %r1, %r2, %r3}";
    let scaled = format!(
        "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 {fragments}, \
         %r10, {{0, 0}}, %r11, {{0, 0}};"
    );
    let fp8 = format!("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {fragments};");
    let narrow = format!("mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e4m3.f32 {fragments};");
    let store = "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%r1};";
    let family = "sm_120f, sm_120a, sm_121f or sm_121a";
    let cases = [
        ("8.8", "sm_90", &*scaled, format!("block-scaled mma needs {family}; target is sm_90")),
        ("8.8", "sm_121", &scaled, format!("block-scaled mma needs {family}; target is sm_121")),
        (
            "8.8",
            "sm_100a",
            &narrow,
            format!("kind::f8f6f4 mma of fp6 or fp4 needs {family}; target is sm_100a"),
        ),
        ("8.8", "sm_80", &fp8, "fp8 mma needs sm_89 or later; target is sm_80".to_owned()),
        ("7.8", "sm_89", &fp8, "needs PTX 8.4, but the module declares 7.8".to_owned()),
        ("8.8", "sm_89", store, "stmatrix needs sm_90 or later; target is sm_89".to_owned()),
    ];
    for (version, target, line, expected) in cases {
        let error = refusal(version, target, line).expect_err(line);
        assert!(error.contains(&expected), "{error}");
    }
    assert_eq!(refusal("8.8", "sm_121a", &scaled), Ok(()));
    assert_eq!(refusal("8.4", "sm_89", &fp8), Ok(()));
}

#[test]
fn a_form_that_the_modelled_hardware_lacks_is_an_error() {
    let form: Form = "m16n8k32.f32.e4m3.e4m3.f32".parse().unwrap();
    let program = program(&multiplication(&form, "sm_89", [0; 4]));
    let mut memory = GlobalMemory::new();
    let buffer = memory.allocate("buffer", 4096);
    let launched = Params::default().u64(buffer).u64(buffer).launch(1, 32);
    let config = Config { tensor_model: TensorModel::of(80), ..Config::default() };
    let finding = launch(&program, &launched, &mut memory, &config).unwrap_err().to_string();
    let first = "no `m16n8k32.f32.e4m3.e4m3.f32` in the tensor model of sm_80\n  kernel k\n  at line 25: mma.sync.aligned.";
    assert!(finding.starts_with(first), "{finding}");
    assert_eq!(form.kind, Kind::Plain);
}
