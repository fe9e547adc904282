//! `warpsmith run`: what it writes, what it says, and what it refuses.

use expect_test::expect_file;
use serde_json::Value;

use super::folder::Folder;
use super::{code, stderr, stdout};

const SCALE: &str =
    "run scale.ptx --grid 1 --block 4 --arg in:x.npy --arg out:f32:4:y.npy --arg f32:2.5 --arg u32:4";

#[test]
fn results_are_written() {
    let folder = Folder::new();
    let text = folder.transcript(&format!("{SCALE} --who"));
    expect_file!["../golden/cli/run/scale.txt"].assert_eq(&text);
    assert_eq!(folder.read_floats("y.npy"), [2.5, 5.0, 7.5, 10.0]);
    assert_eq!(folder.read_floats("x.npy"), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn json_is_one_object() {
    let folder = Folder::new();
    let output = folder.run(&format!("{SCALE} --json"));
    let line: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let keys: Vec<_> = line.as_object().unwrap().keys().map(String::as_str).collect();
    let wanted = "schema entry device grid block stats findings overruns warnings outputs";
    assert_eq!((keys.join(" ").as_str(), &line["schema"]), (wanted, &Value::from(1)));
    expect_file!["../golden/cli/run/scale.json"].assert_eq(&serde_json::to_string_pretty(&line).unwrap());
}

#[test]
fn findings_name_both_lines_and_nothing_is_written() {
    let folder = Folder::new();
    folder.write("y.npy", b"as it was");
    let faulty = SCALE.replace("out:f32:4", "out:f32:3");
    expect_file!["../golden/cli/run/finding.txt"].assert_eq(&folder.transcript(&faulty));
    assert_eq!(std::fs::read(folder.path("y.npy")).unwrap(), b"as it was");
    let line: Value = serde_json::from_str(&stdout(&folder.run(&format!("{faulty} --json")))).unwrap();
    expect_file!["../golden/cli/run/finding.json"].assert_eq(&serde_json::to_string_pretty(&line).unwrap());
}

#[test]
fn warnings_stop_nothing() {
    let folder = Folder::new();
    let text =
        include_str!("../data/ptx/scale.ptx").replace("mul.f32 %f3, %f2, %f1", "mul.f32 %f3, %f2, %f0");
    folder.write("slip.ptx", text.as_bytes());
    folder.floats("y.npy", &[1.0; 4]);
    let slip = SCALE.replace("scale.ptx", "slip.ptx").replace("out:f32:4:y.npy", "in:y.npy");
    expect_file!["../golden/cli/run/warnings.txt"].assert_eq(&folder.transcript(&slip));
    let line: Value = serde_json::from_str(&stdout(&folder.run(&format!("{slip} --json")))).unwrap();
    expect_file!["../golden/cli/run/warnings.json"]
        .assert_eq(&serde_json::to_string_pretty(&line["warnings"]).unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_can_not_be_written_is_an_error_of_the_system() {
    let folder = Folder::new();
    let full = || std::fs::File::create("/dev/full").unwrap();
    for command in
        [SCALE, "list vector_add", "--help", "explain W0601", "diff scale.ptx scale.ptx", "targets --json"]
    {
        let output = folder.command(command).stdout(full()).output().unwrap();
        assert_eq!(code(&output), 4, "{command}: {}", stderr(&output));
        let said = "error[W1102]: can't write to standard output: no space is left\n";
        assert_eq!(stderr(&output), said, "{command}");
    }
    // Nobody can be told, but the code stays what it is.
    for (command, wanted) in [("run none.ptx --grid 1 --block 1", 2), ("run", 2), (SCALE, 0)] {
        let output = folder.command(command).stderr(full()).output().unwrap();
        assert_eq!(code(&output), wanted, "{command}");
    }
}

#[test]
fn the_sanitizer_can_be_left_out() {
    let folder = Folder::new();
    // `y` is read, but nothing has written it.
    let swapped = "run scale.ptx --grid 1 --block 4 --arg out:f32:4:y.npy --arg out:f32:4:z.npy --arg f32:2 --arg u32:4";
    assert_eq!(code(&folder.run(swapped)), 1);
    let output = folder.run(&format!("{swapped} --no-sanitize"));
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert_eq!(folder.read_floats("z.npy"), [0.0; 4]);
    assert!(stdout(&output).contains("4 elements of it never written and 0"), "{}", stdout(&output));
}

#[test]
fn half_floats_are_raw_bits() {
    let folder = Folder::new();
    let text = include_str!("../data/ptx/scale.ptx")
        .replace(".param .f32 a", ".param .b16 a")
        .replace(
            "ld.param.f32 %f1, [a];",
            ".reg .b16 %h;\n    ld.param.b16 %h, [a];\n    cvt.f32.f16 %f1, %h;",
        )
        .replace("%r2, 4;", "%r2, 2;")
        .replace("ld.global.f32 %f2, [%rd4];", "ld.global.b16 %h, [%rd4];\n    cvt.f32.f16 %f2, %h;")
        .replace("st.global.f32 [%rd5], %f3;", "cvt.rn.f16.f32 %h, %f3;\n    st.global.b16 [%rd5], %h;");
    folder.write("half.ptx", text.as_bytes());
    folder.array("h.npy", "<u2", "(2,)", &[0x00, 0x3c, 0x00, 0x40]);
    let output = folder.run(
        "run half.ptx --grid 1 --block 2 --arg in:h.npy --arg out:f16:2:y.npy --arg f16:1.5 --arg u32:2 --target sm_90",
    );
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let file = std::fs::read(folder.path("y.npy")).unwrap();
    assert!(String::from_utf8_lossy(&file[..60]).contains("'descr': '<u2'"));
    assert_eq!(file[file.len() - 4..], [0x00, 0x3e, 0x00, 0x42]);
}

#[test]
fn every_refusal_says_what_to_do() {
    let folder = Folder::new();
    folder.write("empty.ptx", b"");
    folder.write("binary.ptx", b"\x7fELF\xff");
    folder.write("text.ptx", b"hello\n");
    folder.write("bad.npy", b"hello");
    folder.array("big.npy", ">f4", "(1,)", &[0; 4]);
    let arguments = "--grid 1 --block 4 --arg in:x.npy --arg out:f32:4:y.npy --arg f32:2 --arg u32:4";
    let mut transcript = String::new();
    for command in [
        "run none.ptx --grid 1 --block 4".to_owned(),
        "run vector_add --grid 1 --block 4".to_owned(),
        "run empty.ptx --grid 1 --block 4".to_owned(),
        "run binary.ptx --grid 1 --block 4".to_owned(),
        "run text.ptx --grid 1 --block 4".to_owned(),
        "run scale.ptx --block 4".to_owned(),
        "run scale.ptx --grid 1".to_owned(),
        "run scale.ptx --grid 1 --block 4".to_owned(),
        format!("run scale.ptx --entry other {arguments}"),
        format!("run scale.ptx {}", arguments.replace("x.npy", "bad.npy")),
        format!("run scale.ptx {}", arguments.replace("x.npy", "big.npy")),
        format!("run scale.ptx {}", arguments.replace("f32:2", "f64:2")),
        format!("run scale.ptx {}", arguments.replace("f32:2", "u32:2")),
        format!("run scale.ptx {}", arguments.replace("--grid 1", "--grid 4294967295")),
        format!("run scale.ptx {}", arguments.replace("--grid 1", "--grid 99999999999999999999")),
        format!("run scale.ptx {}", arguments.replace("--grid 1", "--grid 1,65536")),
        format!("run scale.ptx {}", arguments.replace("--block 4", "--block 2000")),
        format!("run scale.ptx {}", arguments.replace("--block 4", "--block 0")),
        format!("run scale.ptx {}", arguments.replace("--block 4", "--block 256")),
        format!("run scale.ptx {arguments} --shared 200000"),
        format!("run scale.ptx {arguments} --device cuda:0 --who"),
        format!("run scale.ptx {arguments} --device cuda:0 --no-sanitize"),
        format!("run scale.ptx {arguments} --device cuda:0 --schedule adversarial"),
        format!("run scale.ptx {arguments} --device emu:sm_90 --target sm_120"),
        format!("run scale.ptx {}", arguments.replace("out:f32:4", "out:f32:4294967296")),
        format!("run scale.ptx {}", arguments.replace("y.npy", "none/y.npy")),
        format!("run scale.ptx {arguments} --target apple9"),
    ] {
        let output = folder.run(&command);
        assert_eq!(code(&output), 2, "{command}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{command} writes no data");
        assert!(stderr(&output).contains("help:"), "{command}: {}", stderr(&output));
        transcript.push_str(&folder.transcript(&command));
    }
    assert!(!folder.path("y.npy").exists());
    expect_file!["../golden/cli/run/refusals.txt"].assert_eq(&transcript);
}

#[test]
fn arguments_that_are_none_are_refused_by_the_option() {
    let folder = Folder::new();
    for (argument, said) in [
        ("x.npy", "arguments are `in:FILE.npy`"),
        ("out:f33:4:y.npy", "types are bool, i8"),
        ("u8:256", "`256` is outside of `u8`, which holds 0 to 255"),
        ("s32:3e9", "`s32` holds is -2147483648 to 2147483647"),
        ("f16:70000", "write `inf` where infinity is meant; `b16:0x…` passes bits"),
    ] {
        let output = folder.run(&format!("run scale.ptx --grid 1 --block 1 --arg {argument}"));
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(said), "{argument}: {}", stderr(&output));
    }
    for grid in ["1,2,3,4", "x", "-1", "-1,1,1"] {
        let output = folder.run(&format!("run scale.ptx --block 1 --grid {grid}"));
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains("as in `4,1,1`"), "{grid}: {}", stderr(&output));
    }
    for shared in ["-1", "1G", "48K"] {
        let output = folder.run(&format!("{SCALE} --shared {shared}"));
        assert_eq!(code(&output), 2);
        let said = "no target has more than 232448 for a CTA";
        assert!(stderr(&output).contains(said), "{shared}: {}", stderr(&output));
    }
}

#[test]
fn a_hang_ends_after_the_steps_that_are_given() {
    let folder = Folder::new();
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry spin() {\n.reg .u32 %r;\n";
    let body = ".reg .pred %p;\nmov.u32 %r, 0;\n$top:\nadd.u32 %r, %r, 1;\nsetp.lt.u32 %p, %r, 100;\n@%p bra $top;\nret;\n}\n";
    folder.write("spin.ptx", format!("{head}{body}").as_bytes());
    for verb in ["run", "sanitize"] {
        let command = format!("{verb} spin.ptx --grid 1 --block 1");
        assert_eq!(code(&folder.run(&command)), 0);
        let output = folder.run(&format!("{command} --steps 50"));
        let said = "no end after 50 instructions of one CTA";
        assert!(code(&output) == 1 && stdout(&output).contains(said), "{}", stdout(&output));
        assert_eq!(code(&folder.run(&format!("{command} --steps 0"))), 2);
    }
    let output = folder.run("sanitize vector_add --steps 50");
    assert!(stderr(&output).contains("`--steps` goes with a PTX file"), "{}", stderr(&output));
}

#[test]
fn an_empty_grid_does_nothing_and_succeeds() {
    let folder = Folder::new();
    let output = folder.run(&SCALE.replace("--grid 1", "--grid 0,1,1"));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(folder.read_floats("y.npy"), [0.0; 4]);
    folder.floats("x.npy", &[]);
    let none = SCALE.replace("out:f32:4", "out:f32:0").replace("u32:4", "u32:0");
    assert_eq!(code(&folder.run(&none)), 0);
    assert_eq!(folder.read_floats("y.npy"), [0.0; 0]);
}

#[test]
fn without_a_driver_a_gpu_is_no_device() {
    let folder = Folder::new();
    let output = folder.run(&format!("{SCALE} --device cuda:0"));
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("without a GPU, use the emulator"), "{}", stderr(&output));
    // A variable names the device where the flag doesn't.
    let output = folder.command(SCALE).env("WARPSMITH_DEVICE", "cuda:0").output().unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
}
