//! Random control flow: a thread must compute the same alone in its CTA, where nothing ever diverges, as among
//! others, where masks do the work.

use proptest::prelude::*;

use super::*;

/// A statement of the three variables `l0`, `l1`, `l2`.
#[derive(Clone, Debug)]
enum Statement {
    Assign {
        to: u8,
        op: &'static str,
        from: u8,
        with: u8,
    },
    If {
        on: u8,
        bit: u32,
        then: Vec<Self>,
        els: Vec<Self>,
    },
    For {
        on: u8,
        body: Vec<Self>,
    },
    Loop {
        on: u8,
        body: Vec<Self>,
    },
    /// A `break` or `continue` where the bit is set; nothing outside a loop.
    Leave {
        on: u8,
        bit: u32,
        word: &'static str,
    },
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let op = prop::sample::select(vec!["add", "mul", "xor", "shr", "rem"]);
    let word = prop::sample::select(vec!["break", "continue"]);
    let leaf = prop_oneof![
        3 => (0..3u8, op, 0..3u8, 0..4u8).prop_map(|(to, op, from, with)| Statement::Assign { to, op, from, with }),
        1 => (0..3u8, 0..4u32, word).prop_map(|(on, bit, word)| Statement::Leave { on, bit, word }),
    ];
    let statement = leaf.prop_recursive(4, 40, 4, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (0..3u8, 0..4u32, body(), body()).prop_map(|(on, bit, then, els)| Statement::If {
                on,
                bit,
                then,
                els
            }),
            (0..3u8, body()).prop_map(|(on, body)| Statement::For { on, body }),
            (0..3u8, body()).prop_map(|(on, body)| Statement::Loop { on, body }),
        ]
    });
    prop::collection::vec(statement, 1..6)
}

/// Writes statements as text, numbering names as it goes.
#[derive(Default)]
struct Writer {
    text: String,
    names: u32,
    locals: u32,
}

impl Writer {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }

    fn line(&mut self, value: &str) -> String {
        let name = self.name();
        self.text += &format!("{name} = {value}\n");
        name
    }

    fn bit(&mut self, on: u8, bit: u32) -> String {
        let value = self.line(&format!("get l{on}"));
        let shifted = self.line(&format!("shr {value}, {bit}u32"));
        let low = self.line(&format!("and {shifted}, 1u32"));
        self.line(&format!("ne {low}, 0u32"))
    }

    fn statement(&mut self, statement: &Statement, in_loop: bool) {
        match statement {
            Statement::Assign { to, op, from, with } => {
                let a = self.line(&format!("get l{from}"));
                let b = self.line(&if *with < 3 { format!("get l{with}") } else { "const 13u32".into() });
                let c = self.line(&format!("{op} {a}, {b}"));
                self.text += &format!("set l{to}, {c}\n");
            }
            Statement::If { on, bit, then, els } => {
                let cond = self.bit(*on, *bit);
                self.text += &format!("if {cond} {{\n");
                self.all(then, in_loop);
                self.text += "} else {\n";
                self.all(els, in_loop);
                self.text += "}\n";
            }
            Statement::For { on, body } => {
                let value = self.line(&format!("get l{on}"));
                let end = self.line(&format!("and {value}, 3u32"));
                let start = self.line("const 0u32");
                let step = self.line("const 1u32");
                let counter = self.name();
                self.text += &format!("for {counter}: u32 = {start} to {end} step {step} unroll 1 {{\n");
                let l1 = self.line("get l1");
                let sum = self.line(&format!("add {l1}, {counter}"));
                self.text += &format!("set l1, {sum}\n");
                self.all(body, true);
                self.text += "}\n";
            }
            Statement::Loop { on, body } => {
                // At most as many rounds as two bits of a variable say, counted apart.
                let local = self.locals + 3;
                self.locals += 1;
                let value = self.line(&format!("get l{on}"));
                let rounds = self.line(&format!("and {value}, 3u32"));
                self.text += &format!("set l{local}, {rounds}\nloop {{\n");
                let left = self.line(&format!("get l{local}"));
                let done = self.line(&format!("eq {left}, 0u32"));
                self.text += &format!("if {done} {{ break }} else {{ }}\n");
                let less = self.line(&format!("sub {left}, 1u32"));
                self.text += &format!("set l{local}, {less}\n");
                self.all(body, true);
                self.text += "}\n";
            }
            Statement::Leave { on, bit, word } => {
                if in_loop {
                    let cond = self.bit(*on, *bit);
                    self.text += &format!("if {cond} {{ {word} }} else {{ }}\n");
                }
            }
        }
    }

    fn all(&mut self, statements: &[Statement], in_loop: bool) {
        statements.iter().for_each(|statement| self.statement(statement, in_loop));
    }
}

fn text_of(statements: &[Statement]) -> String {
    let mut writer = Writer::default();
    writer.all(statements, false);
    let locals: String = (0..writer.locals + 3).map(|local| format!("local l{local}: u32 ")).collect();
    format!(
        "kernel @k(mut out: global u32) {{ {locals}
         i = program_id.x hashed = mul i, 2654435761u32 high = shr hashed, 20u32
         set l0, i set l1, hashed set l2, high
         {}
         a = get l0 b = get l1 c = get l2 d = xor a, b e = mul d, 31u32 f = add e, c store out[i], f }}",
        writer.text
    )
}

proptest! {
    #[test]
    fn a_thread_computes_the_same_alone_and_among_others(statements in statements()) {
        const THREADS: u64 = 75;
        let kernel = kernel(&text_of(&statements));
        let with_cta = |cta: u32| {
            let mut args = arguments(&kernel, vec![("out", u32s(THREADS))]);
            let config = Config { step_budget: 1 << 20, ..Config::default() };
            run(&kernel, &Launch::linear(THREADS, cta), &mut args, &config).unwrap();
            written(&args, "out")
        };
        let alone = with_cta(1);
        prop_assert_eq!(&alone, &with_cta(64));
        prop_assert_eq!(&alone, &with_cta(75));
    }
}
