//! Runs `tests/filetests/**/*.ir`: one text, many witnesses.
//!
//! A file begins with `; test <subtest> [arguments]` lines and settings (`; class reduction cta=32x1x1`, `; target
//! sm_90`), then holds one kernel. `; error: <message>` under a line pins an error to it; what stands under `; output:`
//! is compared with what a subtest prints. `UPDATE_EXPECT=1 cargo test --test filetests` rewrites both. A new subtest
//! is one file in `tests/subtests` and one line in its table.

#[path = "support/assembler.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod assembler;
mod subtests;

use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};
use subtests::{Found, SUBTESTS};

/// A file, taken apart.
pub(crate) struct File {
    /// Its path below the repository's root.
    pub(crate) name: String,
    /// Everything above `; output:` but the `; error:` lines: numbers of lines count without those, so that writing
    /// them does not change what they say.
    pub(crate) source: String,
    /// `; key value` lines of the head, in order.
    pub(crate) head: Vec<(String, String)>,
    errors: Vec<(usize, String)>,
    output: Option<String>,
}

const OUTPUT: &str = "; output:";
const ERROR: &str = "; error:";

impl File {
    fn read(path: &Path, name: String) -> Result<Self, Failed> {
        let text = fs::read_to_string(path)?;
        let (source, output) = match text.split_once(&format!("{OUTPUT}\n")) {
            Some((source, output)) => (source, Some(output.to_owned())),
            None => (text.as_str(), None),
        };
        let mut errors = Vec::new();
        let mut head = Vec::new();
        let mut kept = String::new();
        for line in source.lines() {
            if let Some(message) = line.trim().strip_prefix(ERROR) {
                errors.push((kept.lines().count(), message.trim().to_owned()));
                continue;
            }
            if let Some(comment) = line.strip_prefix("; ") {
                let (key, value) = comment.split_once(' ').unwrap_or((comment, ""));
                head.push((key.to_owned(), value.trim().to_owned()));
            }
            kept.push_str(line);
            kept.push('\n');
        }
        Ok(Self { name, source: kept, head, errors, output })
    }

    /// The value of a setting.
    pub(crate) fn setting(&self, key: &str) -> Option<&str> {
        self.head.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }

    /// The file's text with these expectations in place of its own.
    fn with(&self, found: &Found) -> String {
        let mut text = String::new();
        for (index, line) in self.source.lines().enumerate() {
            text.push_str(line);
            text.push('\n');
            let indent = &line[..line.len() - line.trim_start().len()];
            for (_, message) in found.errors.iter().filter(|(at, _)| *at == index + 1) {
                text.push_str(&format!("{indent}{ERROR} {message}\n"));
            }
        }
        if let Some(output) = &found.output {
            text.push_str(&format!("{OUTPUT}\n{output}"));
        }
        text
    }
}

fn run(path: &Path, name: String, subtest: &str, arguments: &str) -> Result<(), Failed> {
    let file = File::read(path, name)?;
    let known = SUBTESTS.iter().find(|(known, _)| *known == subtest);
    let Some((_, run)) = known else {
        let names: Vec<_> = SUBTESTS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no subtest is named `{subtest}`; there are: {}", names.join(", ")).into());
    };
    let mut found = run(&file, arguments)?;
    found.errors.sort_by_key(|(line, _)| *line);
    let matches = found.errors == file.errors && (found.output.is_none() || found.output == file.output);
    if matches {
        return Ok(());
    }
    if env::var_os("UPDATE_EXPECT").is_some_and(|value| value != "0") {
        if found.output.is_none() {
            found.output = file.output.clone();
        }
        fs::write(path, file.with(&found))?;
        return Ok(());
    }
    let mut message = format!("{} gives something else than it says.\n", file.name);
    for (line, error) in &found.errors {
        message.push_str(&format!("found    line {line}: {error}\n"));
    }
    for (line, error) in &file.errors {
        message.push_str(&format!("expected line {line}: {error}\n"));
    }
    if let Some(output) = &found.output
        && Some(output) != file.output.as_ref()
    {
        message.push_str(&format!("found output:\n{output}expected output:\n"));
        message.push_str(file.output.as_deref().unwrap_or("(none)\n"));
    }
    message.push_str("If that is right: UPDATE_EXPECT=1 cargo test --test filetests");
    Err(message.into())
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "ir") {
            found.push(path);
        }
    }
    Ok(())
}

fn main() -> Result<(), Failed> {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut found = Vec::new();
    files(&root, &mut found)?;
    found.sort();
    let mut trials = Vec::new();
    for path in found {
        let name = path.strip_prefix(&root)?.to_string_lossy().into_owned();
        let file = File::read(&path, name.clone())?;
        let tests: Vec<_> =
            file.head.iter().filter(|(key, _)| key == "test").map(|(_, value)| value).collect();
        if tests.is_empty() {
            let trial = Trial::test(name.clone(), || Err("the file has no `; test` line".into()));
            trials.push(trial);
        }
        for test in tests {
            let (subtest, arguments) = test.split_once(' ').unwrap_or((test, ""));
            let (subtest, arguments) = (subtest.to_owned(), arguments.to_owned());
            let (path, name) = (path.clone(), name.clone());
            let title = format!("{name} {test}");
            trials.push(Trial::test(title, move || run(&path, name, &subtest, &arguments)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit()
}
