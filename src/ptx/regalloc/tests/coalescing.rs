//! What coalesces and what must not, and what the webs are called.

use expect_test::expect;

use super::*;

#[test]
fn a_loop_carried_accumulator_is_one_register() {
    let mut module = parse(
        "mov.b32 %a, 0f00000000;
         mov.b32 %n, 0;
         $loop:
         mov.b32 %b, %a;
         cvt.rn.f32.u32 %c, %n;
         add.rn.f32 %d, %b, %c;
         mov.b32 %a, %d;
         add.s32 %e, %n, 1;
         mov.b32 %n, %e;
         setp.lt.u32 %p, %n, 10;
         @%p bra $loop;
         mov.b32 %b, %a;
         ld.param.u64 %x, [out];
         st.global.f32 [%x], %b;
         ret;",
    );
    let mut hints = Hints::new();
    hints.set(named(&module, "%d"), hint(Prefix::F32, "sum"));
    hints.set_local(named(&module, "%a"), hint(Prefix::F32, "acc"));
    hints.set(named(&module, "%c"), hint(Prefix::F32, ""));
    hints.set_local(named(&module, "%n"), hint(Prefix::Int, "r#i"));
    let (allocation, text) = allocated(&mut module, &hints);
    assert_eq!(allocation.copies_removed, 4);
    expect![[r#"
        {
            .reg .pred %p0;
            .reg .b32 %f_acc, %r_i, %f0;
            .reg .b64 %rd0;
            mov.b32             %f_acc, 0f00000000;
            mov.b32             %r_i, 0;
        $loop:
            cvt.rn.f32.u32      %f0, %r_i;
            add.rn.f32          %f_acc, %f_acc, %f0;
            add.s32             %r_i, %r_i, 1;
            setp.lt.u32         %p0, %r_i, 10;
            @%p0 bra            $loop;
            ld.param.u64        %rd0, [out];
            st.global.f32       [%rd0], %f_acc;
            ret;
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_snapshot_of_a_variable_that_changes_keeps_its_register() {
    let mut module = parse(
        "ld.param.u64 %x, [out];
         mov.b32 %a, 1;
         mov.b32 %b, %a;
         add.s32 %c, %a, 5;
         mov.b32 %a, %c;
         st.global.u32 [%x], %b;
         st.global.u32 [%x+4], %a;
         ret;",
    );
    let (allocation, text) = allocated(&mut module, &Hints::new());
    assert_eq!(allocation.copies_removed, 1);
    expect![[r#"
        {
            .reg .b32 %r0, %r1;
            .reg .b64 %rd0;
            ld.param.u64        %rd0, [out];
            mov.b32             %r0, 1;
            mov.b32             %r1, %r0;
            add.s32             %r0, %r0, 5;
            st.global.u32       [%rd0], %r1;
            st.global.u32       [%rd0+4], %r0;
            ret;
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_swap_in_a_loop_keeps_both_values() {
    let mut module = parse(
        "ld.param.u64 %x, [out];
         mov.b32 %a, 1;
         mov.b32 %b, 2;
         mov.b32 %n, 0;
         $loop:
         mov.b32 %c, %a;
         mov.b32 %a, %b;
         mov.b32 %b, %c;
         add.s32 %n, %n, 1;
         setp.lt.u32 %p, %n, 3;
         @%p bra $loop;
         st.global.u32 [%x], %a;
         st.global.u32 [%x+4], %b;
         ret;",
    );
    let (allocation, text) = allocated(&mut module, &Hints::new());
    assert_eq!(allocation.copies_removed, 0);
    assert_eq!(count(&module, RegClass::B32), 4);
    expect![[r#"
        {
            .reg .pred %p0;
            .reg .b32 %r0, %r1, %r2, %r3;
            .reg .b64 %rd0;
            ld.param.u64        %rd0, [out];
            mov.b32             %r0, 1;
            mov.b32             %r1, 2;
            mov.b32             %r2, 0;
        $loop:
            mov.b32             %r3, %r0;
            mov.b32             %r0, %r1;
            mov.b32             %r1, %r3;
            add.s32             %r2, %r2, 1;
            setp.lt.u32         %p0, %r2, 3;
            @%p0 bra            $loop;
            st.global.u32       [%rd0], %r0;
            st.global.u32       [%rd0+4], %r1;
            ret;
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_variable_read_twice_is_one_register() {
    let mut module = parse(
        "ld.param.u64 %x, [out];
         mov.b32 %a, 3;
         mov.b32 %b, %a;
         mov.b32 %c, %a;
         mul.lo.s32 %d, %b, %c;
         mov.b32 %e, %a;
         add.s32 %d, %d, %e;
         st.global.u32 [%x], %d;
         ret;",
    );
    let (allocation, _) = allocated(&mut module, &Hints::new());
    assert_eq!(allocation.copies_removed, 3);
}

#[test]
fn a_guarded_copy_and_a_negated_one_stay() {
    let mut module = parse(
        "ld.param.u64 %x, [out];
         mov.b32 %a, 3;
         mov.b32 %b, 4;
         setp.lt.u32 %p, %a, %b;
         @%p mov.b32 %a, %b;
         mov.pred %q, !%p;
         @%q st.global.u32 [%x], %a;
         ret;",
    );
    let (allocation, text) = allocated(&mut module, &Hints::new());
    assert_eq!(allocation.copies_removed, 0);
    assert!(text.contains("!%p0"), "{text}");
}

#[test]
fn results_of_one_instruction_stay_apart_even_when_nobody_reads_one() {
    let mut module = parse(
        "ld.param.u64 %x, [out];
         ld.global.v2.u32 {%a, %b}, [%x];
         st.global.u32 [%x], %a;
         mov.b32 %b, %a;
         st.global.u32 [%x+8], %b;
         ret;",
    );
    let (allocation, _) = allocated(&mut module, &Hints::new());
    assert_eq!(allocation.copies_removed, 0);
}

#[test]
fn names_are_unique_whatever_the_hints() {
    let mut module = parse(
        "ld.param.u64 %x, [out];
         mov.b32 %a, 1;
         mov.b32 %b, 2;
         mov.b32 %c, 3;
         mov.b32 %d, 4;
         mov.b32 %e, 5;
         st.global.v4.u32 [%x], {%a, %b, %c, %d};
         st.global.u32 [%x], %e;
         ret;",
    );
    let mut hints = Hints::new();
    for (reg, name) in [("%a", "i"), ("%b", "i2"), ("%c", "i"), ("%d", "i2"), ("%e", "größe")] {
        hints.set(named(&module, reg), hint(Prefix::Int, name));
    }
    let (_, text) = allocated(&mut module, &hints);
    expect![[r#"
        {
            .reg .b32 %r_i, %r_i2, %r_i3, %r_i2_2, %r_gr__e;
            .reg .b64 %rd0;
            ld.param.u64        %rd0, [out];
            mov.b32             %r_i, 1;
            mov.b32             %r_i2, 2;
            mov.b32             %r_i3, 3;
            mov.b32             %r_i2_2, 4;
            mov.b32             %r_gr__e, 5;
            st.global.v4.u32    [%rd0], {%r_i, %r_i2, %r_i3, %r_i2_2};
            st.global.u32       [%rd0], %r_gr__e;
            ret;
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn the_place_of_a_statement_without_instructions_goes() {
    let mut module = parse(
        "ld.param.u64 %x, [out];
         mov.b32 %a, 1;
         .loc 1 7 3
         mov.b32 %b, %a;
         .loc 1 8 3
         st.global.u32 [%x], %b;
         ret;",
    );
    module.files.push(module::SourceFile::new(1, "k.rs"));
    let (_, text) = allocated(&mut module, &Hints::new());
    assert!(!text.contains("1 7 3") && text.contains("1 8 3"), "{text}");
}
