//! Geometry in every mode, tail CTAs included.

use super::*;
use crate::ir::{GridForm, Mode};

/// Every register that a mode has, of every thread, by `global_id` as the launch counts them.
fn registers(mode: Mode, launch: Launch, names: &[&str]) -> Vec<Vec<u64>> {
    let mut text = "kernel @k(mut out: global u32) { v0 = global_id.x v1 = global_id.y v2 = global_id.z
        v3 = cta_dim.x v4 = grid_dim.x v5 = mul v3, v4 v6 = cta_dim.y v7 = grid_dim.y v8 = mul v6, v7
        v9 = mul v2, v8 v10 = add v9, v1 v11 = mul v10, v5 v12 = add v11, v0 "
        .to_owned();
    text += &format!("v13 = const {}u32 v14 = mul v12, v13 ", names.len());
    for (at, name) in names.iter().enumerate() {
        text +=
            &format!("w{at} = {name} c{at} = const {at}u32 i{at} = add v14, c{at} store out[i{at}], w{at} ");
    }
    text += "}";
    assert_eq!(launch.mode, mode);
    let threads = launch.cta_count() * launch.cta_threads();
    let args = run_text(&text, launch, vec![("out", u32s(threads * names.len() as u64))]).unwrap();
    let all = bits(&args, "out");
    all.chunks(names.len()).map(|row| row.iter().flatten().copied().collect()).collect()
}

#[test]
fn elementwise_counts_threads_and_stops_at_the_extent() {
    let names = ["program_id.x", "program_id.y", "tid", "thread_id.x", "cta_id.x", "lane_id", "warp_id"];
    let rows = registers(Mode::Elementwise, Launch::linear(100, 64), &names);
    assert_eq!(rows.len(), 128);
    assert_eq!(rows[0], [0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(rows[99], [99, 0, 99, 35, 1, 3, 1]);
    assert!(rows[100..].iter().all(Vec::is_empty), "threads beyond the extent store nothing");
}

#[test]
fn grid3d_counts_threads_on_each_axis() {
    let launch = Launch::threads(Mode::Grid3D, [5, 3, 2], [4, 2, 1]);
    assert_eq!(launch.grid, [2, 2, 2]);
    let rows = registers(
        Mode::Grid3D,
        launch,
        &["program_id.x", "program_id.y", "program_id.z", "lane_id", "cta_dim.y", "grid_dim.z"],
    );
    // Row-major over 8 × 4 × 2 threads, of which 5 × 3 × 2 take part.
    for (at, row) in rows.iter().enumerate() {
        let (x, y, z) = (at as u64 % 8, at as u64 / 8 % 4, at as u64 / 32);
        if x < 5 && y < 3 {
            assert_eq!(*row, [x, y, z, x % 4 + 4 * (y % 2), 2, 2]);
        } else {
            assert!(row.is_empty());
        }
    }
}

#[test]
fn reduction_and_tile_modes_count_ctas() {
    for mode in [Mode::Reduction, Mode::SimdGroup2D, Mode::Tile2D] {
        let launch = Launch::ctas(mode, [2, 3, 1], [48, 2, 1]);
        let names =
            ["program_id.x", "program_id.y", "tid", "thread_id.y", "lane_id", "warp_id", "warps_per_cta"];
        let rows = registers(mode, launch, &names);
        assert_eq!(rows.len(), 2 * 3 * 96);
        // Thread (40, 1) of CTA (1, 2): global (88, 5), linear 88 in its CTA.
        assert_eq!(rows[5 * 96 + 88], [1, 2, 40, 1, 88 % 32, 2, 3]);
    }
}

#[test]
fn an_extent_on_whole_cta_modes_is_counted_in_threads() {
    let launch = Launch::threads(Mode::Reduction, [40, 1, 1], [32, 1, 1]);
    let rows = registers(Mode::Reduction, launch, &["program_id.x", "tid"]);
    assert_eq!((rows[39].clone(), rows[40].len()), (vec![1, 7], 0));
}

#[test]
fn a_tall_grid_and_an_empty_one_run() {
    let text = "kernel @k(mut out: global u32) { v0 = cta_id.y store out[v0], v0 }";
    let launch = Launch::ctas(Mode::Reduction, [1, 70_000, 1], [1, 1, 1]);
    assert_eq!(launch.class(16).grid, GridForm::Linear);
    let args = run_text(text, launch, vec![("out", u32s(70_000))]).unwrap();
    assert_eq!(written(&args, "out")[69_999], 69_999);

    let kernel = kernel(text);
    let mut args = arguments(&kernel, vec![("out", u32s(0))]);
    let none = Launch::ctas(Mode::Reduction, [4, 0, 4], [32, 1, 1]);
    assert_eq!(run(&kernel, &none, &mut args, &Config::default()).unwrap(), Stats::default());
    assert_eq!(run(&kernel, &Launch::linear(0, 32), &mut args, &Config::default()).unwrap().ctas, 0);
}

#[test]
fn chosen_ctas_alone_run() {
    let text = "kernel @k(mut out: global u32) { v0 = program_id.x store out[v0], v0 }";
    let kernel = kernel(text);
    let mut args = arguments(&kernel, vec![("out", u32s(10))]);
    let config = Config { ctas: Some([1, 4, 99].into()), ..Config::default() };
    let stats = run(&kernel, &Launch::linear(10, 2), &mut args, &config).unwrap();
    assert_eq!((stats.ctas, stats.lane_operations), (2, 4));
    let (none, some) = (None, Some);
    assert_eq!(bits(&args, "out"), [none, none, some(2), some(3), none, none, none, none, some(8), some(9)]);
}
