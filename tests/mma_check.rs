//! `warpsmith mma-check` as scripts and people see it: counts, exit codes, and what it says of files that are none.

#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test itself may")]

use std::process::{Command, Output};

use serde_json::Value;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/mma_golden_sm90.bin");
const RECORDED: &[u8] = include_bytes!("data/mma_golden_sm90.bin");

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsmith"));
    command.env_remove("WARPSMITH_TARGET").env_remove("WARPSMITH_DEVICE");
    command.arg("mma-check").args(arguments).output().unwrap()
}

/// Runs it on some bytes.
fn on(bytes: &[u8], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.bin");
    std::fs::write(&path, bytes).unwrap();
    run(&[&[path.to_str().unwrap()], arguments].concat())
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn every_recorded_result_matches() {
    let output = run(&[FILE]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(text.lines().last().unwrap()), ["all", "75264", "75264", "sm_90"]);
    assert_eq!(text.lines().count(), 1 + 31 + 1, "{text}");
    let form = text.lines().find(|line| line.starts_with("m16n8k16.f32.bf16")).unwrap();
    assert_eq!(words(form), ["m16n8k16.f32.bf16.bf16.f32", "6144", "6144", "measured"]);
}

#[test]
fn products_of_quad_pairs_and_directed_f64_match_too() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/mma_pairs_f64_sm90.bin");
    for arguments in [&["--arch", "sm_90"][..], &["--device", "emu"]] {
        let output = run(&[&[file], arguments].concat());
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).lines().last().unwrap().contains("61056     61056"), "{}", stdout(&output));
    }
}

#[test]
fn json_has_the_counts_and_nothing_else() {
    let output = run(&[FILE, "--json", "--arch", "sm_90"]);
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    let start =
        r#"{"schema":1,"forms":[{"name":"m16n8k16.f32.f16.f16.f32","matched":6144,"total":6144},{"name":"#;
    assert!(text.starts_with(start) && text.lines().count() == 1, "{text}");
    let value: Value = serde_json::from_str(&text).unwrap();
    let forms = value["forms"].as_array().unwrap();
    assert_eq!((value.as_object().unwrap().len(), forms.len()), (2, 31));
    assert!(
        forms.iter().all(|form| form.as_object().unwrap().len() == 3 && form["matched"] == form["total"])
    );
    assert_eq!(forms.iter().map(|form| form["total"].as_u64().unwrap()).sum::<u64>(), 75_264);
}

#[test]
fn one_wrong_bit_is_a_finding() {
    let mut bytes = RECORDED.to_vec();
    *bytes.last_mut().unwrap() ^= 0x80;
    let output = on(&bytes, &[]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    let text = stdout(&output);
    assert!(text.contains("2047      2048  measured"), "{text}");
    assert!(text.contains("first: tile 3, row 63, column 7: the file has "), "{text}");
    let value: Value = serde_json::from_str(&stdout(&on(&bytes, &["--json"]))).unwrap();
    assert_eq!(value["forms"][30]["matched"], 2047);
}

#[test]
fn a_form_that_is_not_computed_is_listed_and_never_matches() {
    let output = run(&[FILE, "--arch", "sm_80"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    for said in ["not computed: sm_80 has no such form", "literature", "inferred"] {
        assert!(text.contains(said), "`{said}` is missing from\n{text}");
    }
    let borrowed = stdout(&run(&[FILE, "--arch", "sm_121a"]));
    assert!(borrowed.lines().last().unwrap().ends_with("sm_121 (row sm_120)"), "{borrowed}");

    let mut bytes = RECORDED.to_vec();
    bytes[16..20].copy_from_slice(b"\x1b[7m");
    let output = on(&bytes, &[]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    assert!(text.contains("not computed: the form is not known") && !text.contains('\x1b'), "{text}");
    assert!(text.lines().last().unwrap().contains("69120     75264"), "{text}");
    let value: Value = serde_json::from_str(&stdout(&on(&bytes, &["--json"]))).unwrap();
    assert_eq!((&value["forms"][0]["matched"], &value["forms"][0]["total"]), (&0.into(), &6144.into()));
}

#[test]
fn the_emulated_instruction_is_asked_too() {
    let output = run(&[FILE, "--device", "emu", "--arch", "sm_120"]);
    let text = stdout(&output);
    assert!(text.contains("not computed: there is no kernel for `wgmma`"), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('m')).collect();
    let compares = |row: &&&str| {
        let words: Vec<&str> = row.split_whitespace().collect();
        words[1] == words[2]
    };
    assert_eq!(rows.iter().filter(compares).count(), rows.len(), "{text}");
    assert!(rows.len() > 20 && text.contains("literature"), "{text}");
    let output = run(&[FILE, "--device", "cuda:0", "--arch", "sm_90"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("has a chip of its own"), "{}", stderr(&output));
}

#[test]
fn a_bad_file_or_chip_exits_with_2_and_says_why() {
    for (output, said) in [
        (run(&[]), "<FILE>"),
        (run(&["/nonexistent/results.bin"]), "can't read /nonexistent/results.bin"),
        (run(&[FILE, "--arch", "sm_5"]), "unknown target `sm_5`"),
        (run(&[FILE, "--arch", "apple9"]), "unknown target `apple9`"),
        (on(b"", &[]), "not with `MMAG`"),
        (on(b"ELF!", &["--json"]), "not with `MMAG`"),
        (on(&RECORDED[..1000], &[]), "the file ends in its directory: 1000 bytes of 2000"),
        (on(&RECORDED[..5000], &[]), "but the file has 5000"),
        (
            on(&[RECORDED, b"x"].concat(), &[]),
            "the last tile ends at 1022160, but the file has 1022161 bytes",
        ),
    ] {
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(said), "`{said}` is missing from\n{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_file_without_forms_says_so() {
    let output = on(b"MMAG\x01\0\0\0\0\0\0\0\x01\0\0\0", &["--json"]);
    assert_eq!((code(&output), stdout(&output).trim()), (0, r#"{"schema":1,"forms":[]}"#));
    assert!(stderr(&output).contains("nothing was compared"), "{}", stderr(&output));
}
