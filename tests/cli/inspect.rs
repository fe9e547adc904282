//! `warpsmith inspect`: tables and JSON with and without tools, kernels and files, and what it refuses.

use std::process::Output;

use expect_test::expect_file;
use serde_json::Value;
use warpsmith::toolkit::Tool;

use super::folder::Folder;
use super::{code, command, stderr, stdout};

/// The command where no tool is.
fn bare(arguments: &str) -> Output {
    command(&arguments.split_whitespace().collect::<Vec<_>>()).env("PATH", "").output().unwrap()
}

fn json(output: &Output) -> Value {
    assert_eq!(code(output), 0, "{}", stderr(output));
    serde_json::from_str(&stdout(output)).unwrap()
}

fn keys(value: &Value) -> String {
    value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn tables_without_a_toolkit() {
    let output = bare("inspect vector_add");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    expect_file!["../golden/cli/inspect/vector_add.txt"].assert_eq(&stdout(&output));
    let said = stderr(&output);
    for words in ["no ptxas on PATH", "registers are estimated", "pip install", "WARPSMITH_PTXAS"] {
        assert!(said.contains(words), "`{words}` is missing from\n{said}");
    }
}

#[test]
fn a_run_by_source_lines() {
    let output = bare("inspect transpose_tiled_x4 --dtype f32 --run");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    expect_file!["../golden/cli/inspect/run.txt"].assert_eq(&stdout(&output));
}

#[test]
fn a_kernel_is_emitted_for_the_block_that_is_asked_for() {
    for block in ["64", "256"] {
        let line =
            json(&bare(&format!("inspect rms_norm --target sm_90 --dtype bf16 --block {block} --json")));
        let occupancy = &line["resources"]["occupancy"];
        assert_eq!(occupancy["block"][0].to_string(), block);
        assert!(line["subject"].as_str().unwrap().contains(&format!("cta={block}x1x1")), "{line}");
    }
}

#[test]
fn json_has_a_schema() {
    let line = json(&bare("inspect rms_norm --target sm_90 --block 256 --run --json"));
    assert_eq!(
        keys(&line),
        "schema subject entry target assembler assembler_missing assembler_failed resources mix accesses lines total intensity run"
    );
    assert_eq!(line["schema"], 1);
    assert_eq!(line["target"], "sm_90");
    assert_eq!(keys(&line["resources"]), "registers shared occupancy");
    let registers = &line["resources"]["registers"];
    assert_eq!(keys(registers), "estimate assembler spill_store_bytes spill_load_bytes stack_bytes");
    assert!(registers["estimate"].as_u64().unwrap() >= 8 && registers["assembler"].is_null());
    assert_eq!(keys(&line["resources"]["shared"]), "static_bytes dynamic_bytes reserved_bytes");
    let occupancy = &line["resources"]["occupancy"];
    assert_eq!(keys(occupancy), "block estimated upper_bound ctas warps max_warps percent limit");
    assert_eq!((&occupancy["block"][0], &occupancy["estimated"]), (&Value::from(256), &Value::from(true)));
    assert_eq!(keys(&line["accesses"][0]), "ptx_line place direction space vector bytes opcode");
    assert_eq!(keys(&line["lines"][0]), "place work intensity");
    assert_eq!(keys(&line["total"]), "instructions flops global_bytes shared_bytes");
    assert_eq!(keys(&line["run"]), "what total lines");
    let total = &line["run"]["total"];
    assert_eq!(
        keys(total),
        "place issued active flops global_bytes shared_bytes intensity sectors_per_request sector_use conflict_ways"
    );
    let sum = |field: &str| -> f64 {
        line["run"]["lines"].as_array().unwrap().iter().map(|line| line[field].as_f64().unwrap()).sum()
    };
    assert_eq!(total["flops"].as_f64().unwrap(), sum("flops"));
    assert_eq!(total["global_bytes"].as_f64().unwrap(), sum("global_bytes"));
    assert!(total["flops"].as_f64().unwrap() > 0.0);
    assert_eq!(
        line["run"]["lines"][0]["place"]["file"].as_str().map(|file| file.ends_with(".rs")),
        Some(true)
    );
}

#[test]
fn files_and_their_runs() {
    let folder = Folder::new();
    let text = folder.command("inspect scale.ptx").env("PATH", "").output().unwrap();
    assert_eq!(code(&text), 0, "{}", stderr(&text));
    expect_file!["../golden/cli/inspect/scale.txt"].assert_eq(&stdout(&text));
    let run = "inspect scale.ptx --run --grid 1 --block 4 --arg in:x.npy --arg out:f32:4:y.npy --arg f32:2.5 --arg u32:4";
    let line = json(&folder.command(&format!("{run} --json")).env("PATH", "").output().unwrap());
    assert_eq!((&line["entry"], &line["run"]["what"]), (&Value::from("scale"), &Value::from("1x1x1 CTAs")));
    assert_eq!(line["run"]["total"]["global_bytes"], 32);
    assert_eq!(line["run"]["total"]["flops"], 4.0);
    assert!(!folder.path("y.npy").exists(), "an inspection writes no file");
    let told = stderr(&folder.command(run).env("PATH", "").output().unwrap());
    assert!(told.contains("notice: inspect writes no file: `warpsmith run`"), "{told}");
    let faulty = folder.run(&run.replace("out:f32:4", "out:f32:3"));
    assert_eq!(code(&faulty), 1, "a finding");
    assert!(!stdout(&faulty).contains("emulated"), "an unsound run is not measured");
    assert!(stderr(&faulty).contains("the run is not sound"), "{}", stderr(&faulty));
}

#[test]
fn what_it_can_not_inspect_is_said() {
    let folder = Folder::new();
    folder.write("empty.ptx", b"");
    folder.write("binary.ptx", b"\x7fELF\xff");
    folder.write("none.ptx", b".version 8.0\n.target sm_90\n.address_size 64\n");
    for (arguments, said) in [
        ("inspect nosuch.ptx", "can't read nosuch.ptx"),
        ("inspect empty.ptx", "empty.ptx"),
        ("inspect binary.ptx", "binary.ptx"),
        ("inspect none.ptx", "has no entry"),
        ("inspect scale.ptx --entry nosuch", "there are scale"),
        ("inspect scale.ptx --run", "`--grid` is missing"),
        ("inspect scale.ptx --run=tail", "a file has no case"),
        ("inspect scale.ptx --dtype f32", "leave out `--dtype`"),
        ("inspect scale.ptx --block 0", "error[W1307]: a CTA has at least one thread along each axis"),
        (
            "inspect scale.ptx --block 2048,9999999999,1",
            "error[W1307]: threads of a CTA along x: 2048 is over 1024",
        ),
        ("inspect scale.ptx --block 256", "declares `.maxntid 128, 1, 1`"),
        (
            "inspect scale.ptx --shared 99999999999",
            "error[W1307]: 0 bytes of static and 99999999999 of dynamic",
        ),
        ("inspect scale.ptx --target apple9", "name an `sm_…` target"),
        ("inspect vector_add --grid 4", "leave out `--entry`"),
        ("inspect vector_add --run=nosuch", "name one with `--run=CASE`"),
        ("inspect vector_ad", "the nearest are"),
        ("inspect vector_add --class nosuch", "a class begins with a mode"),
    ] {
        let output = folder.run(arguments);
        assert_eq!(code(&output), 2, "{arguments}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments}");
        assert!(stderr(&output).contains(said), "{arguments}: `{said}` is missing from\n{}", stderr(&output));
    }
}

/// A module with dynamic shared memory, and `fixed` bytes of its own.
fn pooled(target: &str, fixed: u32) -> String {
    format!(
        ".version 8.8\n.target {target}\n.address_size 64\n.extern .shared .align 16 .b8 pool[];\n\
         .shared .align 16 .b8 tile[{fixed}];\n.visible .entry k()\n.maxntid 128, 1, 1\n{{\n.reg .b32 %r<3>;\n\
         mov.u32 %r0, pool;\nmov.u32 %r1, tile;\nst.shared.u32 [%r0], %r1;\nret;\n}}\n"
    )
}

#[test]
fn dynamic_shared_memory_that_no_option_gives_is_unknown() {
    let folder = Folder::new();
    folder.write("pool.ptx", pooled("sm_90", 1024).as_bytes());
    let run = |arguments: &str| folder.command(arguments).env("PATH", "").output().unwrap();
    let output = run("inspect pool.ptx");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    for part in
        ["1024 bytes static, dynamic unknown: `--shared BYTES`", "at most ", ", without dynamic shared"]
    {
        assert!(text.contains(part), "`{part}` is missing from\n{text}");
    }
    let said = stderr(&output);
    assert!(said.contains("notice: `k` has dynamic shared memory"), "{said}");
    let line = json(&run("inspect pool.ptx --json"));
    assert_eq!(line["resources"]["shared"]["dynamic_bytes"], Value::Null);
    assert_eq!(line["resources"]["occupancy"]["upper_bound"], true);
    let line = json(&run("inspect pool.ptx --shared 65536 --json"));
    assert_eq!(line["resources"]["shared"]["dynamic_bytes"], 65536);
    assert_eq!(line["resources"]["occupancy"]["upper_bound"], false);
    assert_eq!(line["resources"]["occupancy"]["ctas"], 3);
}

#[test]
fn a_target_that_is_not_known_is_told() {
    let folder = Folder::new();
    for (declared, limits) in [("sm_75", "sm_80"), ("sm_103", "sm_100")] {
        folder.write("other.ptx", pooled(declared, 16).as_bytes());
        let output = folder.command("inspect other.ptx --shared 0").env("PATH", "").output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let title = format!("other.ptx for {declared}, with the limits of {limits}");
        assert_eq!(stdout(&output).lines().next(), Some(&*title));
        let said = format!("notice: {declared} is not known here: the limits are those of {limits}");
        assert!(stderr(&output).contains(&said), "{}", stderr(&output));
    }
}

#[test]
fn launches_that_can_not_be_are_refused_as_a_run_refuses_them() {
    let folder = Folder::new();
    folder.write("pool.ptx", pooled("sm_80", 1024).as_bytes());
    folder.write("large.ptx", pooled("sm_80", 50_000).as_bytes());
    for arguments in ["pool.ptx --block 256", "pool.ptx --block 64 --shared 200000", "large.ptx --block 64"] {
        let inspected = folder.run(&format!("inspect {arguments}"));
        let ran = folder.run(&format!("run {arguments} --grid 1"));
        assert_eq!((code(&inspected), code(&ran)), (2, 2), "{arguments}");
        assert!(stderr(&inspected).starts_with("error[W1307]: "), "{}", stderr(&inspected));
        assert_eq!(stderr(&inspected), stderr(&ran), "{arguments}");
        assert!(inspected.stdout.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn an_assembler_that_fails_is_told_apart_from_none() {
    let with = |arguments: &[&str]| command(arguments).env("WARPSMITH_PTXAS", "/bin/true").output().unwrap();
    let output = with(&["inspect", "vector_add"]);
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(stdout(&output).contains("unknown: ptxas failed"), "{}", stdout(&output));
    let said = stderr(&output);
    assert!(said.contains("error[W1202]: /bin/true (by WARPSMITH_PTXAS) is no ptxas: "), "{said}");
    assert!(said.contains("let WARPSMITH_PTXAS name") && !said.contains("TMPDIR"), "{said}");
    let line: Value = serde_json::from_str(&stdout(&with(&["inspect", "vector_add", "--json"]))).unwrap();
    assert_eq!(line["assembler_missing"], Value::Null);
    assert!(line["assembler_failed"].as_str().unwrap().contains("is no ptxas"), "{line}");
}

#[test]
fn the_assembler_is_asked_where_it_is() {
    let Ok(ptxas) = Tool::Ptxas.find() else { return eprintln!("skipped: no ptxas") };
    let run = |arguments: &[&str]| command(arguments).env("WARPSMITH_PTXAS", &ptxas.path).output().unwrap();
    let line = json(&run(&["inspect", "rms_norm", "--json"]));
    let registers = &line["resources"]["registers"];
    assert!(registers["assembler"].as_u64().unwrap() >= 8, "{registers}");
    assert_eq!(
        (&registers["spill_load_bytes"], &registers["stack_bytes"]),
        (&Value::from(0), &Value::from(0))
    );
    assert_eq!(line["resources"]["occupancy"]["estimated"], false);
    assert!(line["assembler"].as_str().unwrap().contains("release"));
    let folder = Folder::new();
    let output = folder.command("inspect scale.ptx").env("WARPSMITH_PTXAS", &ptxas.path).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("ptxas release"), "{}", stdout(&output));
}
