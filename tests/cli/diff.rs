//! `warpsmith diff`: texts, a kernel for two targets, results.

use expect_test::expect_file;
use serde_json::Value;

use super::folder::Folder;
use super::{code, run, stderr, stdout};

#[test]
fn names_of_registers_do_not_count() {
    let folder = Folder::new();
    let text = include_str!("../data/ptx/scale.ptx");
    folder.write(
        "renamed.ptx",
        text.replace("%r2", "%index")
            .replace(".reg .b32 %r<5>;", ".reg .b32 %r<5>, %index;")
            .replace("$done", "end")
            .as_bytes(),
    );
    let output = folder.run("diff scale.ptx renamed.ptx");
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "equal\n"), "{}", stderr(&output));
    assert_eq!(code(&folder.run("diff scale.ptx renamed.ptx --verbatim")), 1);
    folder.write("other.ptx", text.replace("mul.f32", "add.f32").as_bytes());
    expect_file!["../golden/cli/diff/text.txt"]
        .assert_eq(&folder.transcript("diff scale.ptx other.ptx --context 1"));
    let line: Value = serde_json::from_str(&stdout(&folder.run("diff scale.ptx other.ptx --json"))).unwrap();
    let keys: Vec<_> = line.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys.join(" "), "schema kind a b equal added removed diff");
    assert_eq!((&line["added"], &line["removed"], &line["equal"]), (&1.into(), &1.into(), &false.into()));
}

#[test]
fn a_kernel_is_compared_for_two_targets() {
    let output = run(&["diff", "vector_add", "--targets", "sm_80,sm_120"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let text = stdout(&output);
    for said in ["-.target sm_80", "+.target sm_120", "vector_add<f32> for sm_80"] {
        assert!(text.contains(said), "`{said}` is missing from\n{text}");
    }
    let output = run(&["diff", "vector_add", "--targets", "sm_90,sm_90"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "equal\n"));
}

#[test]
fn results_are_counted_by_distance() {
    let folder = Folder::new();
    let next = f32::from_bits(1.0_f32.to_bits() + 3);
    folder.floats("a.npy", &[1.0, 0.0, f32::NAN, 5.0, 2.0, f32::INFINITY]);
    folder.floats("b.npy", &[next, -0.0, f32::NAN, f32::NAN, 2.0, 1e30]);
    expect_file!["../golden/cli/diff/results.txt"].assert_eq(&folder.transcript("diff a.npy b.npy"));
    let line: Value = serde_json::from_str(&stdout(&folder.run("diff a.npy b.npy --json"))).unwrap();
    expect_file!["../golden/cli/diff/results.json"].assert_eq(&serde_json::to_string_pretty(&line).unwrap());
    let output = folder.run("diff a.npy a.npy");
    assert_eq!(
        (code(&output), stdout(&output).as_str()),
        (0, "a.npy and a.npy are equal (6 elements of f32)\n")
    );
    folder.array("h.npy", "<u2", "(1, 2)", &[0x80, 0x3f, 0, 0]);
    folder.array("i.npy", "<u2", "(1, 2)", &[0x80, 0x3f, 1, 0]);
    let text = stdout(&folder.run("diff h.npy i.npy --as bf16"));
    assert!(text.contains("(0, 1) 0x0000 0x0001  0.0 9.183549615799121e-41  1 ulp"), "{text}");
}

#[test]
fn who_wrote_an_element_is_shown() {
    let folder = Folder::new();
    let run = |scale: &str, file: &str| {
        let command = format!(
            "run scale.ptx --grid 2 --block 2 --arg in:x.npy --arg out:f32:4:{file} --arg f32:{scale} --arg u32:4 --who"
        );
        assert_eq!(code(&folder.run(&command)), 0);
    };
    std::fs::create_dir(folder.path("one")).unwrap();
    std::fs::create_dir(folder.path("two")).unwrap();
    run("2", "one/y.npy");
    run("3", "two/y.npy");
    run("3", "two/only.npy");
    expect_file!["../golden/cli/diff/folders.txt"].assert_eq(&folder.transcript("diff one two --first 3"));
}

#[test]
fn what_can_not_be_compared_is_a_difference_or_refused() {
    let folder = Folder::new();
    folder.floats("short.npy", &[1.0]);
    folder.array("int.npy", "<i4", "(4,)", &[0; 16]);
    folder.array("fortran.npy", ">f4", "(4,)", &[0; 16]);
    std::fs::create_dir(folder.path("none")).unwrap();
    for (command, exit, said) in [
        ("diff x.npy short.npy", 1, "can't be compared: the shape (4,) against (1,)"),
        ("diff x.npy int.npy", 1, "can't be compared: elements of `<f4` against elements of `<i4`"),
        ("diff x.npy fortran.npy", 2, "fortran.npy: big-endian elements (`>f4`)"),
        ("diff x.npy x.npy --as bf16", 2, "`bf16` has 2 bytes, the elements `<f4` have 4"),
        ("diff x.npy none.npy", 2, "can't read none.npy"),
        ("diff x.npy scale.ptx", 2, "are not of one kind"),
        ("diff none none", 2, "neither none nor none holds a `.npy` file"),
        ("diff scale.ptx", 2, "scale.ptx alone has nothing to differ from"),
        ("diff scale.ptx none.ptx", 2, "can't read none.ptx"),
        ("diff scale.ptx x.npy.ptx", 2, "can't read x.npy.ptx"),
        ("diff vector_add --targets sm_80", 2, "two targets are compared"),
        ("diff vector_add vector_add --targets sm_80,sm_90", 2, "compares one kernel with itself"),
        ("diff mma_scaled_tile_m16n8k64_mxf4nvf4x4 --targets sm_90,sm_121", 2, "target is sm_90"),
        ("diff vector_add rms_norm", 2, "`vector_add` is a kernel, not a file"),
        ("diff scale.ptx rms_norm", 2, "two texts are compared as files: `warpsmith dump rms_norm > a.ptx`"),
        ("diff rms_norm x.npy", 2, "`warpsmith diff rms_norm --targets sm_80,sm_120`"),
        ("diff vector_ad_ --targets sm_80,sm_90", 2, "vector_ad_"),
        ("diff x.npy none_at_all", 2, "can't read none_at_all: no such file or folder"),
        ("diff scale.ptx scale.ptx --as bf16 --first 3", 2, "`--as` and `--first` go with results only"),
        ("diff x.npy x.npy --verbatim", 2, "`--verbatim` goes with texts only"),
        ("diff none none --context 1", 2, "`--context` goes with texts only"),
        ("diff x.npy x.npy --dtype f32", 2, "`--dtype` goes with the kernel of `--targets` only"),
        ("diff vector_add --targets sm_80,sm_90 --as f32", 2, "`--as` goes with results only"),
    ] {
        let output = folder.run(command);
        assert_eq!(code(&output), exit, "{command}: {}{}", stdout(&output), stderr(&output));
        let text = stdout(&output) + &stderr(&output);
        assert!(text.contains(said), "{command}: {text}");
    }
}
