//! The estimate of registers against the assembler's numbers, over the corpus.
//!
//! `tests/data/registers/TARGET.tsv` holds what `ptxas -v` says of each kernel's first launch class: entry, registers.
//! Kernels fall into two halves by a hash of their path, all dtypes of one together. The constants of the model have to
//! be as good on one half as a fresh fit of it, and the error on the other half is bounded. Where the assembler is here,
//! a sample is measured again, and `UPDATE_EXPECT=1` measures everything (minutes, two processes).

#![expect(clippy::unwrap_used, reason = "what helps a test may panic as the test itself may")]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use warpsmith::corpus::{Filter, SizeLimit, catalog};
use warpsmith::ptx::module::parse;
use warpsmith::ptx::regalloc::Estimate;
use warpsmith::ptx::regalloc::estimate::{Features, MODEL};
use warpsmith::runtime::compile;
use warpsmith::target::TargetProfile;
use warpsmith::toolkit::{FoundTool, Tool, assemble_with, usages};

const TARGETS: [&str; 2] = ["sm_90", "sm_121"];

/// What is asked of the half that nothing was fitted to.
const MEDIAN: f64 = 0.10;
const P90: f64 = 0.25;

/// How much worse than a fresh fit the constants may be on the half they are of, in the mean of relative errors.
const SLACK: f64 = 0.005;

type Terms = [f64; Features::COUNT];

struct Text {
    target: &'static str,
    entry: String,
    text: String,
    /// What the text itself names.
    architecture: String,
    is_fitted: bool,
    estimate: Estimate,
}

struct Point {
    target: &'static str,
    entry: String,
    terms: Terms,
    estimate: f64,
    registers: f64,
    is_fitted: bool,
}

/// Half of the kernels, whatever their order: FNV-1a of the path.
fn is_fitted(path: &str) -> bool {
    hash(path) >> 32 & 1 == 0
}

fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Each kernel's text for each target that can have it.
fn texts() -> Vec<Text> {
    let (kernels, broken) = catalog(&Filter { size: SizeLimit::Gpu, ..Filter::default() });
    assert!(broken.is_empty(), "{broken:?}");
    let instances: Vec<_> = kernels
        .iter()
        .flat_map(|kernel| kernel.instances.iter().map(|instance| (&kernel.path, instance)))
        .collect();
    TARGETS
        .into_iter()
        .flat_map(|target| {
            let profile = TargetProfile::parse(target).unwrap();
            let of = |&(path, instance): &(&String, &warpsmith::corpus::Instance)| {
                let emitted = compile(&instance.kernel, &instance.launch.class(16), profile).ok()?;
                let module = parse(&emitted.text).unwrap();
                Some(Text {
                    target,
                    estimate: Estimate::of(&module.entries[0]),
                    entry: emitted.entry,
                    text: emitted.text,
                    architecture: emitted.target,
                    is_fitted: is_fitted(path),
                })
            };
            instances.par_iter().filter_map(of).collect::<Vec<_>>()
        })
        .collect()
}

fn data(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/registers/{target}.tsv"))
}

fn measured(target: &str) -> HashMap<String, u32> {
    let text = fs::read_to_string(data(target)).unwrap();
    let row = |line: &str| {
        let (entry, registers) = line.split_once('\t').unwrap();
        (entry.to_owned(), registers.parse().unwrap())
    };
    text.lines().map(row).collect()
}

fn measure(ptxas: &FoundTool, text: &Text) -> u32 {
    let done = assemble_with(ptxas, &text.text, &text.architecture, true)
        .unwrap_or_else(|error| panic!("{} for {}: {error}", text.entry, text.target));
    usages(&done.log)[0].registers
}

/// Measures everything, in two processes at a time.
fn update(ptxas: &FoundTool, texts: &[Text]) {
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _worker in 0..2 {
            scope.spawn(|| {
                while let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let registers = measure(ptxas, text);
                    rows.lock().unwrap().insert((text.target, text.entry.clone()), registers);
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap();
    for target in TARGETS {
        let of = rows.iter().filter(|((named, _), _)| *named == target);
        let lines: String = of.map(|((_, entry), registers)| format!("{entry}\t{registers}\n")).collect();
        fs::write(data(target), lines).unwrap();
    }
}

fn error(predicted: f64, registers: f64) -> f64 {
    (predicted - registers).abs() / registers
}

/// The constants with the least mean relative error: least squares, weighted again and again by the last errors.
fn fit(points: &[&Point]) -> Terms {
    let mut model = Terms::default();
    let mut weights: Vec<f64> = points.iter().map(|point| 1.0 / point.registers.powi(2)).collect();
    for _round in 0..80 {
        model = least_squares(points, &weights);
        for (weight, point) in weights.iter_mut().zip(points) {
            let off = error(predicted(point, &model), point.registers);
            *weight = 1.0 / point.registers.powi(2) / off.max(0.01);
        }
    }
    model
}

fn predicted(point: &Point, model: &Terms) -> f64 {
    point.terms.iter().zip(model).map(|(term, weight)| term * weight).sum()
}

fn least_squares(points: &[&Point], weights: &[f64]) -> Terms {
    const N: usize = Features::COUNT;
    let mut rows = [[0.0; N + 1]; N];
    for (point, weight) in points.iter().zip(weights) {
        for (row, left) in rows.iter_mut().zip(point.terms) {
            for (cell, right) in row.iter_mut().zip(point.terms.into_iter().chain([point.registers])) {
                *cell += weight * left * right;
            }
        }
    }
    for pivot in 0..N {
        let best = (pivot..N).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs())).unwrap();
        rows.swap(pivot, best);
        let top = rows[pivot];
        for row in rows.iter_mut().skip(pivot + 1) {
            let factor = row[pivot] / top[pivot];
            row.iter_mut().zip(top).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    let mut solved = Terms::default();
    for at in (0..N).rev() {
        let known: f64 = (at + 1..N).map(|column| rows[at][column] * solved[column]).sum();
        solved[at] = (rows[at][N] - known) / rows[at][at];
    }
    solved
}

fn mean_error(points: &[&Point], model: &Terms) -> f64 {
    points.iter().map(|point| error(predicted(point, model), point.registers)).sum::<f64>()
        / points.len() as f64
}

/// Median and 90th percentile of the relative errors of the estimates.
fn spread(points: &[&Point]) -> (f64, f64) {
    let mut errors: Vec<f64> = points.iter().map(|point| error(point.estimate, point.registers)).collect();
    errors.sort_by(f64::total_cmp);
    let at = |part: f64| errors[(part * errors.len() as f64).ceil() as usize - 1];
    (at(0.5), at(0.9))
}

#[test]
fn the_estimate_is_near_what_the_assembler_says() {
    let texts = texts();
    let ptxas = Tool::Ptxas.find();
    if std::env::var("UPDATE_EXPECT").is_ok_and(|value| value == "1")
        && let Ok(ptxas) = &ptxas
    {
        update(ptxas, &texts);
    }
    let known: HashMap<&str, _> = TARGETS.into_iter().map(|target| (target, measured(target))).collect();
    let points: Vec<Point> = texts
        .iter()
        .filter_map(|text| {
            let registers = f64::from(*known[text.target].get(&text.entry)?);
            Some(Point {
                target: text.target,
                entry: text.entry.clone(),
                terms: text.estimate.features.terms(),
                estimate: f64::from(text.estimate.registers),
                registers,
                is_fitted: text.is_fitted,
            })
        })
        .collect();
    assert!(
        points.len() * 10 > texts.len() * 8,
        "only {} of {} texts are measured",
        points.len(),
        texts.len()
    );
    let (fitted, held_out): (Vec<&Point>, Vec<&Point>) = points.iter().partition(|point| point.is_fitted);
    let fresh = fit(&fitted);
    let (ours, best) = (mean_error(&fitted, &MODEL), mean_error(&fitted, &fresh));
    println!("fitted on {}: mean error {ours:.4}, of a fresh fit {best:.4}: {fresh:.3?}", fitted.len());
    assert!(ours <= best + SLACK, "the constants are not those of the fit; it gives {fresh:.3?}");
    for target in TARGETS {
        let of_target: Vec<&Point> =
            held_out.iter().copied().filter(|point| point.target == target).collect();
        let (median, p90) = spread(&of_target);
        let beyond = |bound: f64| {
            let outside = of_target.iter().filter(|point| error(point.estimate, point.registers) > bound);
            outside.count() as f64 / of_target.len() as f64
        };
        println!(
            "{target}: {} held out, median error {median:.3}, p90 {p90:.3}; {:.3} beyond {MEDIAN}, {:.3} beyond {P90}",
            of_target.len(),
            beyond(MEDIAN),
            beyond(P90)
        );
        let worst = of_target
            .iter()
            .max_by(|a, b| error(a.estimate, a.registers).total_cmp(&error(b.estimate, b.registers)));
        let worst = worst.map(|point| (&point.entry, point.estimate, point.registers)).unwrap();
        assert!(
            median <= MEDIAN && p90 <= P90,
            "{target}: median {median:.3}, p90 {p90:.3}; the worst is {worst:?}"
        );
    }
    let Ok(ptxas) = ptxas else {
        return eprintln!("skipped: no ptxas, so the numbers are not measured again");
    };
    let sample: Vec<&Text> = texts.iter().filter(|text| hash(&text.entry).is_multiple_of(97)).collect();
    let same =
        sample.iter().filter(|text| known[text.target].get(&text.entry) == Some(&measure(&ptxas, text)));
    let same = same.count();
    println!("{same} of {} measured again are as they were", sample.len());
    assert!(same * 10 >= sample.len() * 7, "the numbers are of other texts: UPDATE_EXPECT=1 measures again");
}

#[test]
fn a_fit_finds_the_constants_that_made_the_numbers() {
    let truth: Terms = std::array::from_fn(|at| at as f64 - 2.5);
    let points: Vec<Point> = (0..200_u64)
        .map(|at| {
            let terms: Terms = std::array::from_fn(|term| (hash(&format!("{at} {term}")) % 64) as f64);
            let mut point = Point {
                target: "sm_90",
                entry: String::new(),
                terms,
                estimate: 0.0,
                registers: 0.0,
                is_fitted: true,
            };
            point.registers = predicted(&point, &truth).max(1.0);
            point
        })
        .filter(|point| point.registers > 1.0)
        .collect();
    let found = fit(&points.iter().collect::<Vec<_>>());
    assert!(found.iter().zip(truth).all(|(found, truth)| (found - truth).abs() < 1e-6), "{found:?}");
}
