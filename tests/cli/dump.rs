//! `warpsmith dump`: each switch on a small kernel, what does not go together, and forms that have to stay right.

use std::fs;
use std::process::Command;

use expect_test::{ExpectFile, expect_file};
use serde_json::Value;
use warpsmith::corpus::{Config, Verdict, locate, run_case, run_case_edited};
use warpsmith::ptx::module::{canonical, parse};
use warpsmith::ptx::regalloc::coloured;
use warpsmith::runtime::{Device, EmuSettings};
use warpsmith::toolkit::Tool;

use super::{code, command, run, stderr, stdout};

/// Runs `dump` with these arguments, which have to be fine.
fn dump(arguments: &str) -> String {
    let output = run(&[&["dump"][..], &arguments.split(' ').collect::<Vec<_>>()].concat());
    assert_eq!(code(&output), 0, "{arguments}: {}", stderr(&output));
    stdout(&output)
}

fn keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The same without the line that names the version.
fn golden(arguments: &str, wanted: &ExpectFile) {
    let text = dump(arguments);
    let kept = text.lines().filter(|line| !line.starts_with("// warpsmith "));
    wanted.assert_eq(&kept.flat_map(|line| [line, "\n"]).collect::<String>());
}

#[test]
fn the_passes_are_shown() {
    golden("vector_add --dump-all", &expect_file!["../golden/cli/dump/passes.diff"]);
    golden("vector_add --dump-all=whole --emit lowered", &expect_file!["../golden/cli/dump/passes.ir"]);
    let between = dump("vector_add --dump-before fold --dump-after specialise,dce");
    let headers: Vec<_> = between.lines().filter(|line| line.starts_with(';')).collect();
    assert_eq!(headers, ["; ==== ir after specialise", "; ==== ir before fold", "; ==== ir after dce"]);
    let [one, two, _] = between.split("; ==== ").skip(1).collect::<Vec<_>>()[..] else { panic!("{between}") };
    let text = |section: &str| section.split_once('\n').map(|(_, text)| text.trim_end().to_owned());
    assert_eq!(text(one), text(two), "what comes after one pass comes before the next");
    assert_eq!(dump("vector_add --ir"), dump("vector_add --dump-before specialise"));
}

#[test]
fn comments_say_as_much_as_asked_for() {
    golden("rms_norm --comments none", &expect_file!["../golden/cli/dump/none.ptx"]);
    golden("rms_norm --comments source", &expect_file!["../golden/cli/dump/source.ptx"]);
    golden("vector_add --comments full", &expect_file!["../golden/cli/dump/full.ptx"]);
    let full = dump("gemm_64x64 --dtype f16,f32,f32 --comments full");
    assert!(full.is_ascii(), "the assembler takes nothing else");
    // Comments change nothing else.
    let texts = ["none", "values", "source", "full"].map(|how| dump(&format!("rms_norm --comments {how}")));
    let plain = texts.map(|text| canonical(&parse(&text).unwrap()).print());
    assert!(plain.iter().all(|text| *text == plain[0]));
}

#[test]
fn the_page_on_dumps_shows_one() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reading-ptx.md")).unwrap();
    let (_, rest) = page.split_once("```ptx\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let text = dump("rms_norm --comments full");
    assert!(example.len() > 200 && text.contains(example), "put this into the page:\n{text}");
}

#[test]
fn forms_of_ptx() {
    golden("vector_add --canonical", &expect_file!["../golden/cli/dump/canonical.ptx"]);
    golden("rms_norm --coloured", &expect_file!["../golden/cli/dump/coloured.ptx"]);
    let text = dump("rms_norm --canonical");
    assert_eq!(text, canonical(&parse(&text).unwrap()).print(), "it is a form of its own");
}

#[test]
fn several_at_once_have_headers_and_one_alone_has_none() {
    let both = dump("vector_add --target sm_80,sm_121,apple9 --emit ir,ptx,msl");
    let headers: Vec<_> = both.lines().filter(|line| line.contains(" ==== ")).collect();
    let wanted =
        ["; ==== ir as written", "// ==== ptx for sm_80", "// ==== ptx for sm_121", "// ==== msl for apple9"];
    assert_eq!(headers, wanted);
    let one = dump("vector_add --target sm_80");
    assert!(one.starts_with("// warpsmith::kernels::") && both.contains(&one));
}

#[test]
fn files_hold_what_the_terminal_shows() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/er");
    let shown = dump(&format!(
        "vector_add --target sm_80,apple9 --emit ir,ptx,msl --dump-all --out {}",
        out.display()
    ));
    let mut names: Vec<_> =
        shown.lines().map(|line| line.strip_prefix(out.to_str().unwrap()).unwrap().to_owned()).collect();
    for line in shown.lines() {
        assert!(fs::metadata(line).is_ok(), "{line}");
    }
    let entry = "warpsmith__kernels__elementwise__kernel__vector_add__f32";
    let text = fs::read_to_string(out.join(format!("{entry}.sm_80.ptx"))).unwrap();
    assert_eq!(text, dump("vector_add --target sm_80"));
    names.sort();
    names.dedup();
    let ends = ["apple9.metal", "diff-dce.ir", "diff-fold.ir", "diff-specialise.ir", "ir", "sm_80.ptx"];
    let wanted: Vec<_> =
        ends.iter().map(|end| format!("{}{entry}.{end}", std::path::MAIN_SEPARATOR)).collect();
    assert_eq!(names, wanted);
}

#[test]
fn json_is_one_object_a_section() {
    let rows = dump("vector_add --dump-all --emit ptx --target sm_90 --json");
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys: Vec<_> = rows[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys.join(" "), "schema kernel class stage pass changed target tools file text missing");
    let stages: Vec<_> = rows.iter().map(|row| (row["stage"].as_str(), row["pass"].as_str())).collect();
    let diff = |pass| (Some("diff"), Some(pass));
    let ptx = (Some("ptx"), None);
    assert_eq!(stages, [(Some("ir"), None), diff("specialise"), diff("fold"), diff("dce"), ptx]);
    assert!(rows.iter().all(|row| row["schema"] == 1 && row["kernel"].as_str().unwrap().ends_with("<f32>")));
    assert_eq!((&rows[1]["changed"], &rows[4]["target"]), (&Value::from(true), &Value::from("sm_90")));
    assert_eq!(rows[4]["text"].as_str().unwrap(), dump("vector_add --target sm_90"));
}

#[test]
fn what_does_not_go_together_is_refused_in_words() {
    for (arguments, said) in [
        ("vector_add --emit sass --target apple9", "does not take sass"),
        ("vector_add --emit ptx --target sm_90,apple9", "apple9 does not take ptx"),
        ("vector_add --canonical --emit ir", "`--canonical` is a form of PTX"),
        ("vector_add --coloured --target apple9", "`--coloured` is a form of PTX"),
        ("vector_add --canonical --coloured", "cannot be used with"),
        ("vector_add --emit cubin", "possible values: ir, lowered, ptx, msl, sass"),
        ("vector_add --dump-before inline", "the passes are specialise, fold, dce"),
        ("vector_add --target sm_5,sm_90", "sm_5"),
        ("vector_add --dump-all=some", "possible values: diff, whole"),
        ("vector_add --out Cargo.toml", "give a folder that can be written"),
        ("vector_add --dtype u64", "there are "),
    ] {
        let output = run(&[&["dump"][..], &arguments.split(' ').collect::<Vec<_>>()].concat());
        assert_eq!(code(&output), 2, "{arguments}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{arguments}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn a_target_that_lacks_something_does_not_hide_the_others() {
    let arguments = ["dump", "mma_scaled_tile_m16n8k64_mxf4nvf4x4", "--target", "sm_90,sm_121"];
    let output = run(&arguments);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("no ptx for sm_90: block-scaled mma needs"), "{}", stderr(&output));
    assert!(stdout(&output).contains(".target sm_121f"), "{}", stdout(&output));
}

#[test]
fn a_section_that_can_not_be_made_leaves_its_place_to_the_reason() {
    let kernel = "mma_scaled_tile_m16n8k64_mxf4nvf4x4";
    let bare = |arguments: &str| {
        let arguments: Vec<_> = ["dump", kernel].into_iter().chain(arguments.split(' ')).collect();
        command(&arguments).env("PATH", "").output().unwrap()
    };
    let several = "--emit ir,ptx,msl,sass --target sm_90,sm_121,apple9";
    let output = bare(several);
    assert_eq!(code(&output), 3, "the highest code of the reasons: {}", stderr(&output));
    let text = stdout(&output);
    let headers: Vec<_> = text.lines().filter(|line| line.contains(" ==== ")).collect();
    let wanted = [
        "; ==== ir as written",
        "// ==== ptx for sm_90: missing",
        "// ==== sass for sm_90: missing",
        "// ==== ptx for sm_121",
        "// ==== sass for sm_121: missing",
        "// ==== msl for apple9: missing",
    ];
    assert_eq!(headers, wanted);
    assert!(text.contains("// error[W0403]: block-scaled mma needs"), "{text}");
    assert!(text.contains("; target is apple9"), "{text}");
    for said in [
        "no ptx for sm_90: ",
        "no sass for sm_121: no ptxas on PATH",
        "no nvdisasm on PATH",
        "no msl for apple9: ",
    ] {
        assert!(stderr(&output).contains(said), "`{said}` is missing from\n{}", stderr(&output));
    }
    let rows = stdout(&bare(&format!("{several} --json")));
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of: Vec<_> =
        rows.iter().map(|row| (row["text"].is_string(), row["missing"]["code"].as_str())).collect();
    let (lacks, no_tool) = ((false, Some("W0403")), (false, Some("W1201")));
    assert_eq!(of[..5], [(true, None), lacks, lacks, (true, None), no_tool]);
    assert!(rows[5]["missing"]["message"].as_str().unwrap().ends_with("target is apple9"), "{}", rows[5]);
    assert_eq!(keys(&rows[5]["missing"]), "code message help");
    let folder = tempfile::tempdir().unwrap();
    let output = bare(&format!("{several} --out {}", folder.path().display()));
    assert_eq!((code(&output), stdout(&output).lines().count()), (3, 2), "{}", stdout(&output));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no file of what is missing");
    let output = bare("--emit msl --dump-all");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stdout(&output).contains("==== msl for apple9: missing"), "{}", stdout(&output));
}

#[test]
fn without_the_toolkit_machine_code_says_how_to_get_it() {
    let bare = |arguments: &[&str], set: &dyn Fn(&mut Command)| {
        let mut command = command(arguments);
        command.env("PATH", "");
        set(&mut command);
        command.output().unwrap()
    };
    let output = bare(&["dump", "vector_add", "--emit", "ptx,sass"], &|_| ());
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stdout(&output).starts_with("// ==== ptx for sm_121\n"), "{}", stdout(&output));
    for said in [
        "no ptxas on PATH",
        "no nvdisasm on PATH",
        "pip install --target DIR 'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-nvdisasm==13.2.*'",
        "WARPSMITH_PTXAS=DIR/",
        "WARPSMITH_NVDISASM=DIR/",
    ] {
        assert!(stderr(&output).contains(said), "`{said}` is missing from\n{}", stderr(&output));
    }
    let output = bare(&["dump", "vector_add", "--emit", "sass"], &|command| {
        command.env("WARPSMITH_PTXAS", "/nonexistent/ptxas");
    });
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("which is no file"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn another_program_under_the_name_of_a_tool_makes_no_machine_code() {
    for (ptxas, nvdisasm, named) in [("/bin/ls", "/bin/ls", "ptxas"), ("/bin/false", "/bin/true", "ptxas")] {
        let mut command = command(&["dump", "vector_add", "--emit", "sass"]);
        let output =
            command.env("WARPSMITH_PTXAS", ptxas).env("WARPSMITH_NVDISASM", nvdisasm).output().unwrap();
        assert_eq!((code(&output), stdout(&output)), (4, String::new()), "{}", stderr(&output));
        let variable = format!("WARPSMITH_{}", named.to_uppercase());
        let said = format!("error[W1202]: {ptxas} (by {variable}) is no {named}: ");
        assert!(stderr(&output).starts_with(&said), "{}", stderr(&output));
    }
}

/// Whether both tools are here; says which is not.
fn has_tools() -> bool {
    let missing = Tool::ALL.into_iter().find_map(|tool| tool.find().err());
    if let Some(missing) = &missing {
        eprintln!("skipped: {missing}");
    }
    missing.is_none()
}

/// A dump with the tools of whoever runs the tests.
fn dump_with_tools(arguments: &str) -> String {
    let mut command = command(&[&["dump"][..], &arguments.split(' ').collect::<Vec<_>>()].concat());
    for tool in Tool::ALL {
        command.env(tool.variable(), tool.find().unwrap().path);
    }
    let output = command.output().unwrap();
    assert_eq!(code(&output), 0, "{arguments}: {}", stderr(&output));
    stdout(&output)
}

#[test]
fn machine_code_names_its_makers_and_its_lines() {
    if !has_tools() {
        return;
    }
    let text = dump_with_tools("rms_norm --emit sass --target sm_90 --comments full");
    let head: Vec<_> = text.lines().take(3).collect();
    assert!(head[0].starts_with("// warpsmith::kernels::norm::kernel::rms_norm<f32> for sm_90"), "{text}");
    assert!(head[1].starts_with("// ptxas release ") && head[1].contains("; nvdisasm release "), "{text}");
    assert_eq!(head[2], "warpsmith__kernels__norm__kernel__rms_norm__f32:");
    assert!(text.contains(" EXIT ;") && !text.contains(".section"), "{text}");
    let lines: Vec<_> = text.lines().filter_map(|line| line.trim().strip_prefix("// src/")).collect();
    assert!(
        lines.len() > 3 && lines.iter().all(|line| line.starts_with("kernels/norm/kernel.rs:")),
        "{text}"
    );
    // The text of the line stands beside its number, and the loop's load is at the line that says so.
    let loads = text.lines().scan("", |place, line| {
        *place = if line.contains("// src/") { line } else { *place };
        Some((*place, line))
    });
    let mut loads = loads.filter(|(_, line)| line.contains("LDG"));
    assert!(loads.all(|(place, _)| place.contains("x[") || place.contains("gain[")), "{text}");
    let bare = dump_with_tools("rms_norm --emit sass --target sm_90 --comments none");
    assert!(!bare.contains("// src/"), "{bare}");
    let several = dump_with_tools("vector_add --emit ptx,sass --target sm_80,sm_121 --json");
    let rows: Vec<Value> = several.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stages: Vec<_> = rows.iter().map(|row| (&row["stage"], &row["target"])).collect();
    assert_eq!(stages[3], (&Value::from("sass"), &Value::from("sm_121")));
    let tools: Vec<_> = rows[1]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(tools, ["ptxas", "nvdisasm"]);
}

#[test]
fn places_are_paths_within_the_repository() {
    for kernel in ["vector_add", "rms_norm", "gemm_64x64"] {
        let found = locate(kernel).unwrap();
        for instance in &found.instances {
            for (_, path) in instance.kernel.sources.iter() {
                assert!(path.starts_with("src/kernels/"), "{path} is a path of this machine");
            }
        }
    }
}

#[test]
fn coloured_text_computes_the_same_bits() {
    let device = Device::emulator(EmuSettings::default());
    let kernels = [
        "vector_add",
        "rms_norm",
        "row_softmax_online",
        "warp_sum",
        "sort_warps",
        "parted_break",
        "nested_exits",
        "gcd",
        "histogram",
        "transpose_tiled_x4",
        "math_sin",
        "mma_k_loop_m16n8k32",
    ];
    for kernel in kernels {
        for instance in &locate(kernel).unwrap().instances {
            for case in instance.cases.iter().take(2) {
                let plain = run_case(case, &device, &Config::default());
                let edited = run_case_edited(case, &device, &Config::default(), &|emitted| {
                    let mut module = parse(&emitted.text).unwrap();
                    let before = module.entries[0].regs.iter().count();
                    module.entries[0] = coloured(&module.entries[0]);
                    assert_eq!(module.check(), Ok(()));
                    assert!(module.entries[0].regs.iter().count() < before, "places are shared");
                    emitted.text = module.print();
                });
                assert_eq!(edited.verdict, plain.verdict, "{}: {}", edited.id, edited.detail);
                assert!(matches!(edited.verdict, Verdict::Pass | Verdict::Unsupported), "{}", edited.detail);
            }
        }
    }
}
