//! Golden texts of rendered reports, and the small promises of spans.

use expect_test::expect;

use super::*;

#[derive(Debug, thiserror::Error)]
enum TestError {
    #[error("`{op}` mixes f32 and u32")]
    Mixed { op: &'static str },
    #[error("local `acc` is read before it is written")]
    Unwritten,
}

impl Help for TestError {
    fn help(&self) -> Option<String> {
        match self {
            Self::Mixed { .. } => Some("convert one side:\n`x.cast::<f32>()`".to_owned()),
            Self::Unwritten => None,
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Mixed { .. } => Code::OperandsDiffer,
            Self::Unwritten => Code::NeverWritten,
        }
    }
}

fn kernel_sources() -> (Sources, SourceId) {
    let mut sources = Sources::new();
    let id = sources.register("kernels/add.rs", "#[kernel]\nfn add() {\n\tlet y = x + n;\n}\n");
    (sources, id)
}

#[test]
fn an_error_stands_under_its_line_with_a_caret_and_help() {
    let (sources, file) = kernel_sources();
    let error = Spanned::new(Span::new(file, 3, 10), TestError::Mixed { op: "add" });
    expect![[r"
        error[W0102]: `add` mixes f32 and u32
         --> kernels/add.rs:3:10
          |
        3 |     let y = x + n;
          |             ^
          |
          = help: convert one side:
                  `x.cast::<f32>()`

    "]]
    .assert_eq(&Report::of(&[error]).render(&sources));
}

#[test]
fn many_messages_come_in_order_with_a_count() {
    let (mut sources, file) = kernel_sources();
    let missing = sources.intern("no/such/file.rs");
    let mut report = Report::of(&[
        Spanned::new(Span::new(file, 2, 0), TestError::Unwritten),
        Spanned::new(Span::new(missing, 120, 7), TestError::Mixed { op: "mul" }),
        Spanned::nowhere(TestError::Unwritten),
    ]);
    report.add(Severity::Notice, Span::NONE, &TestError::Mixed { op: "sub" });
    expect![[r"
        error[W0311]: local `acc` is read before it is written
         --> kernels/add.rs:2
          |
        2 | fn add() {

        error[W0102]: `mul` mixes f32 and u32
           --> no/such/file.rs:120:7
            = help: convert one side:
                    `x.cast::<f32>()`

        error[W0311]: local `acc` is read before it is written

        notice: `sub` mixes f32 and u32
          = help: convert one side:
                  `x.cast::<f32>()`

        3 errors, 1 notice
    "]]
    .assert_eq(&report.render(&sources));
}

#[test]
fn a_file_on_disk_is_quoted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("k.rs");
    std::fs::write(&path, "one\ntwo\n").expect("a writable folder");
    let mut sources = Sources::new();
    let file = sources.intern(path.to_str().expect("a UTF-8 path"));
    let text = Report::of(&[Spanned::new(Span::new(file, 2, 99), TestError::Unwritten)]).render(&sources);
    assert!(text.contains("2 | two\n  |    ^\n"), "{text}");
}

#[test]
fn a_line_past_the_end_and_a_foreign_source_cost_only_the_quote() {
    let (sources, file) = kernel_sources();
    let past = Report::of(&[Spanned::new(Span::new(file, 99, 1), TestError::Unwritten)]).render(&sources);
    assert!(past.contains("--> kernels/add.rs:99:1"), "{past}");
    let foreign = Report::of(&[Spanned::new(Span::new(file, 1, 1), TestError::Unwritten)]);
    assert_eq!(foreign.render(&Sources::new()), "error[W0311]: local `acc` is read before it is written\n\n");
}

#[test]
fn names_are_interned_and_unknown_spans_say_so() {
    let mut sources = Sources::new();
    let (a, b) = (sources.intern("a.rs"), sources.intern("b.rs"));
    assert_eq!((sources.intern("a.rs"), sources.intern("b.rs"), sources.len()), (a, b, 2));
    assert!(!Span::NONE.is_known() && Span::default() == Span::NONE);
    let known = Span::new(b, 4, 2);
    assert_eq!((Span::NONE.or(known), known.or(Span::NONE)), (known, known));
    assert_eq!(sources.locate(known).as_deref(), Some("b.rs:4:2"));
    assert_eq!(sources.locate(Span::NONE), None);
    let here = sources.span_of(std::panic::Location::caller());
    assert!(sources.name(here.source).ends_with("tests.rs") && here.is_known());
}

#[test]
fn control_characters_are_spelled_out() {
    let mut sources = Sources::new();
    let file = sources.register("a\u{1b}[2J.rs", "x\u{7}\ty = \u{202e}1;\n");
    let mut report = Report::new();
    let (text, help) = ("no `\u{1b}[31mred\r`\nat all".to_owned(), Some("not \u{9b}1m\ttoo".to_owned()));
    let span = Span::new(file, 1, 4);
    report.push(Message { severity: Severity::Error, span, code: None, text, help });
    let shown = report.render(&sources);
    assert!(
        !shown.contains(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\t')),
        "{shown:?}"
    );
    for part in ["`\\u{1b}[31mred\\r`\nat all", "a\\u{1b}[2J.rs:1:4", "\\u{202e}", "\\u{9b}1m"] {
        assert!(shown.contains(part), "`{part}` is missing from\n{shown}");
    }
    let (quoted, caret) = shown.split_once("x\\u{7}").unwrap();
    let column = quoted.rsplit('\n').next().unwrap().len() + "x\\u{7}    y".len();
    let caret = caret.lines().nth(1).unwrap();
    assert_eq!(caret.find('^'), Some(column - 1), "{shown}");
}

#[test]
fn an_empty_report_is_empty_text() {
    assert_eq!(Report::new().render(&Sources::new()), "");
    assert!(!Report::new().has_errors());
}

#[test]
fn a_span_is_twelve_bytes() {
    assert_eq!(size_of::<Span>(), 12);
}
