//! Every recorded result, and the reader of the file on bytes that are not quite one.

use super::super::{Evidence, Golden, GoldenError, NotComputed, Operation, Recorded, TensorModel, check};

pub(super) const FILE: &[u8] = include_bytes!("../../../../tests/data/mma_golden_sm90.bin");

/// Products of quad pairs, and f64 in the directions that are not the nearest.
pub(super) const PAIRS_AND_F64: &[u8] = include_bytes!("../../../../tests/data/mma_pairs_f64_sm90.bin");

fn hopper() -> TensorModel {
    TensorModel::of(90).unwrap()
}

#[test]
fn every_recorded_result_is_the_models() {
    for (bytes, forms, results) in [(FILE, 31, 75_264), (PAIRS_AND_F64, 20, 61_056)] {
        let checked = check(&Golden::read(bytes).unwrap(), &Recorded, &hopper());
        for form in &checked {
            assert_eq!((form.matched, &form.first), (form.total, &None), "{}", form.name);
            assert!(form.is_match(), "{}", form.name);
        }
        assert_eq!(checked.len(), forms);
        assert_eq!(checked.iter().map(|form| form.matched).sum::<usize>(), results);
    }
}

#[test]
fn what_was_recorded_is_what_counts_as_measured() {
    let files = [FILE, PAIRS_AND_F64].map(|bytes| Golden::read(bytes).unwrap());
    let sections = files.iter().flat_map(Golden::sections);
    let recorded: Vec<Operation> = sections.map(|section| section.operation().unwrap()).collect();
    for operation in &recorded {
        let evidence = match operation {
            Operation::Mma(form) => hopper().evidence(form),
            Operation::Wgmma(form) => hopper().wgmma_evidence(form),
        };
        assert_eq!(evidence, Evidence::Measured, "{operation}");
    }
    for form in super::super::Form::all().filter(|form| hopper().has(form)) {
        let is_recorded = recorded.contains(&Operation::Mma(form));
        assert_eq!(hopper().evidence(&form) == Evidence::Measured, is_recorded, "{form}");
    }
}

#[test]
fn another_row_differs_where_the_units_do() {
    let file = Golden::read(FILE).unwrap();
    for checked in check(&file, &Recorded, &TensorModel::of(80).unwrap()) {
        let is_exact = ["s32", "m8n8k4.f64"].iter().any(|part| checked.name.contains(part));
        match &checked.reason {
            Some(reason) => assert!(matches!(reason, NotComputed::Absent(_)), "{}: {reason}", checked.name),
            None => assert_eq!(checked.is_match(), is_exact, "{}", checked.name),
        }
    }
}

/// The file with bytes changed at a place.
fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = FILE.to_vec();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

fn error(bytes: &[u8]) -> GoldenError {
    let error = Golden::read(bytes).unwrap_err();
    assert!(!error.help().is_empty() && !error.to_string().ends_with('.'));
    error
}

#[test]
fn each_way_to_be_wrong_has_its_error() {
    assert!(matches!(error(b""), GoldenError::Magic { .. }));
    assert!(matches!(error(b"MMAX\x01\0\0\0"), GoldenError::Magic { .. }));
    assert!(matches!(error(&FILE[..10]), GoldenError::Truncated { part: "header", .. }));
    assert!(matches!(error(&FILE[..100]), GoldenError::Truncated { part: "directory", .. }));
    assert!(matches!(error(&FILE[..FILE.len() - 1]), GoldenError::Outside { .. }));
    assert!(matches!(error(&[FILE, &[0]].concat()), GoldenError::Trailing { .. }));
    assert!(matches!(error(&with(4, &[2])), GoldenError::Version { found: 2 }));
    assert!(matches!(error(&with(8, &[0xFF; 4])), GoldenError::Truncated { part: "directory", .. }));
    assert!(matches!(error(&with(12, &[0])), GoldenError::Flags { found: 0 }));

    // The first entry: its name at 16, then M, N, K, tiles, bytes of A and B, of C and D, and the offset.
    assert!(matches!(error(&with(48, &[0])), GoldenError::Empty { m: 0, .. }));
    assert!(matches!(error(&with(48, &[8])), GoldenError::Layout { .. }));
    assert!(matches!(error(&with(60, &[47])), GoldenError::Misplaced { .. }));
    assert!(matches!(error(&with(60, &[0xFF; 4])), GoldenError::Outside { .. }));
    assert!(matches!(error(&with(64, &[3])), GoldenError::ElementBytes { bytes: 3, .. }));
    assert!(matches!(error(&with(72, &[0])), GoldenError::Misplaced { .. }));
    assert!(matches!(error(&with(72, &[0xFF; 8])), GoldenError::Outside { .. }));
    // An unknown name with the largest shape does not overflow.
    let mut huge = with(16, b"x\0");
    huge[48..64].fill(0xFF);
    assert!(matches!(error(&huge), GoldenError::Outside { .. }));
}

#[test]
fn an_unknown_name_is_reported_and_the_rest_is_checked() {
    let bytes = with(16, b"m16n8k16.f32.f17");
    let checked = check(&Golden::read(&bytes).unwrap(), &Recorded, &hopper());
    assert_eq!(checked[0].reason, Some(NotComputed::Unknown));
    assert_eq!((checked[0].matched, checked[0].total), (0, 48 * 128));
    assert!(!checked[0].is_match() && checked[1..].iter().all(|form| form.is_match()));
}

#[test]
fn a_changed_result_is_found() {
    // The last element of D of the last form.
    let bytes = with(FILE.len() - 1, &[FILE[FILE.len() - 1] ^ 1]);
    let checked = check(&Golden::read(&bytes).unwrap(), &Recorded, &hopper());
    let last = checked.last().unwrap();
    assert_eq!(last.matched + 1, last.total);
    let first = last.first.unwrap();
    assert_eq!((first.tile, first.row, first.column), (3, 63, 7));
    assert_eq!(first.expected ^ first.given, 0x100);
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(at in 0_usize..2100, bytes in proptest::array::uniform4(proptest::num::u8::ANY)) {
        let bytes = with(at, &bytes);
        if let Ok(file) = Golden::read(&bytes) {
            file.sections().iter().for_each(|section| assert_eq!(section.each().count(), section.tiles()));
        }
    }
}
