//! `warpsmith explain`: what an error code means, what causes it, and how to mend it.
//!
//! On entry: a code, or none, which lists them all. On exit: the code's section of `docs/errors.md`, which is compiled
//! in. Deliberately not here: the codes (`diag::Code`), and the messages that carry them.

use clap::Args;
use serde::Serialize;

use super::error::{CliError, Exit};
use super::output::{Output, SCHEMA};
use crate::diag::{Code, nearest};

/// The page with a section for each code.
const PAGE: &str = include_str!("../../docs/errors.md");

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// A code such as `W0601`, or as a message has it, `error[W0601]`; without one, all are listed.
    code: Option<String>,
    /// One JSON object a code.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Explained {
    schema: u32,
    code: String,
    title: &'static str,
    layer: &'static str,
    text: &'static str,
}

impl Explained {
    fn of(code: Code) -> Self {
        let text = section(code).unwrap_or_default();
        Self { schema: SCHEMA, code: code.to_string(), title: code.title(), layer: code.layer(), text }
    }
}

pub(super) fn run(arguments: &ExplainArguments, output: &mut Output) -> Result<Exit, CliError> {
    let codes = match &arguments.code {
        None => Code::ALL.to_vec(),
        Some(text) => vec![text.parse().map_err(|_| unknown(text))?],
    };
    if arguments.json {
        codes.iter().try_for_each(|&code| output.json(&Explained::of(code)))?;
        return Ok(Exit::Fine);
    }
    if let (Some(_), [code]) = (&arguments.code, &codes[..]) {
        output.line(format!("{code}: {}", code.title()))?;
        output.line("")?;
        output.line(section(*code).unwrap_or_default())?;
        return Ok(Exit::Fine);
    }
    let mut layer = "";
    for code in codes {
        if code.layer() != layer {
            layer = code.layer();
            output.line(format!("{layer}:"))?;
        }
        output.line(format!("  {code} {}", code.title()))?;
    }
    Ok(Exit::Fine)
}

fn unknown(text: &str) -> CliError {
    let codes: Vec<String> = Code::ALL.iter().map(Code::to_string).collect();
    let near: Vec<String> = match nearest(text, codes.iter().map(String::as_str))[..] {
        [] => Vec::new(),
        ref near => near.iter().map(|code| format!("`{code}`")).collect(),
    };
    let list = "`warpsmith explain` lists the codes";
    let help =
        if near.is_empty() { list.into() } else { format!("did you mean {}?\n{list}", near.join(" or ")) };
    CliError::Coded { code: Code::NotACode, what: format!("there is no error code `{text}`"), help }
}

/// What the page says of a code, without its heading.
fn section(code: Code) -> Option<&'static str> {
    let heading = format!("\n### {code}: {}\n", code.title());
    let start = PAGE.find(&heading)? + heading.len();
    let rest = &PAGE[start..];
    let end = rest.find("\n##").unwrap_or(rest.len());
    Some(rest[..end].trim())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn every_code_is_explained_and_nothing_else() {
        let headings: Vec<&str> = PAGE.lines().filter_map(|line| line.strip_prefix("### ")).collect();
        let wanted: Vec<String> = Code::ALL.iter().map(|code| format!("{code}: {}", code.title())).collect();
        assert_eq!(headings, wanted, "docs/errors.md has a section for each code, in order");
        for &code in Code::ALL {
            let text = section(code).unwrap_or_default();
            for part in ["- Cause: ", "- Mend: "] {
                assert_eq!(text.matches(part).count(), 1, "{code} has one `{part}`:\n{text}");
            }
            assert!(!text.contains('#') || text.contains("```") || text.contains("#["), "{code}:\n{text}");
        }
    }

    #[test]
    fn every_layer_has_a_heading() {
        let mut layers: Vec<String> = Vec::new();
        for code in Code::ALL {
            let heading = format!("{}: {}", &code.to_string()[..3], code.layer());
            if layers.last() != Some(&heading) {
                layers.push(heading);
            }
        }
        let headings: Vec<&str> = PAGE.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(headings, layers);
    }

    fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                rust_files(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }

    /// A code that no error has would be explained for nothing; those of the driver are spelled as text.
    #[test]
    fn every_code_is_given_by_some_error() {
        let mut files = Vec::new();
        rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
        let texts: Vec<String> = files
            .iter()
            .filter(|path| !path.ends_with("diag/code.rs"))
            .map(|path| {
                std::fs::read_to_string(path)
                    .unwrap()
                    .split("#[cfg(test)]\nmod tests {")
                    .next()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        for code in Code::ALL {
            let is_whole = |text: &str, name: &str| {
                text.match_indices(name).any(|(at, _)| {
                    !text[at + name.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
                })
            };
            let (name, quoted) = (format!("Code::{code:?}"), format!("\"{code}\""));
            let is_given = texts.iter().any(|text| is_whole(text, &name) || text.contains(&quoted));
            assert!(is_given, "nothing gives {code} ({code:?})");
        }
    }

    #[test]
    fn codes_of_the_driver_are_codes_of_the_driver() {
        let text = include_str!("../driver/error.rs");
        let quoted = text.split("\"W").skip(1).map(|rest| format!("W{}", rest.split('"').next().unwrap()));
        let codes: Vec<Code> = quoted.map(|code| code.parse().unwrap()).collect();
        assert!(codes.len() > 10);
        assert!(codes.iter().all(|code| code.layer() == "the CUDA driver"), "{codes:?}");
    }
}
