//! Compares the PTX of every kernel of the library with the text in `tests/golden/ptx`.
//!
//! A file is one kernel for one choice of dtypes and one target: `<kernel>/<dtypes>.<target>.ptx`, for the launch class
//! of the kernel's first case. Every kernel is lowered for sm_90, two of them for the oldest and a newer target too; of the
//! portable matrices three are.
//! Lines that name source places or the crate's version are left out: they change when code around a kernel moves.
//! Nothing is written unless `UPDATE_EXPECT=1` asks for it; a failure prints the command.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use warpsmith::backend::CodegenBackend;
use warpsmith::corpus::{Filter, Instance, catalog};
use warpsmith::passes;
use warpsmith::ptx::lower::Ptx;

const COMMAND: &str = "UPDATE_EXPECT=1 cargo test --test golden";

/// The targets of a kernel.
fn targets(kernel: &str) -> &'static [&'static str] {
    match kernel {
        "vector_add" | "rms_norm" => &["sm_80", "sm_90", "sm_121"],
        "eights_gemm_ieee" | "eights_gemm_native" | "tile_gemm_16x32x16_native" => &["sm_90"],
        // Products that are spelled out in steps are long, and each configuration like the ones above.
        name if name.starts_with("tile_") || name.starts_with("eights_") => &[],
        _ => &["sm_90"],
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ptx")
}

fn text(instance: &Instance, target: &str) -> String {
    let class = instance.launch.class(16);
    let kernel = passes::run(&instance.kernel, &passes::Config::new(class)).expect("the passes take it");
    let target = target.parse().expect("the target is known");
    let emitted = Ptx.emit(&kernel, &class, target).expect("PTX has forms for everything in the library");
    let varies = |line: &str| {
        let line = line.trim_start();
        [".loc ", ".file ", "// warpsmith "].iter().any(|start| line.starts_with(start))
    };
    emitted.text.lines().filter(|line| !varies(line)).flat_map(|line| [line, "\n"]).collect()
}

/// The text that each file should have, by path below the root.
fn wanted() -> BTreeMap<PathBuf, String> {
    let (kernels, broken) = catalog(&Filter::default());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let mut wanted = BTreeMap::new();
    for kernel in kernels.iter().filter(|kernel| kernel.path.starts_with("warpsmith::kernels::")) {
        let name = kernel.path.rsplit("::").next().expect("a path has a last part");
        for instance in &kernel.instances {
            let dtypes: Vec<_> = instance.kernel.dtypes.iter().map(ToString::to_string).collect();
            for target in targets(name) {
                let path = Path::new(name).join(format!("{}.{target}.ptx", dtypes.join("_")));
                assert!(
                    wanted.insert(path, text(instance, target)).is_none(),
                    "two kernels are named `{name}`"
                );
            }
        }
    }
    wanted
}

fn present(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            present(&path, found);
        } else {
            found.insert(path.strip_prefix(root()).expect("it was found below the root").to_owned());
        }
    }
}

#[test]
fn kernels_lower_to_the_golden_text() {
    let (wanted, mut found) = (wanted(), BTreeSet::new());
    present(&root(), &mut found);
    let update = env::var_os("UPDATE_EXPECT").is_some_and(|value| value != "0");
    let mut wrong = Vec::new();
    for (path, text) in &wanted {
        found.remove(path);
        let full = root().join(path);
        let have = fs::read_to_string(&full).unwrap_or_default();
        if have == *text {
            continue;
        }
        if update {
            fs::create_dir_all(full.parent().expect("a file has a folder")).expect("the folder can be made");
            fs::write(&full, text).expect("the file can be written");
        } else {
            wrong.push(format!("{}: {}", path.display(), first_difference(&have, text)));
        }
    }
    for path in found {
        if update {
            fs::remove_file(root().join(path)).expect("the file can be removed");
        } else {
            wrong.push(format!("{}: no kernel has this text any more", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\nIf that is right: {COMMAND}", wrong.join("\n"));
}

fn first_difference(have: &str, want: &str) -> String {
    if have.is_empty() {
        return "there is no such file".into();
    }
    let mut lines = have.lines().zip(want.lines()).enumerate();
    match lines.find(|(_, (have, want))| have != want) {
        Some((number, (have, want))) => {
            format!("line {}: the file says `{}`, lowering `{}`", number + 1, have.trim(), want.trim())
        }
        None => "one text goes on where the other ends".into(),
    }
}
