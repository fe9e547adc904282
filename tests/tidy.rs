//! What lints can't hold: heads of files, their length, leftovers.

#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test itself may")]

use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

fn all(extension: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    files(root, extension, &mut found);
    assert!(!found.is_empty());
    let named = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), text)
    };
    found.into_iter().map(named).collect()
}

fn report(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    let wrong = all("rs").into_iter().filter(|(path, text)| {
        // What a user would write carries no head: it is shown as it is.
        !path.starts_with("tests/ui/") && !text.starts_with("//!") && !text.starts_with("#!/")
    });
    report(wrong.map(|(path, _)| format!("{path} does not begin with `//!`")).collect());
}

#[test]
fn no_file_is_over_600_lines() {
    let long = all("rs").into_iter().filter(|(_, text)| text.lines().count() > 600);
    report(long.map(|(path, text)| format!("{path} has {} lines", text.lines().count())).collect());
}

#[test]
fn no_leftovers() {
    // Written in two pieces, so that this file does not find itself.
    let words =
        [concat!("dbg", "!("), concat!("todo", "!("), concat!("unimplemented", "!("), concat!("TO", "DO")];
    let mut wrong = Vec::new();
    for (path, text) in all("rs") {
        for (index, line) in text.lines().enumerate() {
            wrong.extend(
                words
                    .iter()
                    .filter(|word| line.contains(**word))
                    .map(|word| format!("{path}:{}: `{word}`", index + 1)),
            );
        }
    }
    report(wrong);
}

#[test]
fn the_guides_name_paths_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for (guide, text) in all("md") {
        for piece in text.split('`').skip(1).step_by(2) {
            let is_path = ["src/", "tests/", "docs/", "macros/", "benches/", "examples/", "scripts/"]
                .iter()
                .any(|folder| piece.starts_with(folder));
            let plain = piece.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.".contains(c));
            if is_path && plain && !root.join(piece).exists() {
                wrong.push(format!("{guide} names `{piece}`"));
            }
        }
    }
    report(wrong);
}
