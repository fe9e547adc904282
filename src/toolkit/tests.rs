//! Finding, and running where a tool is here.

use std::ffi::OsString;
use std::fs;

use super::find::{both, release};
use super::scratch::Scratch;
use super::*;
use crate::diag::Help;

const NOTHING: &str =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";

#[test]
fn what_is_not_here_says_how_to_get_it() {
    let missing = Tool::Ptxas.find_in(None, Some("/nowhere".into())).unwrap_err();
    assert_eq!(missing.to_string(), "no ptxas on PATH, and WARPSMITH_PTXAS is not set");
    let help = missing.help().unwrap();
    assert!(help.contains("pip install --target DIR 'nvidia-cuda-nvcc==13.0.*'"), "{help}");
    let missing = Tool::Nvdisasm.find_in(Some("/nowhere/nvdisasm".into()), None).unwrap_err();
    assert_eq!(missing.to_string(), "WARPSMITH_NVDISASM names /nowhere/nvdisasm, which is no file");
    assert!(missing.help().unwrap().contains("nvidia-cuda-nvdisasm"));
}

#[test]
fn a_variable_comes_before_the_path_and_an_empty_one_is_none() {
    let folder = Scratch::new().unwrap();
    let [one, two] = ["one", "two"].map(|name| folder.join(name));
    for place in [&one, &two] {
        fs::create_dir(place).unwrap();
        fs::write(place.join(format!("ptxas{}", std::env::consts::EXE_SUFFIX)), "").unwrap();
    }
    let path: OsString = std::env::join_paths([folder.path(), &one, &two]).unwrap();
    let own = two.join(format!("ptxas{}", std::env::consts::EXE_SUFFIX));
    let found = Tool::Ptxas.find_in(Some(own.clone().into()), Some(path.clone())).unwrap();
    assert_eq!((found.path.as_path(), found.named_by()), (own.as_path(), "WARPSMITH_PTXAS"));
    for empty in [None, Some(OsString::new())] {
        let found = Tool::Ptxas.find_in(empty, Some(path.clone())).unwrap();
        assert_eq!((found.path.parent(), found.origin), (Some(one.as_path()), Origin::Path));
    }
    assert!(Tool::Ptxas.find_in(Some(one.into()), Some(path)).is_err(), "a folder is no tool");
}

#[test]
fn what_does_not_run_is_an_error() {
    let folder = Scratch::new().unwrap();
    let path = folder.join("ptxas");
    fs::write(&path, "not a program").unwrap();
    let found = FoundTool { tool: Tool::Ptxas, path, origin: Origin::Variable };
    let error = assemble_with(&found, NOTHING, "sm_80", false).unwrap_err();
    assert!(matches!(error, ToolError::NotRun { .. }), "{error}");
    assert!(found.version().is_err());
}

#[test]
fn both_that_are_missing_are_named_at_once() {
    let missing = |tool: Tool| tool.find_in(None, None);
    let error = both(missing(Tool::Ptxas), missing(Tool::Nvdisasm)).unwrap_err();
    let (text, help) = (error.to_string(), error.help().unwrap());
    for tool in Tool::ALL {
        assert!(text.contains(&format!("no {tool} on PATH")), "{text}");
        assert!(help.contains(tool.package()) && help.contains(tool.variable()), "{help}");
    }
    assert_eq!(help.matches("pip install").count(), 1, "{help}");
    let here = FoundTool { tool: Tool::Ptxas, path: "ptxas".into(), origin: Origin::Path };
    let error = both(Ok(here), missing(Tool::Nvdisasm)).unwrap_err();
    assert_eq!(error, ToolMissing::NotOnPath { tool: Tool::Nvdisasm });
}

#[cfg(unix)]
#[test]
fn a_program_that_writes_nothing_is_no_tool() {
    let of = |tool| FoundTool { tool, path: "/bin/true".into(), origin: Origin::Variable };
    let error = assemble_with(&of(Tool::Ptxas), NOTHING, "sm_80", false).unwrap_err();
    assert!(matches!(error, ToolError::NoOutput { tool: Tool::Ptxas, .. }), "{error}");
    assert!(error.to_string().contains("WARPSMITH_PTXAS") && error.to_string().contains("may be no ptxas"));
    assert!(!error.help().unwrap().contains("TMPDIR"));
    let error = disassemble_with(&of(Tool::Nvdisasm), b"\x7fELF").unwrap_err();
    assert!(matches!(error, ToolError::NoOutput { tool: Tool::Nvdisasm, .. }), "{error}");
}

#[test]
fn a_tool_names_itself() {
    let ptxas = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCopyright\nCuda compilation tools, release 13.0, V13.0.88\n";
    assert_eq!(release(Tool::Ptxas, ptxas).as_deref(), Ok("release 13.0, V13.0.88"));
    let swapped = release(Tool::Nvdisasm, ptxas).unwrap_err();
    assert_eq!(swapped, "ptxas: NVIDIA (R) Ptx optimizing assembler");
    assert_eq!(release(Tool::Ptxas, "\n  ls (GNU coreutils) 9.1\n").unwrap_err(), "ls (GNU coreutils) 9.1");
    assert_eq!(release(Tool::Ptxas, "").unwrap_err(), "");
    let another = |said: &str| {
        let (tool, path, said) = (Tool::Nvdisasm, "/bin/x".into(), said.to_owned());
        ToolError::Another { tool, path, named_by: "PATH", said }.to_string()
    };
    assert_eq!(another(""), "/bin/x (by PATH) is no nvdisasm: it prints no version");
    assert_eq!(another("\u{1b}[2J"), "/bin/x (by PATH) is no nvdisasm: `--version` says `\\u{1b}[2J`");
}

#[cfg(unix)]
#[test]
fn another_program_is_no_tool() {
    for path in ["/bin/true", "/bin/false"] {
        let found = FoundTool { tool: Tool::Ptxas, path: path.into(), origin: Origin::Variable };
        let error = found.version().unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(&format!("{path} (by WARPSMITH_PTXAS) is no ptxas: ")), "{text}");
        assert!(error.help().unwrap().contains("the toolkit's own ptxas"), "{text}");
    }
}

#[test]
fn scratch_folders_are_their_own_and_go() {
    let [one, two] = [Scratch::new().unwrap(), Scratch::new().unwrap()];
    assert_ne!(one.path(), two.path());
    let path = one.path().to_owned();
    fs::write(one.join("module.ptx"), "x").unwrap();
    drop(one);
    assert!(!path.exists() && two.path().exists());
}

#[test]
fn the_assembler_and_the_disassembler_run_where_they_are_here() {
    let Ok(ptxas) = Tool::Ptxas.find() else { return eprintln!("skipped: no ptxas") };
    assert!(ptxas.version().unwrap().starts_with("release"), "{:?}", ptxas.version());
    let made = assemble_with(&ptxas, NOTHING, "sm_80", true).unwrap();
    assert!(made.cubin.starts_with(b"\x7fELF"));
    assert!(made.log.contains("registers"), "{}", made.log);
    let refused = assemble_with(&ptxas, "nonsense", "sm_80", false).unwrap_err();
    assert!(matches!(&refused, ToolError::Refused { log, .. } if log.contains("error")), "{refused}");
    let Ok(nvdisasm) = Tool::Nvdisasm.find() else { return eprintln!("skipped: no nvdisasm") };
    let listing = disassemble_with(&nvdisasm, &made.cubin).unwrap();
    assert!(listing.contains("EXIT"), "{listing}");
    assert!(disassemble_with(&nvdisasm, b"nonsense").is_err());
}
