//! Guides name files; files move. Every path in backticks in a guide has to exist.

use std::fs;
use std::path::Path;

#[test]
fn paths_in_guides_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut checked, mut missing) = (0, Vec::new());
    for entry in fs::read_dir(root.join("docs")).expect("there is a folder of documents") {
        let guide = entry.expect("the folder can be read").path();
        let name = guide.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with("add-a") {
            continue;
        }
        let text = fs::read_to_string(&guide).expect("a guide is text");
        // Odd pieces between backticks are code; fences leave empty pieces that keep the count even.
        for code in text.split('`').skip(1).step_by(2) {
            let is_path =
                ["src/", "tests/", "docs/", "macros/", "benches/"].iter().any(|top| code.starts_with(top));
            if is_path && !code.contains(['<', '*', ' ', '\n']) {
                checked += 1;
                if !root.join(code).exists() {
                    missing.push(format!("{name} names `{code}`, which does not exist"));
                }
            }
        }
    }
    assert!(checked > 0, "no guide names a path");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
