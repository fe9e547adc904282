//! The command as a user meets it: exit codes, what goes to which stream, and the JSON that scripts read.

#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test itself may")]

#[path = "cli/diff.rs"]
mod diff;
#[path = "cli/doctor.rs"]
mod doctor;
#[path = "cli/dump.rs"]
mod dump;
#[path = "cli/folder.rs"]
mod folder;
#[path = "cli/inspect.rs"]
mod inspect;
#[path = "cli/layout.rs"]
mod layout;
#[path = "cli/run_file.rs"]
mod run_file;
#[path = "cli/sanitize.rs"]
mod sanitize;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// The command without the variables of whoever runs the tests.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsmith"));
    for variable in ["DEVICE", "TARGET", "SCHEDULE", "PTXAS", "NVDISASM", "LIBCUDA"] {
        command.env_remove(format!("WARPSMITH_{variable}"));
    }
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
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

/// A driver library that is none, so that machines with a GPU give what machines without one do.
const NO_DRIVER: &str = "/nonexistent/libcuda.so";

#[test]
fn usage_errors_exit_with_2_and_say_what_to_do() {
    for (arguments, said) in [
        (&["frobnicate"][..], "unrecognized subcommand"),
        (&["test", "--device", "tpu"], "devices are"),
        (&["test", "--device", "cuda:x"], "GPUs are numbered from 0"),
        (&["test", "--device", "cuda:-1"], "GPUs are numbered from 0"),
        (&["test", "--device", "emu", "--shard", "3/2"], "write k/n"),
        (&["test", "--device", "emu", "vector_ad_"], "no case or kernel matches `vector_ad_`"),
        (&["list", "vector_ad_", "nosuch"], "matches `vector_ad_` or `nosuch`"),
        (&["mutate", "nosuch"], "`warpsmith list` shows"),
        (&["build", "nosuch", "-o", "nosuch"], "no case or kernel matches `nosuch`"),
        (&["build", "vector_add", "-o", "Cargo.toml"], "give a folder that can be written"),
        (&["mutate", "vector_add", "--survivors", "some"], "write a number, or `all`"),
        (&["test", "--dtype", "f31"], "the dtypes are"),
        (&["test", "--schedule", "random"], "schedules are"),
        (&["dump", "vector_add", "--target", "sm_5"], "sm_"),
        (&["dump", "vector_add", "--dump-after", "inline"], "the passes are specialise"),
        (&["dump", "vector_ad"], "the nearest are"),
        (&["mutate", "--operator", "x"], "the operators are"),
        (&["dump", "vector_add", "--emit", "msl", "--target", "sm_90"], "does not take"),
    ] {
        let output = run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{arguments:?} writes no data");
    }
}

#[test]
fn an_absent_gpu_exits_with_3() {
    let output =
        command(&["test", "--device", "cuda:0"]).env("WARPSMITH_LIBCUDA", NO_DRIVER).output().unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("no device `cuda:0`"), "{}", stderr(&output));
}

#[test]
fn without_a_gpu_the_emulator_runs_and_says_so() {
    let output = command(&["test", "vector_add"]).env("WARPSMITH_LIBCUDA", NO_DRIVER).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(stderr(&output).contains("notice: no GPU here"), "{}", stderr(&output));
}

#[test]
fn a_flag_beats_a_variable() {
    let with = |arguments: &[&str]| command(arguments).env("WARPSMITH_DEVICE", "cuda:9999").output().unwrap();
    assert_eq!(code(&with(&["test", "vector_add"])), 3);
    assert_eq!(code(&with(&["test", "vector_add", "--device", "emu"])), 0);
}

#[test]
fn the_last_line_of_test_counts() {
    let output = run(&["test", "vector_add", "--device", "emu"]);
    let text = stdout(&output);
    let last = text.lines().last().unwrap();
    let numbers: Vec<u32> =
        last.split(", ").map(|part| part.split(' ').next().unwrap().parse().unwrap()).collect();
    assert_eq!(last, format!("{} passed, {} failed, {} skipped", numbers[0], numbers[1], numbers[2]));
    assert!(numbers[0] > 0 && numbers[1] == 0, "{last}");
    assert!(text.contains("dearest cases:"), "{text}");
}

#[test]
fn json_is_one_object_a_case_and_a_summary() {
    let output = run(&["test", "vector_add", "--device", "emu", "--json"]);
    let lines: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, cases) = lines.split_last().unwrap();
    assert!(!cases.is_empty());
    assert!(cases.iter().all(|case| case["verdict"] == "PASS" && case["schema"] == 1));
    let keys: Vec<_> = summary["summary"].as_object().unwrap().keys().cloned().collect();
    let wanted = "cases pass mismatch unsupported error guard guard_failed bit_equal device wall_s";
    assert_eq!(keys.join(" "), wanted);
    assert_eq!(summary.as_object().unwrap().len(), 2);
    let counts = &summary["summary"];
    let guards = cases.iter().filter(|case| case["guard"] == true).count() as u64;
    assert_eq!(counts["cases"].as_u64().unwrap() + guards, cases.len() as u64);
    assert_eq!(counts["bit_equal"], counts["pass"]);
}

#[test]
fn shards_part_the_cases() {
    let cases = |shard: &str| {
        let output = run(&["test", "--device", "emu", "--json", "--shard", shard, "vector_add"]);
        let lines = stdout(&output).lines().count();
        lines - 1
    };
    assert_eq!(cases("1/2") + cases("2/2"), cases("1/1"));
}

#[test]
fn options_that_leave_no_case_of_a_kernel_are_no_usage_error() {
    for options in [&["--shard", "9999/9999"][..], &["--shape", "no such shape"]] {
        let output = run(&[&["test", "vector_add", "--device", "emu"], options].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stderr(&output).contains("notice: the options leave no case"), "{}", stderr(&output));
    }
}

#[test]
fn flags_are_read_before_a_device_is_looked_for() {
    for arguments in [&["test", "--shard", "3/2"][..], &["test", "vector_ad_"]] {
        let output = command(arguments).env("WARPSMITH_LIBCUDA", NO_DRIVER).output().unwrap();
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(!stderr(&output).contains("no GPU here"), "{}", stderr(&output));
    }
}

#[test]
fn an_adversarial_schedule_gives_the_same_bits() {
    let output = run(&["test", "vector_add", "--device", "emu", "--schedule", "adversarial:7"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).contains("adversarial schedule 7"), "{}", stdout(&output));
}

#[test]
fn list_shows_a_kernel_a_line() {
    let output = run(&["list"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).lines().any(|line| line.contains("::vector_add ") && line.contains("f32")));
    let rows = stdout(&run(&["list", "--json", "vector_add"]));
    let row: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert!(row["cases"].as_u64().unwrap() > 0, "{row}");
}

#[test]
fn dump_shows_text_and_intermediate_representation() {
    let ptx = stdout(&run(&["dump", "vector_add", "--target", "sm_90"]));
    assert!(ptx.contains(".target sm_90") && ptx.contains(".visible .entry"), "{ptx}");
    assert_eq!(ptx, stdout(&run(&["dump", "vector_add", "--target", "sm_90"])), "it is deterministic");
    let half = stdout(&run(&["dump", "vector_add", "--dtype", "f16"]));
    assert!(half.contains("vector_add__f16"), "{half}");
    let ir = stdout(&run(&["dump", "vector_add", "--ir"]));
    assert!(ir.contains("program_id.x"), "{ir}");
    let bound = stdout(&run(&["dump", "vector_add", "--dump-after", "specialise"]));
    assert!(bound.contains("global_id.x") && !bound.contains("program_id"), "{bound}");
}

#[test]
fn build_writes_files_and_a_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    for (target, extension) in [("sm_121", "ptx"), ("apple9", "metal")] {
        let output = run(&["build", "vector_add", "--target", target, "-o", path]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let text = std::fs::read_to_string(Path::new(path).join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&manifest["schema"], &manifest["target"]), (&Value::from(1), &Value::from(target)));
        let kernels = manifest["kernels"].as_array().unwrap();
        assert!(!kernels.is_empty());
        for kernel in kernels {
            let file = kernel["file"].as_str().unwrap();
            assert!(file.ends_with(extension), "{file}");
            let text = std::fs::read_to_string(Path::new(path).join(file)).unwrap();
            assert!(text.contains(kernel["entry"].as_str().unwrap()), "{file} lacks its entry");
            let names: Vec<_> =
                kernel["parameters"].as_array().unwrap().iter().map(|p| &p["parameter"]).collect();
            assert_eq!(names[..3], ["a", "b", "c"], "buffers come in source order");
            for parameter in kernel["parameters"].as_array().unwrap() {
                let is_buffer = parameter["kind"] == "buffer";
                let written = is_buffer.then(|| Value::from(parameter["parameter"] == "c"));
                assert_eq!(parameter.get("written"), written.as_ref(), "{parameter}");
            }
        }
    }
    let output = run(&["build", "-o", "/dev/null/x"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("give a folder that can be written"), "{}", stderr(&output));
}

#[test]
fn mutants_of_a_kernel_are_killed() {
    let output = run(&["mutate", "vector_add", "--most", "4", "--survivors", "1"]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    for operator in ["rounding", "offset", "predicate", "barrier", "operand", "all"] {
        assert!(text.lines().any(|line| line.starts_with(operator)), "{operator} is missing from\n{text}");
    }
    let barrier = text.lines().find(|line| line.starts_with("barrier")).unwrap();
    let words: Vec<_> = barrier.split_whitespace().collect();
    assert_eq!(words, ["barrier", "0", "mutants", "0", "killed", "-"], "none has no rate");
    let all: Vec<_> = text.lines().last().unwrap().split_whitespace().collect();
    let lived = all[1].parse::<usize>().unwrap() - all[3].parse::<usize>().unwrap();
    let shown = text.lines().filter(|line| line.starts_with("survived: ")).count();
    let more = format!("… and {} more (--survivors all)", lived.saturating_sub(1));
    assert_eq!((shown, text.lines().any(|line| line == more)), (lived.min(1), lived > 1), "{text}");
    let unreachable = run(&["mutate", "vector_add", "--most", "1", "--goal", "101"]);
    assert_eq!(code(&unreachable), 1, "a goal that is not reached is a finding");
}

#[test]
fn targets_lists_every_target() {
    let text = stdout(&run(&["targets"]));
    for target in ["sm_80", "sm_121a", "apple9"] {
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(target)), "{text}");
    }
    let rows = stdout(&run(&["targets", "--json"]));
    assert!(rows.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn doctor_works_on_a_bare_machine() {
    let output = command(&["doctor"])
        .env("WARPSMITH_LIBCUDA", NO_DRIVER)
        .env("WARPSMITH_PTXAS", "/nonexistent/ptxas")
        .env("PATH", "")
        .output()
        .unwrap();
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    for said in ["no CUDA driver library", NO_DRIVER, "which is no file", "WARPSMITH_LIBCUDA", "(variable)"] {
        assert!(text.contains(said), "`{said}` is missing from\n{text}");
    }
}
