//! `scripts/gpu-box` against stand-ins for ssh, rsync and cargo: what is synced, what runs, and which code comes back.
//!
//! The stand-in of ssh runs its command in a folder that stands for the home folder of the other machine.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test itself may")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SSH: &str = r#"#!/bin/sh
printf 'ssh %s\n' "$1" >> "$LOG"
[ "$1" = unreachable ] && exit 255
shift
cd "$REMOTE" && HOME=$REMOTE exec sh -c "$*"
"#;

/// Copies one file, which is enough to see where the tree would go.
const RSYNC: &str = r#"#!/bin/sh
printf 'rsync %s\n' "$*" >> "$LOG"
while [ $# -gt 2 ]; do shift; done
[ -e "$REMOTE/refuses" ] && exit 23
cp "$1/Cargo.toml" "$REMOTE/${2#*:}"
"#;

const CARGO: &str = r#"#!/bin/sh
printf 'in %s, REQUIRE_GPU=%s\n' "${PWD#"$HOME"/}" "$WARPSMITH_REQUIRE_GPU"
for argument; do printf '<%s>\n' "$argument"; done
exit "${CARGO_CODE:-0}"
"#;

/// A local machine with programs in `bin`, and a remote one.
struct Machines(tempfile::TempDir);

impl Machines {
    fn new() -> Self {
        let machines = Self(tempfile::tempdir().unwrap());
        for folder in ["bin", "remote/.cargo/bin"] {
            fs::create_dir_all(machines.path(folder)).unwrap();
        }
        for tool in ["sh", "sed", "dirname", "cat", "ls", "mkdir", "cp"] {
            let folders = std::env::var_os("PATH").unwrap();
            let found =
                std::env::split_paths(&folders).map(|folder| folder.join(tool)).find(|path| path.exists());
            symlink(found.unwrap(), machines.path("bin").join(tool)).unwrap();
        }
        machines.install("bin/ssh", SSH);
        machines.install("bin/rsync", RSYNC);
        machines.install("remote/.cargo/bin/cargo", CARGO);
        machines
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn install(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/gpu-box");
        let mut command = Command::new(self.path("bin/sh"));
        command.arg(script).args(arguments).env_clear();
        command.env("PATH", self.path("bin")).env("REMOTE", self.path("remote")).env("LOG", self.path("log"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_tests_of_the_gpu_run_by_default() {
    let machines = Machines::new();
    let (code, out, err) = said(&machines.run(&["box"]));
    assert_eq!(
        (code, out.as_str()),
        (0, "in warpsmith, REQUIRE_GPU=1\n<test>\n<--features>\n<cuda>\n"),
        "{err}"
    );
    assert!(machines.path("remote/warpsmith/Cargo.toml").exists(), "the tree is there");
    let log = machines.log();
    for part in ["--exclude=/target/", "--exclude=/.git", "--delete", "box:warpsmith/"] {
        assert!(log.contains(part), "{part} is missing from\n{log}");
    }
    assert_eq!(said(&machines.run(&["box"])).0, 0, "the folder is known the next time");
}

#[test]
fn arguments_arrive_as_they_were_given() {
    let machines = Machines::new();
    let odd = ["test", "two words", "it's", "$HOME `ls` \"x\" \\", "*", "", "a\nb", "-x"];
    let mut arguments = vec!["user@box"];
    arguments.extend(odd);
    let output = machines.command(&arguments).env("WARPSMITH_REQUIRE_GPU", "0").output().unwrap();
    let wanted: String = odd.iter().map(|argument| format!("<{argument}>\n")).collect();
    assert_eq!(said(&output).1, format!("in warpsmith, REQUIRE_GPU=0\n{wanted}"));
}

#[test]
fn the_exit_code_is_that_of_cargo() {
    let machines = Machines::new();
    for code in ["1", "101"] {
        let output = machines.command(&["box", "test"]).env("CARGO_CODE", code).output().unwrap();
        assert_eq!(said(&output).0.to_string(), code);
    }
}

#[test]
fn the_folder_is_named_and_guarded() {
    let machines = Machines::new();
    let at = |folder: &str| said(&machines.command(&["box"]).env("GPU_BOX_DIR", folder).output().unwrap());
    assert!(at("work/tree").1.starts_with("in work/tree,"));
    for wrong in ["/", ".", "..", "a/../..", "~", "with space", "$HOME", "-x"] {
        let (code, _, err) = at(wrong);
        assert_eq!((code, err.starts_with("gpu-box: GPU_BOX_DIR can't be")), (2, true), "{wrong}: {err}");
    }
    fs::create_dir(machines.path("remote/precious")).unwrap();
    fs::write(machines.path("remote/precious/file"), "").unwrap();
    let (code, _, err) = at("precious");
    assert_eq!((code, err.contains("holds something else")), (2, true), "{err}");
    assert!(!machines.log().contains("precious/"), "nothing was synced there");
}

#[test]
fn what_is_missing_is_said() {
    let machines = Machines::new();
    let (code, out, err) = said(&machines.run(&[]));
    assert_eq!((code, out.as_str(), err.starts_with("usage: ")), (2, "", true));
    let (code, out, err) = said(&machines.run(&["--help"]));
    assert_eq!((code, out.starts_with("usage: "), err.as_str()), (0, true, ""));
    assert_eq!(said(&machines.run(&["--verbose"])).0, 2);
    let (code, _, err) = said(&machines.run(&["unreachable"]));
    assert_eq!((code, err.as_str()), (255, "gpu-box: ssh can't reach unreachable\n"));
    fs::write(machines.path("remote/refuses"), "").unwrap();
    let (code, _, err) = said(&machines.run(&["box"]));
    assert_eq!((code, err.starts_with("gpu-box: rsync to box failed")), (4, true), "{err}");
    fs::remove_file(machines.path("remote/refuses")).unwrap();
    fs::remove_file(machines.path("remote/.cargo/bin/cargo")).unwrap();
    let (code, _, err) = said(&machines.run(&["box"]));
    assert_eq!((code, err.contains("no cargo on the other side")), (4, true), "{err}");
    for program in ["rsync", "ssh"] {
        fs::remove_file(machines.path("bin").join(program)).unwrap();
        let (code, _, err) = said(&machines.run(&["box"]));
        assert_eq!((code, err.contains(&format!("there is no `{program}` here"))), (4, true), "{err}");
    }
}
