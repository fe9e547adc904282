//! Imports point down only.
//!
//! The table is `docs/architecture.md`'s, in code: each module with those of ours it may name in a `crate::` path.
//! `ptx` is split, because its parts stand on different floors.

#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test itself may")]

use std::fs;
use std::path::{Path, PathBuf};

const FLOOR: &[&str] = &["entity", "diag", "target", "numerics"];

/// Module, and what it may import besides itself.
const TABLE: &[(&str, &[&str])] = &[
    ("entity", &[]),
    ("diag", &["entity"]),
    ("target", &["entity", "diag"]),
    ("numerics", &["entity"]),
    ("math", &["numerics"]),
    ("ir", FLOOR),
    ("dsl", &["ir", "math", "entity", "diag", "target", "numerics"]),
    ("passes", &["ir", "entity", "diag", "target", "numerics"]),
    ("ptx::isa", FLOOR),
    ("ptx::module", &["ptx::isa", "entity", "diag", "target", "numerics"]),
    ("ptx::regalloc", &["ptx::isa", "ptx::module", "entity", "diag", "target", "numerics"]),
    ("ptx::emu", &["ptx::isa", "ptx::module", "entity", "diag", "target", "numerics"]),
    ("backend", &["ir", "diag", "target"]),
    (
        "ptx::lower",
        &[
            "ir",
            "backend",
            "ptx::isa",
            "ptx::module",
            "ptx::regalloc",
            "entity",
            "diag",
            "target",
            "numerics",
        ],
    ),
    ("msl", &["ir", "backend", "entity", "diag", "target", "numerics"]),
    ("oracle", &["ir", "entity", "diag", "target", "numerics"]),
    ("driver", &[]),
    ("toolkit", &["diag"]),
    ("inspect", &["ptx", "toolkit", "diag", "target"]),
    (
        "runtime",
        &[
            "ir", "passes", "backend", "driver", "ptx", "msl", "oracle", "entity", "diag", "target",
            "numerics",
        ],
    ),
    ("runfile", &["ir", "backend", "driver", "ptx", "entity", "diag", "target", "numerics"]),
    ("case", &["ir", "dsl", "entity", "diag", "target", "numerics"]),
    ("kernels", &["dsl", "case", "ir", "entity", "diag", "target", "numerics"]),
    (
        "corpus",
        &[
            "case", "kernels", "runtime", "ir", "dsl", "passes", "backend", "driver", "ptx", "msl", "oracle",
            "entity", "diag", "target", "numerics",
        ],
    ),
    (
        "cli",
        &[
            "corpus", "case", "kernels", "runtime", "runfile", "inspect", "toolkit", "ir", "dsl", "passes",
            "backend", "driver", "ptx", "msl", "oracle", "entity", "diag", "target", "numerics",
        ],
    ),
];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The module of the table that a file or a path inside the crate belongs to.
fn owner(parts: &[&str]) -> Option<String> {
    match parts {
        ["ptx", part, ..] if TABLE.iter().any(|(module, _)| *module == format!("ptx::{part}")) => {
            Some(format!("ptx::{part}"))
        }
        [first, ..] => Some((*first).to_string()),
        [] => None,
    }
}

/// What a `crate::` path names: `crate::{a, b}` names several.
fn named(after_crate: &str) -> Vec<String> {
    if let Some(group) = after_crate.strip_prefix('{') {
        let mut depth = 1;
        let mut items = vec![String::new()];
        for c in group.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => items.push(String::new()),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if !(c == ',' && depth == 1) {
                items.last_mut().unwrap().push(c);
            }
        }
        return items.iter().flat_map(|item| named(item.trim())).collect();
    }
    let end = after_crate.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'));
    let path = &after_crate[..end.unwrap_or(after_crate.len())];
    let parts: Vec<_> = path.split("::").filter(|part| !part.is_empty()).collect();
    owner(&parts).into_iter().collect()
}

fn violations(module: &str, allowed: &[&str], text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
    let code = code.join("\n");
    let code = code.split("#[cfg(test)]").next().unwrap();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with('$') {
            // `$crate::` in a macro names the module the macro stands in, as seen from elsewhere.
            continue;
        }
        for target in named(&code[at + "crate::".len()..]) {
            let known = TABLE.iter().any(|(name, _)| *name == target) || target == "ptx";
            let parent = allowed.contains(&target.split("::").next().unwrap());
            if known && target != module && !allowed.contains(&target.as_str()) && !parent {
                found.push(format!("{module} -> {target}"));
            }
        }
    }
    found
}

#[test]
fn imports_point_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    assert!(files.len() > 50, "the walk found only {} files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&root).unwrap().with_extension("");
        let parts: Vec<_> = relative.iter().map(|part| part.to_str().unwrap()).collect();
        let module = owner(&parts).unwrap();
        let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == module) else { continue };
        let text = fs::read_to_string(&file).unwrap();
        wrong.extend(
            violations(&module, allowed, &text)
                .into_iter()
                .map(|edge| format!("{edge} in {}", file.display())),
        );
    }
    assert!(wrong.is_empty(), "edges that the table does not list:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_has_a_row() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    for line in lib.lines() {
        let Some(name) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';')) else {
            continue;
        };
        let listed =
            TABLE.iter().any(|(module, _)| *module == name || module.starts_with(&format!("{name}::")));
        assert!(listed, "`{name}` has no row in the table");
    }
}

#[test]
fn an_upward_edge_is_found() {
    assert_eq!(violations("ir", FLOOR, "use crate::ptx::isa::Inst;"), ["ir -> ptx::isa"]);
    assert_eq!(violations("ir", FLOOR, "use crate::{diag::Span, msl::Msl};"), ["ir -> msl"]);
    assert_eq!(violations("oracle", &["ir"], "fn f() { crate::driver::load() }"), ["oracle -> driver"]);
    assert!(violations("ir", FLOOR, "use crate::diag::Span; // crate::ptx").is_empty());
}
