//! Requests that run, and those that are refused, each with its message.

use std::fs;
use std::path::PathBuf;

use super::npy::{Array, ElementKind, ElementType};
use super::*;
use crate::diag::Help;
use crate::target::Target;

/// y[i] = a * x[i] for i below n.
const SCALE: &str = ".version 7.8\n.target sm_80\n.address_size 64\n\
.visible .entry scale(.param .u64 .ptr .global .align 4 x, .param .u64 y, .param .f32 a, .param .u32 n)\n\
.maxntid 128, 1, 1\n{\n\
.reg .pred %p;\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<6>;\n\
ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nld.param.f32 %f1, [a];\nld.param.u32 %r0, [n];\n\
mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r1, %r2, %r3, %r1;\n\
setp.ge.u32 %p, %r1, %r0;\n@%p ret;\n\
mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n\
ld.global.f32 %f2, [%rd4];\nmul.f32 %f3, %f2, %f1;\nst.global.f32 [%rd5], %f3;\nret;\n}\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("scale.ptx", SCALE.as_bytes());
        folder.floats("x.npy", &[1.0, 2.0, 3.0, 4.0]);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, contents: &[u8]) {
        fs::write(self.path(name), contents).unwrap();
    }

    fn floats(&self, name: &str, values: &[f32]) {
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let ty = ElementType::new(ElementKind::Float, 4);
        self.write(name, &Array { ty, shape: vec![values.len() as u64], data }.to_file());
    }

    fn read(&self, name: &str) -> Array {
        Array::parse(&fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// A request with `@` in arguments for the folder.
    fn request(&self, file: &str, arguments: &[&str]) -> Request {
        let folder = format!("{}/", self.0.path().display());
        let arguments = arguments.iter().map(|text| text.replace('@', &folder).parse().unwrap());
        Request {
            path: self.path(file),
            entry: None,
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared: 0,
            arguments: arguments.collect(),
            target: None,
        }
    }

    fn scale(&self) -> Request {
        self.request("scale.ptx", &["in:@x.npy", "out:f32:4:@y.npy", "f32:2.5", "u32:4"])
    }

    /// The message of a request, with the folder as `@`.
    fn refusal(&self, request: &Request) -> String {
        let error = request.prepare().map(drop).unwrap_err();
        self.shown(&error)
    }

    fn shown(&self, error: &RunError) -> String {
        let help = error.help().unwrap();
        format!("{error}\nhelp: {help}").replace(&format!("{}/", self.0.path().display()), "@")
    }
}

fn as_floats(array: &Array) -> Vec<f32> {
    (0..array.len()).map(|element| f32::from_bits(array.bits(element) as u32)).collect()
}

#[test]
fn results_are_written_and_inputs_are_not() {
    let folder = Folder::new();
    let before = fs::read(folder.path("x.npy")).unwrap();
    let job = folder.scale().prepare().unwrap();
    let outcome = job.emulate(&EmuOptions::default()).unwrap();
    assert!(outcome.is_sound(), "{:?}", outcome.met);
    let saved = job.save(&outcome).unwrap();
    assert_eq!((saved.len(), saved[0].name.as_str(), saved[0].unwritten), (1, "y", Some(0)));
    assert_eq!(as_floats(&folder.read("y.npy")), [2.5, 5.0, 7.5, 10.0]);
    assert_eq!(fs::read(folder.path("x.npy")).unwrap(), before);
    let in_place = folder.request("scale.ptx", &["inout:@x.npy", "u64:0", "f32:2", "u32:0"]);
    let job = in_place.prepare().unwrap();
    let saved = job.save(&job.emulate(&EmuOptions::default()).unwrap()).unwrap();
    assert_eq!(saved.len(), 1);
    assert_eq!(as_floats(&folder.read("x.npy")), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn who_wrote_each_element_is_noted() {
    let folder = Folder::new();
    let request = Request { grid: [2, 1, 1], block: [2, 1, 1], ..folder.scale() };
    let job = request.prepare().unwrap();
    let options = EmuOptions { writers: true, ..EmuOptions::default() };
    let saved = job.save(&job.emulate(&options).unwrap()).unwrap();
    let path = saved[0].writers.clone().unwrap();
    assert_eq!(path, folder.path("y.npy.writers.npy"));
    let rows = folder.read("y.npy.writers.npy");
    let numbers: Vec<i32> = (0..rows.len()).map(|at| rows.bits(at) as i32).collect();
    assert_eq!(rows.shape, [4, 5]);
    assert_eq!(numbers, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
}

#[test]
fn an_empty_grid_and_empty_arrays_are_fine() {
    let folder = Folder::new();
    let job = Request { grid: [0, 1, 1], ..folder.scale() }.prepare().unwrap();
    let outcome = job.emulate(&EmuOptions::default()).unwrap();
    assert_eq!((outcome.instructions, outcome.is_sound()), (Some(0), true));
    assert_eq!(job.save(&outcome).unwrap()[0].unwritten, Some(4));
    assert_eq!(as_floats(&folder.read("y.npy")), [0.0; 4]);
    folder.floats("none.npy", &[]);
    let request = folder.request("scale.ptx", &["in:@none.npy", "out:f32:0x3:@y.npy", "f32:1", "u32:0"]);
    let job = request.prepare().unwrap();
    job.save(&job.emulate(&EmuOptions::default()).unwrap()).unwrap();
    assert_eq!(folder.read("y.npy").shape, [0, 3]);
}

#[test]
fn stores_to_what_is_only_read_are_told() {
    let folder = Folder::new();
    let before = fs::read(folder.path("x.npy")).unwrap();
    // `x` and `y` are one buffer's first and last parameter swapped: the kernel stores to what is `in:`.
    folder.floats("z.npy", &[9.0; 4]);
    let request = folder.request("scale.ptx", &["in:@x.npy", "in:@z.npy", "f32:2.5", "u32:3"]);
    let job = request.prepare().unwrap();
    let outcome = job.emulate(&EmuOptions::default()).unwrap();
    assert!(outcome.is_sound());
    let said: Vec<_> = outcome.warnings.iter().map(Warning::to_string).collect();
    assert_eq!(said, ["the launch changed 6 bytes of `y`, the first at offset 2: no file keeps them"]);
    assert_eq!(outcome.warnings[0].name(), "dropped-stores");
    assert!(job.save(&outcome).unwrap().is_empty());
    assert_eq!(fs::read(folder.path("x.npy")).unwrap(), before);
    let kept = folder.request("scale.ptx", &["in:@x.npy", "inout:@z.npy", "f32:2.5", "u32:3"]);
    let outcome = kept.prepare().unwrap().emulate(&EmuOptions::default()).unwrap();
    assert_eq!(outcome.warnings, []);
}

#[test]
fn a_register_that_nothing_writes_is_told() {
    let folder = Folder::new();
    let text = SCALE.replace("mul.f32 %f3, %f2, %f1;", "mul.f32 %f3, %f2, %f0;");
    folder.write("slip.ptx", text.as_bytes());
    let mut request = folder.scale();
    assert_eq!(request.prepare().unwrap().emulate(&EmuOptions::default()).unwrap().warnings, []);
    request.path = folder.path("slip.ptx");
    let outcome = request.prepare().unwrap().emulate(&EmuOptions::default()).unwrap();
    let said: Vec<_> = outcome.warnings.iter().map(Warning::to_string).collect();
    assert_eq!(said, ["register `%f0` is read at line 25, but nothing writes it first"]);
    assert!(outcome.is_sound(), "it is no finding");
}

#[test]
fn addresses_far_from_all_buffers_blame_none() {
    let folder = Folder::new();
    for (x, said) in [
        ("u64:0", "global address 0x0, a null pointer\n"),
        ("u64:4092", "global address 0xffc, 4092 bytes behind a null pointer\n"),
        ("s64:-8", "global address 0xfffffffffffffff8, 8 bytes before a null pointer\n"),
        ("u64:0x5000000000", "where nothing lies: 335007449072 bytes behind `y`, the nearest\n"),
        ("u64:0x1000000000410", "a generic address of shared memory (0x410 there)\n"),
    ] {
        let request = folder.request("scale.ptx", &[x, "out:f32:4:@y.npy", "f32:1", "u32:1"]);
        let outcome = request.prepare().unwrap().emulate(&EmuOptions::default()).unwrap();
        let text = outcome.met[0].finding.to_string();
        assert!(text.contains(said) && outcome.met.len() == 1, "{x}: {text}");
    }
}

#[test]
fn addresses_of_other_spaces_say_what_they_are() {
    let folder = Folder::new();
    for (access, said) in [
        ("mov.u32 %r1, 0;\nst.shared.u32 [%r1], %r1;", "below all variables, which begin at 0x400"),
        ("mov.u32 %r1, tile;\nst.shared.u32 [%r1+64], %r1;", "`tile` of 64 bytes at offset 64"),
        (
            "mov.u32 %r1, tile;\nst.shared.u32 [%r1+65536], %r1;",
            "where nothing lies: 65472 bytes behind `tile`",
        ),
        (
            "ld.param.u64 %rd1, [out];\nst.shared.u32 [%rd1], %r0;",
            "which is a global address: `out` of 4 bytes at offset 0",
        ),
        (
            "ld.param.u64 %rd1, [out];\ncvt.u32.u64 %r1, %rd1;\nst.local.u32 [%r1], %r1;",
            "below all variables",
        ),
        ("mov.u32 %r1, 400;\nld.const.u32 %r0, [%r1];", "`one` of 4 bytes at offset 144"),
        (
            "cvta.shared.u64 %rd1, tile;\nst.global.u32 [%rd1], 1;",
            "a generic address of shared memory (0x400 there)",
        ),
        ("mov.u64 %rd1, 4;\nst.u32 [%rd1], 1;", "4 bytes behind a null pointer"),
        (
            "ld.param.u64 %rd1, [out];\ncvt.u32.u64 %r1, %rd1;\ncvt.u64.u32 %rd1, %r1;\nst.global.u32 [%rd1+65536], 1;",
            "where nothing lies",
        ),
        ("ld.param.u64 %rd1, [out];\nld.global.u32 %r0, [%rd1+4];", "`out` of 4 bytes at offset 4"),
    ] {
        let text = format!(
            ".version 7.8\n.target sm_80\n.address_size 64\n.const .u32 one = 1;\n\
             .visible .entry k(.param .u64 out)\n{{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n\
             .shared .align 4 .b8 tile[64];\n.local .align 4 .b8 own[16];\nmov.u32 %r0, 0;\n{access}\nret;\n}}\n"
        );
        folder.write("k.ptx", text.as_bytes());
        let request = folder.request("k.ptx", &["out:u32:1:@y.npy"]);
        let request = Request { block: [1; 3], ..request };
        let outcome = request.prepare().unwrap().emulate(&EmuOptions::default()).unwrap();
        let met = outcome.met.first().map(|met| met.finding.to_string()).unwrap_or_default();
        assert!(met.contains(said), "{access}: {met}");
    }
}

#[test]
fn ctas_are_counted_as_they_end() {
    let folder = Folder::new();
    let job = Request { grid: [5, 2, 1], ..folder.scale() }.prepare().unwrap();
    let done = std::sync::atomic::AtomicU64::new(0);
    job.emulate_counting(&EmuOptions::default(), &done).unwrap();
    assert_eq!((done.into_inner(), job.ctas()), (10, 10));
}

#[test]
fn findings_are_all_listed_with_the_names_of_parameters() {
    let folder = Folder::new();
    let request = folder.request("scale.ptx", &["in:@x.npy", "out:f32:3:@y.npy", "f32:1", "u32:6"]);
    let outcome = request.prepare().unwrap().emulate(&EmuOptions::default()).unwrap();
    let met: Vec<_> = outcome.met.iter().map(|met| (met.finding.kind.name(), met.times)).collect();
    assert_eq!(met, [("out-of-bounds", 2), ("out-of-bounds", 3)]);
    let text = outcome.met[1].finding.to_string();
    assert!(text.contains("`y` of 12 bytes at offset 12"), "{text}");
}

#[test]
fn aggregates_take_bytes_of_their_size() {
    let folder = Folder::new();
    let text = SCALE.replace(".param .f32 a, .param .u32 n", ".param .align 4 .b8 p[8]");
    folder.write("packed.ptx", text.replace("[a]", "[p]").replace("[n]", "[p+4]").as_bytes());
    folder.write("p.bin", &[2.0_f32.to_le_bytes(), 4_u32.to_le_bytes()].concat());
    folder.write("short.bin", &[0; 7]);
    let of = |bytes: &str| folder.request("packed.ptx", &["in:@x.npy", "out:f32:4:@y.npy", bytes]);
    let job = of("bytes:@p.bin").prepare().unwrap();
    job.save(&job.emulate(&EmuOptions::default()).unwrap()).unwrap();
    assert_eq!(as_floats(&folder.read("y.npy")), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(
        folder.refusal(&of("bytes:@short.bin")),
        "argument 3, `bytes:@short.bin`, doesn't fit `.param .align 4 .b8 p[8]`: it has 7 bytes, the parameter 8\n\
         help: an aggregate takes `bytes:FILE` of exactly its size"
    );
}

#[test]
fn misfit_arguments_name_the_parameter_and_its_declaration() {
    let folder = Folder::new();
    for (arguments, said) in [
        (
            &["in:@x.npy"][..],
            "`scale` takes 4 arguments, not 1:\n  .param .u64 .ptr .global .align 4 x\n  .param .u64 y",
        ),
        (
            &["in:@x.npy", "out:f32:4:@y.npy", "in:@x.npy", "u32:4"],
            "argument 3, `in:@x.npy`, doesn't fit `.param .f32 a`: a buffer needs a pointer of 8 bytes",
        ),
        (
            &["in:@x.npy", "out:f32:4:@y.npy", "s32:2", "u32:4"],
            "argument 3, `s32:2`, doesn't fit `.param .f32 a`: the parameter is a float, not an integer",
        ),
        (
            &["in:@x.npy", "out:f32:4:@y.npy", "f32:2", "f32:4"],
            "argument 4, `f32:4`, doesn't fit `.param .u32 n`: the parameter is an integer, not a float",
        ),
        (
            &["in:@x.npy", "out:f32:4:@y.npy", "f64:2", "u32:4"],
            "argument 3, `f64:2`, doesn't fit `.param .f32 a`: it has 8 bytes, the parameter 4",
        ),
        (
            &["u32:0", "out:f32:4:@y.npy", "f32:2", "u32:4"],
            "it has 4 bytes, the parameter 8\nhelp: a pointer takes `in:`, `inout:` or `out:`",
        ),
        (
            &["in:@x.npy", "inout:@x.npy", "f32:2", "u32:4"],
            "two arguments name @x.npy, and one of them writes it",
        ),
        (
            &["in:@none.npy", "u64:0", "f32:2", "u32:4"],
            "can't read @none.npy: no such file or folder\nhelp: check the path",
        ),
        (&["in:@scale.ptx", "u64:0", "f32:2", "u32:4"], "@scale.ptx: not a .npy file"),
        (
            &["in:@x.npy", "out:f32:4:@none/y.npy", "f32:2", "u32:4"],
            "can't write @none/y.npy: no such file or folder",
        ),
        (
            &["in:@x.npy", "out:f64:9999999999999:@y.npy", "f32:2", "u32:4"],
            "`y` takes 79999999999992 bytes, but a buffer has at most 4294967296 (4 GiB)\nhelp: check the shape",
        ),
        (
            &[
                "in:@x.npy",
                "out:f64:99999999999999999999999x99999999999999999999999:@y.npy",
                "f32:2",
                "u32:4",
            ],
            "bytes, but a buffer has at most 4294967296 (4 GiB)",
        ),
        (
            &[
                "in:@x.npy",
                "out:f32:9999999999999999x9999999999999999x9999999999999999:@y.npy",
                "f32:2",
                "u32:4",
            ],
            "`y` takes more than 2^128 bytes",
        ),
    ] {
        let refusal = folder.refusal(&folder.request("scale.ptx", arguments));
        assert!(refusal.contains(said), "{arguments:?}: {refusal}");
    }
}

#[test]
fn files_that_are_no_ptx_are_told_apart() {
    let folder = Folder::new();
    folder.write("empty.ptx", b" \n");
    folder.write("binary.ptx", b"\x7fELF\x02\x01\xff\xfe");
    folder.write("zero.ptx", b".version 8.0\0\n.target");
    folder.write("text.ptx", b"#include <stdio.h>\nint main() {}\n");
    folder.write("bare.ptx", b".version 8.0\n.target sm_80\n.address_size 64\n");
    let of = |name: &str| folder.refusal(&folder.request(name, &[]));
    for (name, said) in [
        ("none.ptx", "can't read @none.ptx"),
        ("empty.ptx", "@empty.ptx is empty\nhelp: give PTX text"),
        ("binary.ptx", "@binary.ptx is not text: byte 6 is 0xff"),
        ("zero.ptx", "@zero.ptx is not text: byte 12 is 0x00"),
        ("text.ptx", "@text.ptx:1:1: "),
        ("bare.ptx", "@bare.ptx has no `.entry`"),
        ("scale.ptx", "`scale` takes 4 arguments, not 0"),
    ] {
        assert!(of(name).contains(said), "{name}: {}", of(name));
    }
    let two =
        format!("{SCALE}{}", SCALE[SCALE.find(".visible").unwrap()..].replace("entry scale", "entry other"));
    folder.write("two.ptx", two.as_bytes());
    assert!(of("two.ptx").contains("@two.ptx has 2 entries\nhelp: choose one with `--entry`: scale, other"));
    let unknown = Request { entry: Some("third".into()), ..folder.request("two.ptx", &[]) };
    assert!(
        folder
            .refusal(&unknown)
            .contains("has no entry `third`\nhelp: choose one with `--entry`: scale, other")
    );
    let both = SCALE.replace(".maxntid 128, 1, 1", ".maxntid 128, 1, 1\n.reqntid 128, 1, 1");
    folder.write("both.ptx", both.as_bytes());
    assert!(
        of("both.ptx").contains("@both.ptx is not sound PTX:\n  entry `scale`: `.maxntid` and"),
        "{}",
        of("both.ptx")
    );
}

#[test]
fn geometry_beyond_a_limit_is_refused() {
    let folder = Folder::new();
    let with = |grid: [u64; 3], block: [u64; 3]| folder.refusal(&Request { grid, block, ..folder.scale() });
    for (grid, block, said) in [
        ([1 << 31, 1, 1], [1; 3], "CTAs of a grid along x: 2147483648 is over 2147483647"),
        ([1, 65536, 1], [1; 3], "CTAs of a grid along y: 65536 is over 65535"),
        ([1, 1, u64::MAX], [1; 3], "CTAs of a grid along z: 18446744073709551615 is over 65535"),
        ([1; 3], [1025, 1, 1], "threads of a CTA along x: 1025 is over 1024"),
        ([1; 3], [1, 1, 65], "threads of a CTA along z: 65 is over 64"),
        ([1; 3], [32, 33, 1], "threads of a CTA: 1056 is over 1024"),
        ([1; 3], [0, 1, 1], "a CTA has at least one thread along each axis"),
        (
            [1; 3],
            [64, 3, 1],
            "`scale` declares `.maxntid 128, 1, 1`, which a CTA of 64 x 3 x 1 threads breaks",
        ),
    ] {
        assert!(with(grid, block).contains(said), "{grid:?} {block:?}: {}", with(grid, block));
    }
    assert!(with([1, 65536, 1], [1; 3]).contains("help: fold the axis into x"));
    assert!(with([1 << 31, 1, 1], [1; 3]).contains("help: let each CTA do more"));
    assert!(with([1; 3], [2000, 1, 1]).contains("help: give `--block` fewer threads and `--grid` more CTAs"));
    folder.write("fixed.ptx", SCALE.replace(".maxntid 128, 1, 1", ".reqntid 64, 1, 1").as_bytes());
    let request = Request { path: folder.path("fixed.ptx"), ..folder.scale() };
    assert!(folder.refusal(&request).contains("declares `.reqntid 64, 1, 1`, which a CTA of 32 x 1 x 1"));
}

#[test]
fn shared_memory_has_an_exact_limit() {
    let folder = Folder::new();
    let text = SCALE.replace(".reg .pred %p;", ".reg .pred %p;\n.shared .align 16 .b8 tile[1024];");
    folder.write("tile.ptx", text.as_bytes());
    let limit = 163 * 1024 - 1024;
    let job = |shared| Request { path: folder.path("tile.ptx"), shared, ..folder.scale() }.prepare().unwrap();
    assert!(job(limit).emulate(&EmuOptions::default()).unwrap().is_sound());
    for shared in [limit + 1, u64::MAX] {
        let error = job(shared).emulate(&EmuOptions::default()).unwrap_err();
        let text = folder.shown(&error);
        assert!(
            text.contains("bytes of static and") && text.contains("over the 166912 of a CTA on sm_80"),
            "{text}"
        );
        assert!(text.contains("ask for at most 165888 bytes with `--shared`"), "{text}");
    }
    let larger = Request { target: Some(Target::SM_90), shared: limit + 1, ..folder.scale() };
    assert!(larger.prepare().unwrap().emulate(&EmuOptions::default()).unwrap().is_sound());
}

#[test]
fn a_text_loads_on_later_chips_only() {
    let folder = Folder::new();
    let on = |declared: &str, asked: Target| {
        folder.write("for.ptx", SCALE.replace("7.8", "8.8").replace("sm_80", declared).as_bytes());
        let request = Request { path: folder.path("for.ptx"), target: Some(asked), ..folder.scale() };
        request.prepare().map(|job| job.target()).map_err(|error| folder.shown(&error))
    };
    assert_eq!(on("sm_80", Target::SM_121), Ok(Target::SM_121));
    assert_eq!(on("sm_120f", Target::SM_121), Ok(Target::SM_121));
    assert_eq!(on("sm_75", Target::SM_80), Ok(Target::SM_80));
    for declared in ["sm_90", "sm_90a", "sm_86"] {
        let refusal = on(declared, Target::SM_80).unwrap_err();
        assert!(refusal.contains(&format!("text for {declared} doesn't load on sm_80")), "{refusal}");
    }
}

#[test]
fn a_gpu_that_is_not_there_is_an_absence() {
    let job = Folder::new().scale().prepare().unwrap();
    // Where there are GPUs, there are fewer than this.
    let error = job.launch(9999).unwrap_err();
    assert!(error.is_absence(), "{error}");
    assert!(error.help().is_some());
}

#[test]
fn nothing_is_written_over_the_text_or_in_place_of_a_device() {
    let folder = Folder::new();
    let refused = |out: &str| {
        let request = folder.request("scale.ptx", &["in:@x.npy", out, "f32:2", "u32:4"]);
        let Err(error) = request.prepare() else { panic!("{out} is taken") };
        error
    };
    assert!(matches!(refused("out:f32:4:@scale.ptx"), RunError::SharedFile { .. }));
    // The file beside a result that says who wrote it.
    folder.floats("y.npy.writers.npy", &[1.0]);
    let request =
        folder.request("scale.ptx", &["in:@y.npy.writers.npy", "out:f32:4:@y.npy", "f32:2", "u32:1"]);
    assert!(matches!(request.prepare().err(), Some(RunError::SharedFile { .. })));
    #[cfg(unix)]
    {
        let error = refused("out:f32:4:/dev/null");
        assert!(error.to_string().contains("it is no regular file"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_keeps_leading_where_it_led_and_old_writers_go() {
    let folder = Folder::new();
    folder.floats("kept.npy", &[0.0]);
    folder.floats("kept.npy.writers.npy", &[0.0]);
    std::os::unix::fs::symlink(folder.path("kept.npy"), folder.path("link.npy")).unwrap();
    folder.floats("link.npy.writers.npy", &[0.0]);
    let job = folder
        .request("scale.ptx", &["in:@x.npy", "out:f32:4:@link.npy", "f32:2", "u32:4"])
        .prepare()
        .unwrap();
    let outcome = job.emulate(&EmuOptions::default()).unwrap();
    job.save(&outcome).unwrap();
    assert!(folder.path("link.npy").is_symlink() && !folder.path("link.npy.writers.npy").exists());
    assert_eq!(folder.read("kept.npy").shape, [4]);
}

/// Three kernels, of which one holds what is not supported, one calls such a function, and one is well.
const BESIDE: &str = ".version 7.8\n.target sm_80\n.address_size 64\n\
.func dynamic()\n{\n.reg .b64 %rd<2>;\n{\nalloca.u64 %rd0, 16, 16;\n}\nret;\n}\n\
.visible .entry well(.param .u64 x)\n{\nret;\n}\n\
.visible .entry calls(.param .u64 x)\n{\ncall dynamic;\nret;\n}\n\
.visible .entry lacks(.param .u64 x)\n{\n.reg .b64 %rd<2>;\nalloca.u64 %rd0, 16, 16;\nret;\n}\n";

#[test]
fn a_kernel_runs_beside_what_is_not_supported() {
    let folder = Folder::new();
    folder.write("beside.ptx", BESIDE.as_bytes());
    let run = |entry: &str| {
        let request = Request { entry: Some(entry.to_owned()), ..folder.request("beside.ptx", &["u64:0"]) };
        request
            .prepare()
            .and_then(|job| job.emulate(&EmuOptions::default()))
            .map(|outcome| outcome.is_sound())
    };
    assert!(matches!(run("well"), Ok(true)));
    for (entry, line) in [("calls", 8), ("lacks", 24)] {
        let shown = folder.shown(&run(entry).unwrap_err());
        let place = format!("@beside.ptx:{line}:1: `alloca.u64` is not supported");
        assert!(shown.starts_with(&place) && shown.contains("alloca.u64 %rd0, 16, 16;"), "{shown}");
    }
    // Who wants the whole module gets the first of them.
    let error = load_module(&folder.path("beside.ptx")).map(drop).unwrap_err();
    assert!(folder.shown(&error).starts_with("@beside.ptx:8:1: "), "{error}");
    folder.write("open.ptx", &BESIDE.as_bytes()[..BESIDE.len() - 2]);
    let request = Request { entry: Some("well".to_owned()), ..folder.request("open.ptx", &["u64:0"]) };
    assert!(folder.refusal(&request).contains("expected `}`, met the end of the text"));
}
