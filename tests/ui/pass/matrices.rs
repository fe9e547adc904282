//! Portable matrix words: section 7, every form of each word, and what is refused.

use crate::{body, refused};
use warpsmith::dsl::prelude::*;
use warpsmith::ir::{Launch, Mode};
use warpsmith::oracle::{Arguments, Buffer, Config, run};

#[kernel(mode = Reduction)]
pub fn eights<T>(x: Tensor<T>, mut out: Tensor<f32>, #[scalar] n: u32) {
    threadgroup_alloc("s", 64, T);
    let handle = shared::<T>(64);
    threadgroup_store("s", simd_lane, x[simd_lane]);
    handle[simd_lane] = 1;
    threadgroup_barrier();
    let a = simdgroup_alloc::<T, 8, 8>();
    let b = simdgroup_alloc::<T, 8, 8>();
    let mut c = simdgroup_alloc::<f32, 8, 8>();
    simdgroup_elem_store(c, 0, 0.0);
    simdgroup_elem_store(c, 1, 0.0f32);
    for at in range(0, n, 8) {
        simdgroup_load(a, "s", 0, 8);
        simdgroup_load(b, "x", at, n, true);
        simdgroup_load(a, x, at, n, false);
        simdgroup_load(b, handle, 0u32, 8);
        c = simdgroup_matmul(a, b, c);
    }
    let (row, column) = simdgroup_position(1);
    out[row * 8 + column] = simdgroup_elem_load(c, 1);
}

#[test]
fn matrices_of_8_by_8_build() {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let body = body(eights::kernel_ir_for(dtype));
        assert_eq!(body.matches("fma ").count(), 16, "{body}");
        assert_eq!(body.matches("shuffle.idx").count(), 24, "{body}");
        assert!(!body.contains("mma"), "{body}");
    }
}

#[kernel(mode = Reduction)]
pub fn own(x: Tensor<f32>, mut out: Tensor<f32>) {
    // Each of these is a matrix of its own: `let mut` copies.
    let mut c = [[simdgroup_alloc::<f32, 8, 8>(); 2]; 2];
    let mut d = c[0][0];
    simdgroup_elem_store(c[0][0], 0, x[0]);
    simdgroup_elem_store(d, 0, 5.0);
    d = c[1][1];
    out[0] = simdgroup_elem_load(c[0][0], 0) + simdgroup_elem_load(d, 0);
}

#[test]
fn a_mutable_matrix_is_its_own() {
    let body = body(own::kernel_ir());
    // c[0][0] lies in l2 and l3, d in l10 and l11.
    for line in ["set l2, v12", "set l10, v13", "v16 = get l2", "v17 = get l10"] {
        assert!(body.contains(line), "{line} in\n{body}");
    }
}

#[kernel(mode = Reduction)]
pub fn tiles<T>(x: Tensor<T>, mut out: Tensor<f32>, #[scalar] n: u32) {
    threadgroup_alloc("xs", 16 * 32, coop_stage(T));
    threadgroup_alloc("ws", 32 * 32, coop_stage(T));
    for i in range(tid, 16 * 32, lsize) {
        threadgroup_store("xs", i, x[i]);
    }
    for i in range(tid, 32 * 32, lsize) {
        threadgroup_store("ws", i, 1.0);
    }
    threadgroup_barrier();
    coop_tile_setup("t5", 16, 32, 16, T);
    coop_tile_setup("t6", 16, 32, 16, T, "overwrite");
    coop_tile_setup("t7", 16, 32, 16, f32, "accumulate", "threadgroup");
    coop_tile_setup("t8", 16, 16, 32, coop_stage(T), "overwrite", "simdgroup", f32);
    coop_tile_setup("t9", 16, 32, 32, T, "overwrite", "simdgroup", f32, true);
    coop_tile_setup("t10", 32, 32, 32, T, "overwrite", "simdgroup", f32, false, true);
    coop_tile_setup("t11", 8, 32, 16, T, "overwrite", "simdgroup", f32, false, false, true);
    coop_tile_setup("t12", 16, 32, 16, T, "overwrite", "simdgroup", f32, false, false, false, true);
    coop_tile_setup(
        "t18",
        16,
        32,
        16,
        T,
        "overwrite",
        "simdgroup",
        f32,
        false,
        false,
        false,
        true,
        true,
        32,
        16,
        true,
        32,
        32,
    );
    coop_tile_setup("t5_acc", 16, 32, 16, T, "accumulate");
    coop_tile_share("t6", "t5");
    coop_tile_zero("t5");
    coop_tile_load_a("t5", "xs", true, coop_stage(T), 32, 16);
    coop_tile_load_b("t5", "ws", true, coop_stage(T), 32, 32);
    coop_tile_run("t5");
    coop_tile_load_a("t5_acc", "xs", true, coop_stage(T), 32, 16, 16);
    coop_tile_load_b("t5_acc", "ws", true, coop_stage(T), 32, 32, 16 * 32, false);
    coop_tile_run("t5_acc");
    coop_tile_load_a("t18", "xs", true, coop_stage(T), 32, 16, true);
    coop_tile_load_b("t18", "ws", true, coop_stage(T), 32, 32, 0, true);
    coop_tile_run("t18");
    coop_tile_store_c("t5", "out", false, f32, n, 16);
    coop_tile_store_c("t18", out, false, f32, n, 16, 16 * n);
}

#[test]
fn tiles_build_in_every_form_of_their_words() {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let body = body(tiles::kernel_ir_for(dtype));
        // Three products of depth 16 with 16 sums a lane.
        assert_eq!(body.matches("fma ").count(), 3 * 16 * 16, "{body}");
    }
}

macro_rules! refusals {
    ($($kernel:ident { $($words:tt)* } $message:literal;)*) => {
        $(
            #[kernel(mode = Reduction)]
            pub fn $kernel(x: Tensor<f16>, mut out: Tensor<f32>, flags: Tensor<u32>) {
                let s = shared::<f16>(1024);
                threadgroup_alloc("xs", 1024, f16);
                $($words)*
                s[tid] = x[tid];
                out[tid] = s[tid].cast::<f32>() + flags[tid];
            }
        )*

        #[test]
        fn what_is_wrong_is_said() {
            $(assert_eq!(refused($kernel::kernel_ir()), $message);)*
        }
    };
}

refusals! {
    shape { coop_tile_setup("mm", 16, 24, 16, f16); } "a cooperative tile of 16×24×16";
    mode_word { coop_tile_setup("mm", 16, 32, 16, f16, "add"); } "`add` is no mode of a cooperative tile";
    scope_word { coop_tile_setup("mm", 16, 32, 16, f16, "accumulate", "warp"); } "`warp` is no scope of a cooperative tile";
    factors { coop_tile_setup("mm", 16, 32, 16, f64); } "a cooperative tile with factors of `f64`";
    sums { coop_tile_setup("mm", 16, 32, 16, f16, "accumulate", "simdgroup", f16); }
        "a cooperative tile that accumulates in `f16`";
    unknown { coop_tile_zero("mm"); } "no cooperative tile is named `mm`: none is set up";
    other_name { coop_tile_setup("mm", 16, 32, 16, f16); coop_tile_run("m"); }
        "no cooperative tile is named `m`: there are `mm`";
    not_loaded { coop_tile_setup("mm", 16, 32, 16, f16); coop_tile_run("mm"); }
        "A of `mm` is not loaded before `coop_tile_run`";
    twice { coop_tile_setup("mm", 16, 32, 16, f16); coop_tile_setup("mm", 16, 16, 16, f16); }
        "the cooperative tile `mm` is set up twice, differently";
    shared_c { coop_tile_setup("mm", 16, 32, 16, f16); coop_tile_setup("mm_acc", 32, 32, 16, f16); }
        "`mm_acc` and `mm` can't share C: they differ in rows, columns or scope";
    native_f32 {
        coop_tile_setup("mm", 16, 32, 16, f32);
        coop_tile_numerics("mm", Numerics::TensorCore);
        coop_tile_run("mm");
    } "`mm` multiplies `f32` by the matrix unit";
    late_numerics {
        coop_tile_setup("mm", 16, 32, 16, f16);
        coop_tile_zero("mm");
        coop_tile_numerics("mm", Numerics::TensorCore);
    } "the numerics of `mm` changes after it was used";
    not_memory { coop_tile_setup("mm", 16, 32, 16, f16); coop_tile_load_a("mm", "y", false, f16, 16, 16); }
        "`y` is no flat buffer and no shared array";
    not_shared { coop_tile_setup("mm", 16, 32, 16, f16); coop_tile_load_a("mm", "x", true, f16, 16, 16); }
        "`x` is a buffer, but `is_tg` of `mm` says that it is a shared array";
    integers { coop_tile_setup("mm", 16, 32, 16, f16); coop_tile_load_b("mm", "flags", false, f16, 32, 16); }
        "a cooperative tile in elements of `u32`";
    two_memories {
        coop_tile_setup("mm", 16, 32, 16, f16);
        coop_tile_load_a("mm", "x", false, f16, 16, 16, true);
        coop_tile_load_a("mm", "xs", true, f16, 16, 16, true);
    } "direct loads of A of `mm` name different memory or extents";
    two_ways {
        coop_tile_setup("mm", 16, 32, 16, f16);
        coop_tile_load_a("mm", "x", false, f16, 16, 16, true);
        coop_tile_load_a("mm", "x", false, f16, 16, 16);
    } "A of `mm` is loaded directly in one place and not in another";
    other_extents {
        coop_tile_setup(
            "mm", 16, 32, 16, f16, "overwrite", "simdgroup", f32, false, false, false, true, false, 16, 16, false, 32, 16,
        );
        coop_tile_load_b("mm", "x", false, f16, 64, 16, true);
    } "B of `mm` is loaded with another `is_tg`, `ei` or `eo` than its setup says";
    eight_by_sixteen { let _m = simdgroup_alloc::<f16, 8, 16>(); } "a simdgroup matrix of 8×16";
    eights_of_integers { let _m = simdgroup_alloc::<i32, 8, 8>(); } "a simdgroup matrix of `i32`";
    third_element { let m = simdgroup_alloc::<f16, 8, 8>(); simdgroup_elem_store(m, 2, 1.0); } "element 2 of 2";
    native_eights_of_f32 {
        simdgroup_numerics(Numerics::TensorCore);
        let m = simdgroup_alloc::<f32, 8, 8>();
        simdgroup_matmul(m, m, m);
    } "`simdgroup_matmul` of `f32` and `f32` by the matrix unit";
    other_order {
        let f = form("m16n8k16.f32.bf16.bf16.f32");
        let (a, b) = (Fragment::from_elements(f, Operand::A, |_, _| 1.0f32.val()), Fragment::from_elements(f, Operand::B, |_, _| 1.0f32.val()));
        let _d = mma(&b, &a, &Fragment::zeros(f));
    } "`mma` of B of m16n8k16.f32.bf16.bf16.f32, A of m16n8k16.f32.bf16.bf16.f32 and C of m16n8k16.f32.bf16.bf16.f32";
    no_such_form { let _f = form("m16n8k16.f32.bf16.f16.f32"); }
        "`m16n8k16.f32.bf16.f16.f32` is no form of `mma.sync`: a name is like `m16n8k16.f32.bf16.bf16.f32`, shape, then the types of D, A, B, C";
    numbers_for_words { let _a = Fragment::of(form("m16n8k8.f32.f16.f16.f32"), Operand::A, [1.0f32.val(); 2]); }
        "a register of A of m16n8k8.f32.f16.f16.f32 is `u32`, not `f32`";
    too_few_words { let _a = Fragment::of(form("m16n8k8.f32.f16.f16.f32"), Operand::A, [1u32.val(); 1]); }
        "`mma` of m16n8k8.f32.f16.f16.f32 takes 2 registers of A, not 1";
    ninth_element { let _e = Fragment::zeros(form("m16n8k8.f32.f16.f16.f32")).element(9); } "element 9 of 4";
    other_form {
        let mut acc = Fragment::zeros(form("m8n8k16.s32.s8.s8.s32"));
        acc = Fragment::zeros(form("m16n8k8.f32.f16.f16.f32"));
    } "a fragment C of m8n8k16.s32.s8.s8.s32 is assigned C of m16n8k8.f32.f16.f16.f32";
}

/// A setup makes C zeros wherever it is said, in a loop of either kind.
#[kernel(mode = Reduction, variants(UNROLLED = [0, 1], suffix = "_{UNROLLED}"))]
pub fn set_up_twice(mut out: Tensor<f32>) {
    threadgroup_alloc("ones", 1024, f16);
    for i in range(tid, 1024u32, 32u32) {
        threadgroup_store("ones", i, 1.0);
    }
    threadgroup_barrier();
    if UNROLLED == 1 {
        for round in 0..2 {
            one_round(out, round.val());
        }
    } else {
        for round in range(0u32, 2u32) {
            one_round(out, round);
        }
    }
}

#[kernel_fn]
fn one_round(out: Tensor<f32>, round: Val) {
    coop_tile_setup("sum", 16, 16, 16, f16, "accumulate");
    coop_tile_load_a("sum", "ones", true, f16, 16, 16);
    coop_tile_load_b("sum", "ones", true, f16, 16, 16);
    coop_tile_run("sum");
    coop_tile_store_c("sum", out, false, f32, 16, 16, round * 256);
}

#[test]
fn a_setup_begins_anew_each_round() {
    for kernel in [set_up_twice_0::kernel_ir(), set_up_twice_1::kernel_ir()] {
        let kernel = kernel.unwrap();
        let mut args = Arguments::new(&kernel);
        args.buffer("out", Buffer::from_f32(&[0.0; 512])).unwrap();
        run(&kernel, &Launch::ctas(Mode::Reduction, [1, 1, 1], [32, 1, 1]), &mut args, &Config::default())
            .unwrap();
        for index in 0..512 {
            assert_eq!(args.get("out").unwrap().get(index).unwrap().as_f64(), Some(16.0));
        }
    }
}

#[kernel(mode = Reduction)]
pub fn parted(x: Tensor<f16>, mut out: Tensor<f32>) {
    simdgroup_numerics(Numerics::TensorCore);
    let a = simdgroup_alloc::<f16, 8, 8>();
    let c = simdgroup_alloc::<f32, 8, 8>();
    simdgroup_load(a, x, 0, 8);
    if lane_id() < 16 {
        simdgroup_matmul(a, a, c);
    }
    out[tid] = simdgroup_elem_load(c, 0);
}

#[kernel(mode = Reduction)]
pub fn parted_ieee(x: Tensor<f16>, mut out: Tensor<f32>) {
    let a = simdgroup_alloc::<f16, 8, 8>();
    let c = simdgroup_alloc::<f32, 8, 8>();
    simdgroup_load(a, x, 0, 8);
    if lane_id() < 16 {
        simdgroup_matmul(a, a, c);
    }
    out[tid] = simdgroup_elem_load(c, 0);
}

#[kernel(mode = Reduction)]
pub fn parted_tile(x: Tensor<f16>, mut out: Tensor<f32>) {
    coop_tile_setup("mm", 8, 16, 16, f16);
    coop_tile_numerics("mm", Numerics::TensorCore);
    coop_tile_load_a("mm", x, false, f16, 8, 8);
    coop_tile_load_b("mm", x, false, f16, 8, 8);
    if lane_id() < 16 {
        coop_tile_run("mm");
    }
    coop_tile_store_c("mm", out, false, f32, 8, 4);
}

#[test]
fn a_product_of_a_part_of_a_warp_is_an_error() {
    use warpsmith::ir::{Launch, Mode};
    use warpsmith::oracle::{Arguments, Buffer, Config, run};
    let launch = Launch::ctas(Mode::Reduction, [1, 1, 1], [32, 1, 1]);
    for kernel in [parted::kernel_ir(), parted_ieee::kernel_ir(), parted_tile::kernel_ir()] {
        let kernel = kernel.unwrap();
        let mut args = Arguments::new(&kernel);
        args.buffer("x", Buffer::from_bytes(DType::F16, [0, 0x3c].repeat(64))).unwrap();
        args.buffer("out", Buffer::uninitialised(DType::F32, 32)).unwrap();
        let failure = run(&kernel, &launch, &mut args, &Config::default()).unwrap_err().to_string();
        let says = ["which is not active", "of the 32 lanes"];
        assert!(says.iter().any(|words| failure.contains(words)), "{failure}");
        assert!(failure.contains("matrices.rs:"), "{failure}");
    }
    for kernel in [parted::kernel_ir(), parted_tile::kernel_ir()] {
        let target = warpsmith::target::TargetProfile::parse("sm_90").unwrap();
        let error =
            warpsmith::runtime::compile(&kernel.unwrap(), &launch.class(16), target).unwrap_err().to_string();
        assert!(error.contains("mma") && error.contains("matrices.rs:"), "{error}");
    }
}
