//! Functions, calls and scopes: the layout of their text, what the check refuses, and what a flat body looks like.

use super::*;

const FLAT: &str = r#"
.version 8.0
.target sm_90
.global .u32 taken;
.func (.param .b32 r) f(.param .b32 a);
.global .u64 table[2] = {f, generic(taken)+-4};
.visible .entry k(.param .u64 p) .maxntid 64 .pragma "nounroll";
{
    .reg .b32 %r<2>;
    mov.u32 %r0, 7;
    { // callseq 0
        .reg .b32 temp;
        .reg .b32 %r1;
        .param .b32 param0;
        .param .b32 retval0;
        st.param.b32 [param0+0], %r0;
        call.uni (retval0), f, (param0);
        ld.param.b32 %r1, [retval0+0];
        bra L;
    L:
    } // callseq 0
    {
        .reg .b32 temp;
        .reg .u32 taken;
    L:  .branchtargets M;
    M:  brx.idx %r1, L;
    }
    ret;
}
.func (.param .b32 r) f(.param .b32 a)
{
    .reg .b32 t;
    ld.param.u32 t, [a];
    st.param.b32 [r], t;
    ret;
}
.section .debug_str { S: .b8 1 , 2
 .b32 S + 4 }
"#;

#[test]
fn scopes_become_one_and_functions_are_declared_where_they_are_needed() {
    let module = parse(FLAT).expect("a right text");
    assert_eq!(module.check(), Ok(()));
    expect_test::expect![[r#"
        .version 8.0
        .target sm_90
        .address_size 64

        .func (.param .b32 r) f(.param .b32 a);

        .global .u32 taken;
        .global .u64 table[2] = {f, generic(taken)+-4};

        .func (.param .b32 r) f(.param .b32 a)
        {
            .reg .b32 t;

            ld.param.u32        t, [a];
            st.param.b32        [r], t;
            ret;
        }

        .visible .entry k(
            .param .u64 p
        )
        .maxntid 64, 1, 1
        .pragma "nounroll";
        {
            .reg .b32 %r0, %r1, temp, %r1$1, temp$1, taken$1;
            .param .b32 param0;
            .param .b32 retval0;
            L$1: .branchtargets M;

            mov.u32             %r0, 7;
            // callseq 0
            st.param.b32        [param0], %r0;
            call.uni            (retval0), f, (param0);
            ld.param.b32        %r1$1, [retval0];
            bra                 L;
        L:
            // callseq 0
        M:
            brx.idx             %r1, L$1;
            ret;
        }

        .section .debug_str
        {
        S:
        .b8 1,2
        .b32 S+4
        }
    "#]]
    .assert_eq(&module.print());
    assert_eq!(parse(&module.print()), Ok(module));
}

/// Problems of a module with a function `f` of one argument and one result, and a body that calls it.
fn problems(function: &str, body: &str) -> String {
    let text = format!(
        ".version 8.0\n.target sm_90\n.shared .u32 s;\n.func (.param .b32 r) f(.param .b32 a)\n{{\n{function}\nret;\n}}\n\
         .entry k(.param .u32 p)\n{{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n.param .b64 wide;\n{body}\nret;\n}}\n"
    );
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let Err(errors) = module.check() else { return String::new() };
    errors.iter().map(|error| format!("{error}; {}\n", error.problem.help())).collect()
}

#[test]
fn the_check_compares_calls_with_declarations() {
    let cases = [
        ("", "call (%r0), f, (%r1);", ""),
        ("", "call (%r0), f, (7);", ""),
        ("", "call f, (%r1);", "call of `f`: another number of results or arguments"),
        ("", "call (%r0), f, (%rd0);", "call of `f`: an operand has another size"),
        ("", "call (%r0), f, (wide);", "call of `f`: an operand has another size"),
        ("", "call (%r0), f, (s);", "call of `f`: an operand is a register, a number or a `.param` variable"),
        ("", "st.param.u32 [p], %r0;", "variable `p`: an argument is not stored to"),
        ("st.param.b32 [a], 1;", "", "variable `a`: an argument is not stored to"),
        ("st.param.b32 [r], 1;", "", ""),
        ("", "ld.global.u32 %r0, [f];", "`f` does not lie in the state space"),
    ];
    for (function, body, part) in cases {
        let met = problems(function, body);
        assert!(met.contains(part) && met.is_empty() == part.is_empty(), "{body}{function}\n{met}");
    }
}

#[test]
fn an_entry_without_calls_is_not_copied() {
    let module = parse(FLAT).expect("a right text");
    let (_, function) = module.functions.iter().next().expect("it has one");
    let same = expand(&module, &function.code).expect("it has no calls");
    assert!(matches!(same.entry, std::borrow::Cow::Borrowed(_)));
    let expanded = expand(&module, &module.entries[0]).expect("its calls can be put in place").entry;
    let left = expanded.insts().filter(|(_, inst)| matches!(inst.op, Op::Call(_) | Op::BrxIdx(_))).count();
    assert_eq!(left, 1, "the branch stays behind the comparisons, for a number past the end");
    let line =
        |text: &str| FLAT.lines().position(|line| line.contains(text)).expect("it is there") as u32 + 1;
    let load = expanded.body.iter().find(|statement| statement.line == line("ld.param.u32 t"));
    assert!(load.is_some(), "a statement of the function keeps its line");
}
