//! What a user may call a layout.
//!
//! On entry: a name as it stands in PTX, in a profiler's listing or in somebody's head: `m16n8k16.bf16`,
//! `mma.sync.aligned.m16n8k16.row.col.…`, `HMMA.16816`, `16x8x16 half`, `swizzle_128`. On exit: the one layout that it can
//! mean, those among which it does not choose, or those that look like it. Deliberately not here: the layouts (`catalog`).

use super::catalog::Subject;
use super::grid::Part;
use crate::diag::edits;
use crate::numerics::tensor::{Form, Kind};

/// So many names are suggested where none is meant.
const MOST: usize = 4;

/// Letters by which a word may differ from a known one.
const SLIPS: usize = 2;

/// Why a name means no layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoSubject {
    /// None is called so; these look like it.
    Unknown { nearest: Vec<String> },
    /// These are called so, one for each way in which they differ in who holds what.
    Ambiguous { forms: Vec<String> },
}

/// What a word of an instruction says that has no layout here.
const NOT_COVERED: [(&str, &str); 10] = [
    ("sp", "sparse products (`mma.sp`) are"),
    ("b1", "products of single bits (`.b1`) are"),
    ("bmma", "products of single bits (`.b1`) are"),
    ("wgmma", "`wgmma` is"),
    ("hgmma", "`wgmma` is"),
    ("igmma", "`wgmma` is"),
    ("qgmma", "`wgmma` is"),
    ("tcgen05", "`tcgen05` is"),
    ("utcmma", "`tcgen05` is"),
    ("wmma", "`wmma`, whose fragments PTX leaves open, is"),
];

/// What is not covered of a name that looks like an instruction with a layout, if anything is.
pub(super) fn not_covered(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.find_map(|word| NOT_COVERED.iter().find(|(known, _)| *known == word).map(|(_, what)| *what))
}

/// Words that instructions have in PTX or in machine code, and names of layouts don't.
const GIVEN: [&str; 10] = ["mma", "sync", "aligned", "m8n8", "shared", "b16", "hmma", "imma", "qmma", "omma"];

/// Of moves of 8-bit matrices, the words that their shape says already.
const GIVEN_BY_SHAPE: [&str; 6] = ["b8", "b8x16", "b6x16", "p32", "b4x16", "p64"];

/// What elements, moves and kinds are called elsewhere, and here.
const ALSO_CALLED: [(&str, &str); 25] = [
    ("dmma", "f64"),
    ("half", "f16"),
    ("fp16", "f16"),
    ("bfloat16", "bf16"),
    ("float", "f32"),
    ("fp32", "f32"),
    ("double", "f64"),
    ("fp64", "f64"),
    ("int8", "s8"),
    ("i8", "s8"),
    ("uint8", "u8"),
    ("int4", "s4"),
    ("i4", "s4"),
    ("uint4", "u4"),
    ("fp8", "e4m3"),
    ("fp6", "e3m2"),
    ("fp4", "e2m1"),
    ("mxfp8", "mxf8f6f4"),
    ("mxfp4", "mxf4"),
    ("nvfp4", "mxf4nvf4"),
    ("ldsm", "ldmatrix"),
    ("stsm", "stmatrix"),
    ("movm", "movmatrix"),
    ("transpose", "trans"),
    ("satfinite", "sat"),
];

impl Subject {
    /// The layout of a name; of several forms, those must agree on `part`, or on every part.
    pub(super) fn find(name: &str, part: Option<Part>) -> Result<Self, NoSubject> {
        let all = Self::all();
        let words = words(name);
        // Of all forms but those of quad pairs A is by rows and B by columns, which their names leave out.
        let whole = words.join(".");
        let plain = whole.replace(".row.col", "");
        for spelled in [name, &whole, &plain] {
            if let Some(exact) = all.iter().find(|subject| subject.name().eq_ignore_ascii_case(spelled)) {
                return Ok(*exact);
            }
        }
        let called = |name: &str| forms_called(name).into_iter().map(Self::Mma).collect::<Vec<_>>();
        let mut found = called(&whole);
        if found.is_empty() {
            found = called(&plain);
        }
        if found.is_empty() && !words.is_empty() {
            found = all.iter().copied().filter(|subject| has_all(&subject.name(), &words)).collect();
        }
        match *different(&found, part) {
            [] => Err(NoSubject::Unknown { nearest: near(&words, &all) }),
            [one] => Ok(one),
            ref several => Err(NoSubject::Ambiguous { forms: several.iter().map(Self::name).collect() }),
        }
    }
}

/// The words of a name as names here have them.
fn words(name: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase().replace("kind::", "");
    let parted = lower.split(['.', '_', '-', ' ', ',', ':', '/']).filter(|word| !word.is_empty());
    let mut words: Vec<String> = parted.flat_map(swizzle_parted).map(|word| renamed(&word)).collect();
    let is_bytes = words.iter().any(|word| matches!(word.as_str(), "m8n16" | "m16n16" | "m16n8"));
    words.retain(|word| !(GIVEN.contains(&&**word) || is_bytes && GIVEN_BY_SHAPE.contains(&&**word)));
    // A shape goes first, as in all names that have one.
    let is_shape = |word: &String| Form::all().any(|form| form.shape.to_string() == *word);
    if let Some(at) = words.iter().position(is_shape) {
        words[..=at].rotate_right(1);
    }
    // The span of a swizzle, with or without its unit.
    let is_span = |word: &str| matches!(word, "32" | "64" | "128");
    let is_swizzle = words.len() == 1 || words.first().is_some_and(|word| word == "swizzle");
    if let Some(last) = words.last_mut().filter(|last| is_swizzle && is_span(last)) {
        last.push('b');
    }
    words
}

/// `swizzle128b` as two words.
fn swizzle_parted(word: &str) -> Vec<String> {
    let rest = ["swizzle", "swz", "sw"].iter().find_map(|head| word.strip_prefix(head));
    match rest.filter(|rest| rest.is_empty() || rest.starts_with(|letter: char| letter.is_ascii_digit())) {
        None => vec![word.to_owned()],
        Some("") => vec!["swizzle".into()],
        Some(span) => vec!["swizzle".into(), span.to_owned()],
    }
}

/// A word by its name here: `fp16`, `16x8x16`, and the `16816` of machine code.
fn renamed(word: &str) -> String {
    if let Some((_, here)) = ALSO_CALLED.iter().find(|(there, _)| *there == word) {
        return (*here).to_owned();
    }
    let is_number = |axis: &str| !axis.is_empty() && axis.bytes().all(|byte| byte.is_ascii_digit());
    if let [m, n, k] = *word.split('x').collect::<Vec<_>>()
        && [m, n, k].into_iter().all(is_number)
    {
        return format!("m{m}n{n}k{k}");
    }
    let run_together = |form: &Form| {
        let shape = form.shape;
        format!("{}{}{}", shape.m, shape.n, shape.k) == word
    };
    Form::all().find(run_together).map_or_else(|| word.to_owned(), |form| form.shape.to_string())
}

/// Whether a name has all these words in their order.
fn has_all(name: &str, words: &[String]) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut left = lower.split('.');
    words.iter().all(|word| left.any(|known| known == word))
}

/// The forms of a shape that have all the words of a short name in their order; of them those whose elements a word names,
/// and those without a kind, where there are any.
fn forms_called(name: &str) -> Vec<Form> {
    let mut words = name.split('.');
    let shape = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let has_all = |form: &Form| {
        let full = form.to_string();
        let mut left = full.split('.').skip(1);
        words.iter().all(|word| left.any(|known| known == *word))
    };
    let mut forms: Vec<Form> =
        Form::all().filter(|form| form.shape.to_string() == shape && has_all(form)).collect();
    // `f16` is the elements rather than the sums of others.
    let names_elements = |form: &Form| words.iter().any(|word| [form.a.name(), form.b.name()].contains(word));
    if forms.iter().any(names_elements) {
        forms.retain(names_elements);
    }
    // Four products at once are a form like another: of `m8n8k4` alone nobody knows which is meant.
    let is_common = |form: &Form| form.kind == Kind::Plain || form.kind.products() > 1;
    if forms.iter().any(is_common) {
        forms.retain(is_common);
    }
    forms
}

/// One for each way in which they differ in who holds what, of one part or of all. Moves and swizzles are things of their
/// own even where the places are the same.
fn different(found: &[Subject], part: Option<Part>) -> Vec<Subject> {
    let (mut kept, mut known) = (Vec::new(), Vec::new());
    for &subject in found {
        let grids = subject.grids().into_iter();
        let grids = grids.filter(|grid| part.is_none_or(|part| grid.part == Some(part)));
        let places: Vec<_> = grids.map(|grid| (grid.rows(), grid.cells)).collect();
        let is_form = matches!(subject, Subject::Mma(_));
        if !(is_form && known.contains(&places)) {
            kept.push(subject);
            known.push(places);
        }
    }
    kept
}

/// The names whose words look most like these, whatever their order; of those as near the shorter ones first.
fn near(words: &[String], all: &[Subject]) -> Vec<String> {
    // What says rows and columns of forms that have them one way only says nothing of which is meant.
    let says =
        |word: &&String| !matches!(word.as_str(), "row" | "col") || words.iter().any(|w| w == "m8n8k4");
    let words: Vec<&String> = words.iter().filter(says).collect();
    let letters: usize = words.iter().map(|word| word.chars().count()).sum();
    let cost = |name: &str| -> usize {
        let name = name.to_ascii_lowercase();
        let of_word = |word: &&String| {
            let length = word.chars().count();
            let slips = name.split('.').map(|known| edits(word, known)).min().unwrap_or(length);
            if slips <= SLIPS.min(length / 2) { slips } else { length }
        };
        words.iter().map(of_word).sum()
    };
    let length = |name: &str| name.split('.').count();
    let names = all.iter().map(Subject::name);
    let mut costs: Vec<(usize, usize, String)> = names
        .map(|name| (cost(&name), length(&name), name))
        .filter(|(cost, ..)| 2 * cost <= letters)
        .collect();
    costs.sort_by_key(|&(cost, length, _)| (cost, length));
    let best = costs.first().map_or(0, |&(cost, ..)| cost);
    let close = costs.into_iter().filter(|&(cost, ..)| letters > 0 && cost <= best + 1);
    close.take(MOST).map(|(.., name)| name).collect()
}
