//! Pictures read back and held against the layouts themselves, golden tables, and the pictures of the docs.

use std::path::Path;

use expect_test::{expect, expect_file};

use super::*;
use crate::numerics::tensor::{Form, LANES, Layout, Operand, SIMDGROUP_ELEMENTS, Swizzle, simdgroup_holder};

/// Lines of the table of a grid of `name`, without colour.
fn table_of(name: &str, part: Option<Part>) -> String {
    let (_, grids) = chosen(name, part).unwrap();
    grids.iter().flat_map(|grid| table::table(grid, false)).collect::<Vec<_>>().join("\n") + "\n"
}

/// `T5:r0.1-3` as thread, register and parts.
fn read_register(text: &str) -> (usize, usize, std::ops::RangeInclusive<usize>) {
    let (thread, register) = text.strip_prefix('T').unwrap().split_once(":r").unwrap();
    let (register, parts) = register.split_once('.').unwrap_or((register, "0"));
    let (first, last) = parts.split_once('-').unwrap_or((parts, parts));
    let number = |text: &str| text.parse::<usize>().unwrap();
    (number(thread), number(register), number(first)..=number(last))
}

/// Elements of a picture: row name, column name of the first element, and the text of the cell.
type Read = Vec<(String, String, String)>;

/// What a table says.
fn read_table(lines: &[String]) -> Read {
    let words = |line: &String| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let columns = words(&lines[1]);
    let rows = lines[2..].iter().filter(|line| !line.starts_with("note: "));
    let cells = rows.flat_map(|line| {
        let row = words(line);
        assert_eq!(row.len(), columns.len(), "{line}");
        let cells = row[1..].iter().cloned().zip(columns[1..].iter().cloned()).collect::<Vec<_>>();
        cells.into_iter().map(move |(text, column)| (row[0].clone(), column, text))
    });
    cells.collect()
}

/// What a drawing says, by the titles of its cells.
fn read_svg(text: &str) -> Read {
    let titles = text.lines().filter_map(|line| line.strip_prefix("<g><title>"));
    let read = titles.map(|line| {
        let (title, rest) = line.split_once("</title>").unwrap();
        let (place, held) = title.rsplit_once(": ").unwrap();
        assert!(rest.contains(&format!(">{held}</text>")), "the tooltip says what the cell says: {line}");
        let (row, column) = place.split_once(", ").unwrap();
        let last = |words: &str| words.rsplit(' ').next().unwrap().to_owned();
        (last(row), last(column), held.to_owned())
    });
    read.collect()
}

/// The number at the start of a name: `3` of `3`, of `3-5`.
fn leading(name: &str) -> usize {
    name.split('-').next().unwrap().parse().unwrap()
}

#[test]
fn every_picture_of_every_form_is_its_layout() {
    for form in Form::all() {
        for (operand, part) in [(Operand::A, Part::A), (Operand::B, Part::B), (Operand::C, Part::C)] {
            let (layout, name) = (Layout::of(&form, operand), form.to_string());
            let (_, grids) = chosen(&name, Some(part)).unwrap();
            let drawn = svg::svg(&name, &grids);
            for read in [read_table(&table::table(&grids[0], false)), read_svg(&drawn)] {
                let mut seen = 0;
                for (row, column, text) in &read {
                    let (thread, register, parts) = read_register(text);
                    for (at, part) in parts.enumerate() {
                        let place = layout.position(thread, register * layout.per_register() + part);
                        assert_eq!(place, (leading(row), leading(column) + at), "{form} {operand:?}: {text}");
                        seen += 1;
                    }
                }
                assert_eq!(seen, LANES * layout.per_lane(), "{form} {operand:?}: each element is shown once");
            }
        }
    }
}

#[test]
fn pictures_of_moves_are_those_of_eights() {
    let eights = Layout::eights();
    for (name, matrices, is_transposed) in [
        ("ldmatrix.x1", 1, false),
        ("ldmatrix.x2", 2, false),
        ("ldmatrix.x4", 4, false),
        ("ldmatrix.x4.trans", 4, true),
        ("stmatrix.x2.trans", 2, true),
    ] {
        let (_, grids) = chosen(name, None).unwrap();
        for read in [read_table(&table::table(&grids[0], false)), read_svg(&svg::svg(name, &grids))] {
            assert_eq!(read.len(), 64 * matrices, "{name}");
            for (row, column, text) in &read {
                let (matrix, row) = row.split_once('.').unwrap();
                let (row, address) = row.split_once("@T").unwrap();
                let (thread, register, parts) = read_register(text);
                let (found, place) =
                    (eights.position(thread, *parts.start()), (leading(row), leading(column)));
                let place = if is_transposed { (place.1, place.0) } else { place };
                assert_eq!((found, register), (place, leading(matrix)), "{name}: {text}");
                assert_eq!(leading(address), 8 * register + leading(row), "{name}");
            }
        }
    }
}

#[test]
fn pictures_of_portable_matrices_and_swizzles_are_theirs() {
    let (_, grids) = chosen("simdgroup.8x8", None).unwrap();
    let read = read_table(&table::table(&grids[0], false));
    assert_eq!(read.len(), LANES * SIMDGROUP_ELEMENTS);
    for (row, column, text) in &read {
        let (thread, register, _) = read_register(text);
        assert_eq!(simdgroup_holder(leading(row), leading(column)), (thread, register));
    }
    for (name, swizzle, row_bytes) in [
        ("swizzle.none", Swizzle::None, 128),
        ("swizzle.32B", Swizzle::B32, 32),
        ("swizzle.64B", Swizzle::B64, 64),
        ("swizzle.128B", Swizzle::B128, 128),
    ] {
        let (_, grids) = chosen(name, None).unwrap();
        let read = read_svg(&svg::svg(name, &grids));
        assert_eq!(read.len(), 64);
        for (line, place, text) in read {
            let (row, chunk) = text.strip_prefix('R').unwrap().split_once(":c").unwrap();
            let offset = leading(row) * row_bytes + leading(chunk) * 16;
            assert_eq!(swizzle.apply(offset), leading(&line) * 128 + leading(&place) * 16, "{name}: {text}");
        }
    }
}

#[test]
fn every_name_has_pictures_whose_cells_are_told_apart() {
    let names: Vec<String> = Subject::all().iter().map(Subject::name).collect();
    for (index, name) in names.iter().enumerate() {
        assert!(!names[..index].contains(name), "{name} is listed twice");
        let (subject, grids) = chosen(name, None).unwrap();
        assert_eq!((subject.name(), grids.is_empty()), (name.clone(), false));
        for grid in &grids {
            assert_eq!(grid.cells.len(), grid.rows() * grid.columns(), "{name}");
            let mut cells: Vec<String> = grid.cells.iter().map(Cell::to_string).collect();
            cells.sort();
            cells.dedup();
            // Lanes give the scale of several lines; of everything else each place holds one thing.
            assert!(
                grid.cells.len() == cells.len() || grid.part == Some(Part::ScaleA),
                "{name}: {}",
                grid.title
            );
        }
    }
}

#[test]
fn words_of_rows_and_columns_count() {
    let named = |name: &str| Subject::find(name, None).map(|subject| subject.name());
    assert_eq!(named("m8n8k4.row.col.f32").as_deref(), Ok("m8n8k4.row.col.f32.f16.f16.f32"));
    let Err(NoSubject::Ambiguous { forms }) = named("m8n8k4.row.col.f16") else { panic!() };
    assert_eq!(forms, ["m8n8k4.row.col.f16.f16.f16.f16", "m8n8k4.row.col.f32.f16.f16.f32"]);
    let whole = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
    assert_eq!(named(whole).as_deref(), Ok("m16n8k16.f32.bf16.bf16.f32"));
    // Four products of f16 in four orders, of two kinds of sums, or f64.
    assert!(matches!(named("m8n8k4"), Err(NoSubject::Ambiguous { .. })));
    assert!(matches!(named("m8n8k4.row.col"), Err(NoSubject::Ambiguous { .. })));
    for wrong in [
        "mma.sync.aligned.m16n8k16.col.col.f32.bf16.bf16.f32",
        "mma.sync.aligned.m8n8k4.col.row.f64.f64.f64.f64",
    ] {
        assert!(matches!(named(wrong), Err(NoSubject::Unknown { .. })), "{wrong}");
    }
    assert_eq!(named("M16N8K16.BF16").as_deref(), Ok("m16n8k16.f32.bf16.bf16.f32"));
}

#[test]
fn short_names_serve_where_the_places_are_the_same() {
    let name = |short: &str, part| chosen(short, part).map(|(subject, _)| subject.name());
    assert_eq!(name("m16n8k16.bf16", None).unwrap(), "m16n8k16.f32.bf16.bf16.f32");
    assert_eq!(
        name("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", None).unwrap(),
        "m16n8k16.f32.bf16.bf16.f32"
    );
    assert_eq!(name("ldmatrix.sync.aligned.m8n8.x4.shared.b16", None).unwrap(), "ldmatrix.x4");
    assert_eq!(name("swizzle.128b", None).unwrap(), "swizzle.128B");
    assert_eq!(name("m16n8k32.s8", None).unwrap(), "m16n8k32.s32.s8.s8.s32");
    assert!(name("m16n8k16.f16", Some(Part::A)).is_ok());
    let said = |short: &str, part| {
        let error = name(short, part).unwrap_err();
        format!("{error}; {}", crate::diag::Help::help(&error).unwrap())
    };
    expect!["`m16n8k16.f16` may be any of 2 forms, which differ in who holds what; say which, or name the operand that you mean: m16n8k16.f16.f16.f16.f16, m16n8k16.f32.f16.f16.f32"].assert_eq(&said("m16n8k16.f16", None));
    expect![[r#"
        no layout is named `ldmatrx.x4`; did you mean `ldmatrix.x4`, `ldmatrix.x4.trans`, `ldmatrix.m8n16.x4`, `ldmatrix.x1`?
        `warpsmith layout` lists the names"#]]
    .assert_eq(&said("ldmatrx.x4", None));
    expect!["`swizzle.64B` has no operand `a`; leave out `--operand`"]
        .assert_eq(&said("swizzle.64B", Some(Part::A)));
    expect!["`m16n8k16.f32.bf16.bf16.f32` has no operand `scale-b`; its operands are a, b, c"]
        .assert_eq(&said("m16n8k16.bf16", Some(Part::ScaleB)));
}

#[test]
fn what_an_engineer_would_type_gives_a_layout() {
    let name = |short: &str| chosen(short, None).map(|(subject, _)| subject.name());
    for (short, wanted) in [
        ("movmatrix", "movmatrix.trans"),
        ("movmatrix.sync.aligned.m8n8.trans.b16", "movmatrix.trans"),
        ("128B", "swizzle.128B"),
        ("swizzle128", "swizzle.128B"),
        ("SWIZZLE_128B", "swizzle.128B"),
        ("sw64", "swizzle.64B"),
        ("mma.m16n8k16.bf16", "m16n8k16.f32.bf16.bf16.f32"),
        ("m16n8k16_bf16", "m16n8k16.f32.bf16.bf16.f32"),
        ("16x8x16 bfloat16", "m16n8k16.f32.bf16.bf16.f32"),
        ("HMMA.16816.F32.BF16", "m16n8k16.f32.bf16.bf16.f32"),
        ("m16n8k8.tf32", "m16n8k8.f32.tf32.tf32.f32"),
        ("m16n8k32.int8", "m16n8k32.s32.s8.s8.s32"),
        ("DMMA.884", "m8n8k4.f64.f64.f64.f64"),
        ("m16n8k64.nvfp4.4x", "m16n8k64.mxf4nvf4.4x.f32.e2m1.e2m1.f32"),
        ("LDSM.x4", "ldmatrix.x4"),
        ("ldmatrix.x4.m8n8.b16", "ldmatrix.x4"),
        ("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", "ldmatrix.m16n16.x1.trans"),
        ("ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32", "ldmatrix.m8n16.x2"),
        ("8x8", "simdgroup.8x8"),
        ("simdgroup", "simdgroup.8x8"),
    ] {
        assert_eq!(name(short).map_err(|error| error.to_string()), Ok(wanted.to_owned()), "{short}");
    }
    let said = |short: &str| {
        let error = name(short).unwrap_err();
        format!("{error}; {}", crate::diag::Help::help(&error).unwrap())
    };
    for (short, suggested) in [
        ("swizzle", "swizzle.none, swizzle.32B, swizzle.64B, swizzle.128B"),
        ("ldmatrix", "say which: ldmatrix.x1, ldmatrix.x2, ldmatrix.x4"),
        ("stmatrix.trans", "stmatrix.x4.trans"),
        ("ldmatrix.x8", "did you mean `ldmatrix.x"),
        ("ldmatrix.x1.b8", "did you mean `ldmatrix.x1`"),
        ("m16n8k17.bf16", "did you mean `m16n8k16.f32.bf16.bf16.f32`"),
        ("m16n8k16.b16f", "did you mean `m16n8k16.f"),
        ("swizle", "`swizzle.128B`"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f16", "did you mean `m16n8k16.f32.bf16.bf16.f32`"),
        ("m16n8k16", "m16n8k16.f32.f16.f16.f32"),
        ("m16n8k32.fp8", "m16n8k32.f32.e4m3.e4m3.f32"),
        ("bf16", "m16n8k8.f32.bf16.bf16.f32, m16n8k16.f32.bf16.bf16.f32"),
        ("wgmma", "layouts are of forms of `mma.sync`"),
        ("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16", "`wgmma` is not covered"),
        ("HGMMA.64x64x16.F32", "`wgmma` is not covered"),
        ("tcgen05.mma.kind::f16", "`tcgen05` is not covered"),
        ("mma.sp::ordered_metadata.sync.aligned.m16n8k32.f16", "sparse products (`mma.sp`) are not covered"),
        ("m16n8k256.b1", "products of single bits (`.b1`) are not covered"),
        ("mma", "layouts are of forms of `mma.sync`"),
        ("", "layouts are of forms of `mma.sync`"),
        ("...", "layouts are of forms of `mma.sync`"),
    ] {
        let said = said(short);
        assert!(said.contains(suggested), "{short}: {said}");
    }
    assert!(said("m16n8k16").len() < 600, "{}", said("m16n8k16"));
}

#[test]
fn notes_say_what_the_picture_leaves_out() {
    let notes = |name: &str, part| {
        let (_, grids) = chosen(name, Some(part)).unwrap();
        grids[0].notes.join("\n")
    };
    for (name, allowed) in [
        ("m16n8k32.mxf8f6f4.f32.e4m3.e4m3.f32", "takes 0 to 3"),
        ("m16n8k64.mxf4.f32.e2m1.e2m1.f32", "takes 0 and 2"),
        ("m16n8k64.mxf4nvf4.4x", "takes no other"),
    ] {
        for part in [Part::ScaleA, Part::ScaleB] {
            let said = notes(name, part);
            assert!(said.contains(allowed), "{name}: {said}");
        }
    }
    for (part, lines) in [(Part::A, "rows"), (Part::B, "columns"), (Part::C, "rows")] {
        let said = notes("m8n8k4.row.col.f32.f16.f16.f32", part);
        assert!(said.contains(&format!("stacked: {lines} 8p to 8p + 7")), "{said}");
    }
    assert_eq!(notes("m8n8k4.f64.f64.f64.f64", Part::A), "");
}

#[test]
fn tables_are_these() {
    let golden = |file: &str, name: &str, part| {
        let path = format!("{}/tests/golden/cli/layout/{file}.txt", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&table_of(name, part));
    };
    golden("m16n8k16.bf16", "m16n8k16.bf16", None);
    golden("m16n8k32.s8", "m16n8k32.s8", None);
    golden("m8n8k4.f64", "m8n8k4.f64.f64.f64.f64", None);
    golden("mxf4nvf4.4x.scales", "m16n8k64.mxf4nvf4.4x", Some(Part::ScaleA));
    golden("ldmatrix.x2.trans", "ldmatrix.x2.trans", None);
    golden("ldmatrix.m16n16.x1.trans", "ldmatrix.m16n16.x1.trans", None);
    golden("stmatrix.m16n8.x1.trans", "stmatrix.m16n8.x1.trans", None);
    golden("movmatrix.trans", "movmatrix.trans", None);
    golden("simdgroup.8x8", "simdgroup.8x8", None);
    golden("swizzle.64B", "swizzle.64B", None);
}

#[test]
fn colours_add_nothing_but_colour() {
    let (_, grids) = chosen("m16n8k16.bf16", Some(Part::B)).unwrap();
    let coloured = table::table(&grids[0], true).join("\n");
    assert!(coloured.contains("\x1b[38;5;203m"));
    let mut plain = String::new();
    for (index, piece) in coloured.split("\x1b[").enumerate() {
        plain.push_str(if index == 0 { piece } else { piece.split_once('m').unwrap().1 });
    }
    assert_eq!(plain, table::table(&grids[0], false).join("\n"));
}

#[test]
fn the_pictures_of_the_docs_are_up_to_date() {
    let tensor_cores = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tensor-cores.md");
    let page = std::fs::read_to_string(tensor_cores).unwrap();
    for name in ["m16n8k16.bf16", "m16n8k32.s8", "ldmatrix.x4", "swizzle.128B"] {
        let (subject, grids) = chosen(name, None).unwrap();
        let path = format!("{}/docs/layouts/{name}.svg", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&svg::svg(&subject.name(), &grids));
        assert!(page.contains(&format!("layouts/{name}.svg")), "the page shows {name}");
    }
}
