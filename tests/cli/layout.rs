//! `warpsmith layout` as a user meets it: the list, a table, data, a picture, and what is said of a slip.

use serde_json::Value;

use super::{code, command, run, stderr, stdout};

#[test]
fn names_are_listed_and_each_is_taken() {
    let names = stdout(&run(&["layout"]));
    for name in ["m16n8k16.f32.bf16.bf16.f32", "ldmatrix.x4.trans", "swizzle.128B", "simdgroup.8x8"] {
        assert!(names.lines().any(|line| line == name), "{name} is missing from\n{names}");
    }
    let listed: Value = serde_json::from_str(&stdout(&run(&["layout", "--json"]))).unwrap();
    assert_eq!(listed["schema"], 1);
    assert_eq!(listed["layouts"].as_array().unwrap().len(), names.lines().count());
}

#[test]
fn a_table_goes_into_a_pipe_without_colours() {
    let output = run(&["layout", "m16n8k16.bf16", "--operand", "a"]);
    let text = stdout(&output);
    assert_eq!((code(&output), text.lines().count()), (0, 18), "{text}");
    assert!(text.contains("T5:r0.1") && !text.contains('\x1b'), "{text}");
}

#[test]
fn data_has_a_place_for_each_element() {
    let output = run(&["layout", "m16n8k32.s8", "--json"]);
    let data: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&data["schema"], &data["layout"]), (&Value::from(1), &Value::from("m16n8k32.s32.s8.s8.s32")));
    let sizes: Vec<_> = data["grids"]
        .as_array()
        .unwrap()
        .iter()
        .map(|grid| (grid["operand"].as_str().unwrap(), grid["cells"].as_array().unwrap().len()))
        .collect();
    assert_eq!(sizes, [("a", 16), ("b", 32), ("c", 16)]);
    let cell = &data["grids"][0]["cells"][9][13];
    assert_eq!(cell, &serde_json::json!({"thread": 7, "register": 1, "part": 1}));
}

#[test]
fn a_picture_is_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("picture.svg");
    let output = run(&["layout", "swizzle.128B", "--svg", file.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n") && !text.contains("href"), "{text}");
    let output = run(&["layout", "swizzle.128B", "--svg", "/nonexistent/picture.svg"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("give a file in a folder that can be written"), "{}", stderr(&output));
}

#[test]
fn a_slip_is_met_with_names() {
    let output = run(&["layout", "ldmatrx.x4"]);
    assert_eq!((code(&output), stdout(&output)), (2, String::new()));
    assert!(stderr(&output).contains("did you mean `ldmatrix.x4`"), "{}", stderr(&output));
    for (arguments, said) in [
        (&["layout", ""][..], "no layout is named ``"),
        (&["layout", "m16n8k16"], "may be any of"),
        (&["layout", "--operand", "a"], "no layout is named"),
        (&["layout", "m16n8k16.bf16", "--operand", "scale-a"], "its operands are a, b, c"),
        (&["layout", "m16n8k16.bf16", "--operand", "x"], "possible values"),
    ] {
        let output = run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(said), "{arguments:?}: {}", stderr(&output));
    }
    let output = command(&["layout", "swizzle.64B"]).env("NO_COLOR", "1").output().unwrap();
    assert_eq!(code(&output), 0);
}
