//! `warpsmith sanitize`: every finding once, in every schedule.

use expect_test::expect_file;
use serde_json::Value;

use super::folder::Folder;
use super::{code, run, stderr, stdout};

/// Each thread leaves its number in shared memory and reads its neighbour's without a barrier; the second warp's stores to
/// `out` reach beyond it.
const FAULTY: &str = ".version 7.8
.target sm_80
.address_size 64
.file 1 \"faulty.cu\"
.visible .entry faulty(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, tile;
    shl.b32 %r3, %r1, 2;
    add.u32 %r2, %r2, %r3;
    .loc 1 4 1
    st.shared.u32 [%r2], %r1;
    xor.b32 %r2, %r2, 128;
    .loc 1 5 1
    ld.shared.u32 %r4, [%r2];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    .loc 1 6 1
    st.global.u32 [%rd3], %r4;
    ret;
}
";

const FILE: &str = "sanitize faulty.ptx --grid 1 --block 64 --arg out:u32:48:y.npy --schedules 2";

#[test]
fn a_file_shows_each_finding_once() {
    let folder = Folder::new();
    folder.write("faulty.ptx", FAULTY.as_bytes());
    expect_file!["../golden/cli/sanitize/file.txt"].assert_eq(&folder.transcript(FILE));
    assert!(!folder.path("y.npy").exists(), "nothing is written");
    let text = stdout(&folder.run(&format!("{FILE} --json")));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, findings) = lines.split_last().unwrap();
    assert!(lines.iter().all(|line| line["schema"] == 1));
    assert_eq!(summary["summary"]["findings"], findings.len());
    let mut sites: Vec<_> = findings
        .iter()
        .map(|line| (line["finding"]["kind"].to_string(), line["finding"]["line"].as_u64()))
        .collect();
    sites.sort();
    sites.dedup();
    assert_eq!(sites.len(), findings.len(), "each site stands once: {text}");
    let line: Vec<_> = findings.iter().map(|line| &line["finding"]["source"]["line"]).collect();
    assert!(line.contains(&&Value::from(5)) && line.contains(&&Value::from(6)), "{text}");
}

#[test]
fn a_sound_file_has_none() {
    let folder = Folder::new();
    let barrier = FAULTY.replace("    xor.b32", "    bar.sync 0;\n    xor.b32");
    folder.write("faulty.ptx", barrier.as_bytes());
    let output = folder.run(&FILE.replace("u32:48", "u32:64"));
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert_eq!(stdout(&output), "0 findings in 3 launches of 1 case\n");
}

#[test]
fn warnings_stand_once_and_are_no_findings() {
    let folder = Folder::new();
    folder.floats("y.npy", &[1.0; 4]);
    let command =
        "sanitize scale.ptx --grid 1 --block 4 --arg in:x.npy --arg in:y.npy --arg f32:2 --arg u32:4";
    let output = folder.run(command);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "0 findings in 5 launches of 1 case\n"));
    assert_eq!(stderr(&output).matches("bytes of `y`").count(), 1, "{}", stderr(&output));
    let text = stdout(&folder.run(&format!("{command} --json")));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[1]["summary"]["warnings"]), (2, &Value::from(1)), "{text}");
    assert_eq!(lines[0]["warning"]["kind"], "dropped-stores");
}

#[test]
fn kernels_run_their_cases() {
    let output = run(&["sanitize", "vector_add", "--dtype", "f32", "--schedules", "1"]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("0 findings in "), "{text}");
    let output = run(&["sanitize", "vector_add", "--schedules", "0", "--json"]);
    let line: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let summary = line["summary"].as_object().unwrap();
    assert_eq!(
        summary.keys().cloned().collect::<Vec<_>>().join(" "),
        "findings warnings launches cases unsupported errors"
    );
    assert!(summary["cases"].as_u64().unwrap() > 0);
    assert_eq!(summary["cases"], summary["launches"]);
}

#[test]
fn refusals_say_what_to_do() {
    let folder = Folder::new();
    for (command, said) in [
        ("sanitize vector_ad_", "no case or kernel matches `vector_ad_`"),
        ("sanitize vector_add --grid 1", "`--grid` goes with a PTX file"),
        ("sanitize vector_add --block 1 --arg u32:1", "`--block` and `--arg` go with a PTX file"),
        (
            "sanitize scale.ptx --dtype f32 --seed 1",
            "`--dtype` and `--seed` choose among the cases of kernels",
        ),
        (
            "sanitize scale.ptx --size gpu",
            "`--size` chooses among the cases of kernels, which a PTX file has none of",
        ),
        ("sanitize scale.ptx scale.ptx", "a file is looked at alone"),
        ("sanitize none.ptx --grid 1 --block 1", "can't read none.ptx"),
        ("sanitize scale.ptx", "`--grid` is missing"),
        ("sanitize scale.ptx --grid 1 --block 1", "`scale` takes 4 arguments, not 0"),
        ("sanitize vector_add --target apple9", "name an `sm_…` target"),
    ] {
        let output = folder.run(command);
        assert_eq!(code(&output), 2, "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{command}: {}", stderr(&output));
    }
}
