//! `warpsmith doctor`, and `warpsmith.toml`, whose settings it shows, as a user meets them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{NO_DRIVER, code, command, run, stderr, stdout};

/// `doctor --json` on a machine with nothing on it, in a folder.
fn examined(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Value {
    let mut all = vec!["doctor", "--json"];
    all.extend(arguments);
    let mut command = command(&all);
    command.current_dir(folder).env("PATH", "").env("HOME", "/nonexistent").env_remove("UPDATE_EXPECT");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn setting<'v>(examined: &'v Value, key: &str) -> (&'v str, &'v str) {
    let settings = examined["settings"].as_array().unwrap();
    let found = settings.iter().find(|setting| setting["key"] == key).unwrap();
    (found["value"].as_str().unwrap(), found["origin"].as_str().unwrap())
}

#[test]
fn a_bare_machine_is_told_how_to_get_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let examined = examined(folder.path(), &[], &[("WARPSMITH_LIBCUDA", NO_DRIVER)]);
    assert_eq!((&examined["schema"], &examined["driver"]["ok"]), (&Value::from(1), &Value::from(false)));
    assert_eq!(examined["driver"]["code"], "W0901");
    assert!(examined["driver"]["tried"][0].as_str().unwrap().contains(NO_DRIVER));
    let tools: Vec<_> = examined["tools"].as_array().unwrap().iter().map(|tool| &tool["tool"]).collect();
    assert_eq!(tools, ["ptxas", "nvdisasm"]);
    for tool in examined["tools"].as_array().unwrap() {
        assert_eq!((&tool["path"], &tool["code"]), (&Value::Null, &Value::from("W1201")), "{tool}");
        assert!(tool["help"].as_str().unwrap().contains("pip install"), "{tool}");
    }
    assert_eq!(setting(&examined, "libcuda"), (NO_DRIVER, "variable"));
    assert_eq!(setting(&examined, "device").1, "default");
    assert_eq!(examined["settings_file"], Value::Null);
}

#[test]
fn a_flag_goes_before_a_variable_and_that_before_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("warpsmith.toml");
    fs::write(&file, "target = \"sm_80\"\nschedule = \"adversarial:3\"\nptxas = \"tools/ptxas\"\n").unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    let below = folder.path().join("below");
    let at = |line: u32| format!("{}:{line}", file.display());
    let plain = examined(&below, &[], &[]);
    assert_eq!(setting(&plain, "target"), ("sm_80", &*at(1)));
    assert_eq!(setting(&plain, "schedule"), ("adversarial:3", &*at(2)));
    let error = plain["tools"][0]["error"].as_str().unwrap();
    assert!(error.starts_with("warpsmith.toml names ") && error.contains("tools/ptxas"), "{error}");
    let variable = examined(&below, &[], &[("WARPSMITH_TARGET", "sm_89")]);
    assert_eq!(setting(&variable, "target"), ("sm_89", "variable"));
    let flag = examined(&below, &["--target", "sm_90"], &[("WARPSMITH_TARGET", "sm_89")]);
    assert_eq!(setting(&flag, "target"), ("sm_90", "flag"));
    let empty = examined(&below, &[], &[("WARPSMITH_TARGET", "")]);
    assert_eq!(setting(&empty, "target"), ("sm_80", &*at(1)), "an empty variable is an unset one");
}

#[test]
fn commands_take_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let dump = |variables: &[(&str, &str)]| {
        let mut command = command(&["dump", "vector_add"]);
        let output = command.current_dir(folder.path()).envs(variables.iter().copied()).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let text = stdout(&output);
        text.lines().find(|line| line.starts_with(".target")).unwrap().to_owned()
    };
    fs::create_dir(folder.path().join(".git")).unwrap();
    assert_eq!(dump(&[]), ".target sm_121");
    fs::write(folder.path().join("warpsmith.toml"), "target = \"sm_80\"\n").unwrap();
    assert_eq!(dump(&[]), ".target sm_80");
    assert_eq!(dump(&[("WARPSMITH_TARGET", "sm_90")]), ".target sm_90");
}

#[test]
fn a_file_with_mistakes_is_refused_where_it_counts() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("warpsmith.toml"), "device = \"emu\"\ntraget = \"sm_80\"\n").unwrap();
    let at = |arguments: &[&str]| command(arguments).current_dir(folder.path()).output().unwrap();
    let output = at(&["list", "vector_add"]);
    assert_eq!((code(&output), stdout(&output)), (2, String::new()));
    let said = stderr(&output);
    for part in ["error[W1107]: there is no setting `traget`", "warpsmith.toml:2:1", "did you mean `target`?"]
    {
        assert!(said.contains(part), "`{part}` is missing from\n{said}");
    }
    let output = at(&["doctor"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("there is no setting `traget`"), "{}", stdout(&output));
    assert_eq!(code(&at(&["explain", "W1107"])), 0);
    fs::write(folder.path().join("warpsmith.toml"), [0xff, 0xfe, 0x00]).unwrap();
    let output = at(&["list", "vector_add"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

#[test]
fn a_variable_without_a_meaning_is_named_and_doctor_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str], variable: &str, value: &str| {
        command(arguments).current_dir(folder.path()).env(variable, value).output().unwrap()
    };
    for (arguments, variable) in [
        (&["dump", "vector_add"][..], "WARPSMITH_TARGET"),
        (&["test", "vector_add"], "WARPSMITH_DEVICE"),
        (&["test", "vector_add"], "WARPSMITH_SCHEDULE"),
    ] {
        let output = at(arguments, variable, "f\u{1b}oo");
        assert_eq!((code(&output), stdout(&output)), (2, String::new()));
        let said = stderr(&output);
        assert!(said.starts_with(&format!("error[W1110]: {variable} is `f\\u{{1b}}oo`: ")), "{said}");
        assert!(said.contains(&format!("correct or unset {variable}, or give `--")), "{said}");
    }
    let output = at(&["dump", "vector_add", "--target", "sm_90"], "WARPSMITH_TARGET", "foo");
    assert_eq!(code(&output), 0, "the flag goes before it: {}", stderr(&output));
    let output = at(&["dump", "vector_add"], "WARPSMITH_TARGET", "sm_80,sm_90");
    assert_eq!(code(&output), 0, "what takes a list takes one from a variable: {}", stderr(&output));
    assert_eq!(code(&at(&["layout"], "WARPSMITH_TARGET", "foo")), 0, "it asks for none");
    let output = at(&["doctor"], "WARPSMITH_TARGET", "foo");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("[W1110] WARPSMITH_TARGET means nothing: unknown target `foo`"));
    let examined =
        examined(folder.path(), &[], &[("WARPSMITH_TARGET", "foo"), ("WARPSMITH_TRAGET", "sm_80")]);
    assert_eq!(setting(&examined, "target"), ("foo", "variable"));
    let target = examined["settings"].as_array().unwrap().iter().find(|row| row["key"] == "target").unwrap();
    assert!(target["error"].as_str().unwrap().contains("unknown target `foo`"), "{target}");
    assert_eq!(examined["settings"][0]["error"], Value::Null);
    let unknown = &examined["unknown_variables"][0];
    assert_eq!(
        (&unknown["variable"], &unknown["near"][0]),
        (&"WARPSMITH_TRAGET".into(), &"WARPSMITH_TARGET".into())
    );
}

#[test]
fn the_target_that_holds_is_shown_with_where_it_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let plain = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = command(&[&["doctor"], arguments].concat());
        let output = command.current_dir(folder.path()).envs(variables.iter().copied()).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    let shown = |arguments: &[&str], variables: &[(&str, &str)], line: &str| {
        let text = plain(arguments, variables);
        assert!(text.lines().any(|shown| shown.starts_with(line)), "`{line}` is missing from\n{text}");
    };
    fs::create_dir(folder.path().join(".git")).unwrap();
    shown(&[], &[], "text for   sm_121 (default), unless `--target` says otherwise");
    shown(&[], &[("WARPSMITH_TARGET", "sm_90")], "text for   sm_90 (variable), unless");
    shown(&["--target", "sm_80"], &[("WARPSMITH_TARGET", "sm_90")], "text for   sm_80 (flag), unless");
    shown(&[], &[("WARPSMITH_TARGET", "foo")], "text for   nothing until WARPSMITH_TARGET is corrected");
    shown(&[], &[("WARPSMITH_TARGET", "sm_80,sm_90")], "text for   sm_80,sm_90 (variable), unless");
    let list = plain(&[], &[("WARPSMITH_TARGET", "sm_80,sm_90")]);
    assert!(list.contains("[W1110] WARPSMITH_TARGET is a list: only `dump` takes one"), "{list}");
    assert!(!list.contains("means nothing"), "{list}");
    let both = plain(&["--device", "cuda:0", "--target", "sm_80"], &[]);
    assert!(
        both.contains("may refuse these settings: a GPU has its own target; leave out `--target`"),
        "{both}"
    );
    fs::write(folder.path().join("warpsmith.toml"), "target = \"sm_90\"\n").unwrap();
    let examined = examined(folder.path(), &[], &[]);
    assert_eq!(examined["default_target"], "sm_90");
    assert_eq!(examined["contradiction"], Value::Null);
    let output = command(&["dump", "axpy", "--emit", "msl"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    for part in
        ["sm_90 does not take msl; the target is that of ", "warpsmith.toml:1", "as `--target apple9`"]
    {
        assert!(said.contains(part), "`{part}` is missing from\n{said}");
    }
}

#[test]
fn a_settings_file_that_is_none_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| command(arguments).current_dir(folder.path()).output().unwrap();
    let file = folder.path().join("warpsmith.toml");
    fs::create_dir(&file).unwrap();
    let output = at(&["list", "vector_add"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("error[W1107]: can't read ") && stderr(&output).contains("warpsmith.toml")
    );
    let output = at(&["doctor"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("can't read "), "{}", stdout(&output));
    fs::remove_dir(&file).unwrap();
    fs::write(&file, "target = \"sm_5\"\n").unwrap();
    let output = at(&["dump", "vector_add"]);
    assert_eq!(code(&output), 2);
    for said in ["`target`: unknown target `sm_5`", "warpsmith.toml:1:10"] {
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn codes_are_explained() {
    let output = run(&["explain", "W0601"]);
    let text = stdout(&output);
    assert_eq!(code(&output), 0);
    assert!(
        text.starts_with("W0601: an access outside every allocation\n") && text.contains("- Mend: "),
        "{text}"
    );
    for form in ["w601", "601", "error[W0601]", "error[W0601]: out of bounds"] {
        assert_eq!(stdout(&run(&["explain", form])), text, "{form}");
    }
    let all = stdout(&run(&["explain"]));
    assert!(all.lines().count() > 150 && all.contains("  W0601 an access"), "{all}");
    let rows = stdout(&run(&["explain", "--json"]));
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        assert!(row["text"].as_str().unwrap().contains("- Mend: "), "{row}");
    }
    let output = run(&["explain", "W0660"]);
    assert_eq!((code(&output), stdout(&output)), (2, String::new()));
    assert!(stderr(&output).contains("error[W1108]: there is no error code `W0660`"), "{}", stderr(&output));
    assert!(stderr(&output).contains("did you mean `W"), "{}", stderr(&output));
}

#[test]
fn completions_are_written_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completions", shell]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).contains("mma-check"), "{shell}");
    }
    assert_eq!(code(&run(&["completions", "csh"])), 2);
    let Ok(bash) = std::process::Command::new("bash").arg("--version").output() else { return };
    assert!(bash.status.success());
    let script = "source <(cat); COMP_WORDS=(warpsmith explain W060); COMP_CWORD=2; _warpsmith warpsmith W060 explain; \
                  printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut child = std::process::Command::new("bash");
    child.args(["-c", script]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = child.spawn().unwrap();
    let text = run(&["completions", "bash"]).stdout;
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &text).unwrap();
    let said = stdout(&child.wait_with_output().unwrap());
    assert!(said.lines().any(|line| line == "W0601"), "bash completes codes: {said}");
}
