//! A device's matrix unit as a source of results: what the real instruction makes of recorded operands.
//!
//! On entry: a device that runs PTX. On exit: D of each tile, one warp and one `mma` a tile, the fragments loaded and
//! stored as registers. Deliberately not here: who compares them, and with what (`numerics::tensor`).

use std::fmt::Write as _;

use super::device::Device;
use super::error::LaunchError;
use super::launch::LaunchBuilder;
use crate::diag::Help as _;
use crate::ir::op::register_type;
use crate::ir::parse::parse;
use crate::ir::{Kernel, Mode};
use crate::numerics::tensor::{
    Form, Layout, NotComputed, Operand, Operation, RecordedTile, Section, Source, gather, spread,
};

/// The matrix unit of a device.
#[derive(Clone, Copy, Debug)]
pub struct MatrixUnit<'d>(pub &'d Device);

impl Source for MatrixUnit<'_> {
    fn results(&self, section: &Section<'_>) -> Result<Vec<Vec<u64>>, NotComputed> {
        match section.operation() {
            None => Err(NotComputed::Unknown),
            Some(Operation::Wgmma(_)) => {
                Err(NotComputed::Failed("there is no kernel for `wgmma`, only for `mma`".into()))
            }
            Some(Operation::Mma(form)) if form.kind.scale().is_some() => Err(NotComputed::Scaled),
            Some(Operation::Mma(form)) => {
                let tiles: Vec<RecordedTile> = section.each().collect();
                self.multiply(&form, &tiles).map_err(|error| match &error {
                    LaunchError::Compile(refused) if refused.is_unsupported() => {
                        NotComputed::Absent(self.0.target().to_string())
                    }
                    _ => NotComputed::Failed(one_line(&error)),
                })
            }
        }
    }
}

impl MatrixUnit<'_> {
    fn multiply(&self, form: &Form, tiles: &[RecordedTile]) -> Result<Vec<Vec<u64>>, LaunchError> {
        let kernel = mma_kernel(form);
        let upload = |operand: Operand, matrix: &dyn Fn(&RecordedTile) -> Vec<u64>| {
            let size = register_type(form, operand).size() as usize;
            let words = tiles.iter().flat_map(|tile| spread(form, operand, &matrix(tile)));
            let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes().into_iter().take(size)).collect();
            self.0.upload_as(register_type(form, operand), &bytes)
        };
        let a = upload(Operand::A, &|tile| tile.a.clone())?;
        let b = upload(Operand::B, &|tile| tile.b.clone())?;
        let mut c = upload(Operand::C, &|tile| tile.c.clone())?;
        LaunchBuilder::of(self.0, &kernel)
            .mode(Mode::Reduction)
            .bind("a", &a)
            .bind("b", &b)
            .bind_mut("c", &mut c)
            .grid_3d(tiles.len() as u64, 1, 1, [32, 1, 1])
            .run()?;
        let (bytes, size) = (c.read()?, register_type(form, Operand::C).size() as usize);
        let registers = Layout::of(form, Operand::C).registers();
        let word = |at: usize| {
            let mut word = [0; 8];
            word[..size].copy_from_slice(&bytes[at * size..(at + 1) * size]);
            u64::from_le_bytes(word)
        };
        let tile = |tile: usize| {
            gather(form, Operand::C, |lane, register| word((tile * 32 + lane) * registers + register))
        };
        Ok((0..tiles.len()).map(tile).collect())
    }
}

/// An error and what to do, for a table.
fn one_line(error: &LaunchError) -> String {
    let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{error}{help}").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A kernel of one `mma` a warp: C += A · B, each thread's registers of `a`, `b` and `c` side by side; the words of
/// `scale_a` and `scale_b`, one a thread, where the form has scales.
pub fn mma_kernel(form: &Form) -> Kernel {
    parse(&text(form)).expect("the text is a kernel for every form")
}

fn text(form: &Form) -> String {
    let dtype = |operand| register_type(form, operand);
    let [a, b, c] = [Operand::A, Operand::B, Operand::C].map(dtype);
    let mut body = String::from("    v0 = global_id.x\n");
    let mut next = 1;
    let mut lists = Vec::new();
    let mut places = Vec::new();
    for (operand, name) in [(Operand::A, "a"), (Operand::B, "b"), (Operand::C, "c")] {
        let count = Layout::of(form, operand).registers();
        write!(body, "    v{next} = const {count}u32\n    v{} = mul v0, v{next}\n", next + 1)
            .expect(INFALLIBLE);
        let first = next + 1;
        next += 2;
        let mut registers = Vec::new();
        places.clear();
        for register in 0..count {
            let [number, place, value] = [next, next + 1, next + 2];
            next += 3;
            write!(body, "    v{number} = const {register}u32\n    v{place} = add v{first}, v{number}\n")
                .expect(INFALLIBLE);
            writeln!(body, "    v{value} = load {name}[v{place}]").expect(INFALLIBLE);
            registers.push(format!("v{value}"));
            places.push(place);
        }
        lists.push(format!("({})", registers.join(", ")));
    }
    let results: Vec<String> = (0..places.len()).map(|register| format!("v{}", next + register)).collect();
    let [left, right, sums] = &lists[..] else { unreachable!("there are three operands") };
    let (mut params, mut scales) = (String::new(), String::new());
    if form.kind.scale().is_some() {
        let [word_a, word_b] = [next + places.len(), next + places.len() + 1];
        writeln!(body, "    v{word_a} = load scale_a[v0]\n    v{word_b} = load scale_b[v0]")
            .expect(INFALLIBLE);
        params.push_str("scale_a: global u32, scale_b: global u32, ");
        scales = format!(" scales v{word_a} byte 0 thread 0, v{word_b} byte 0 thread 0");
    }
    let d = results.join(", ");
    writeln!(body, "    {d} = mma.tensor.{form} {left}, {right}, {sums}{scales}").expect(INFALLIBLE);
    for (place, result) in places.iter().zip(&results) {
        writeln!(body, "    store c[v{place}], {result}").expect(INFALLIBLE);
    }
    format!(
        "kernel @warpsmith::mma_check({params}a: global {a}, b: global {b}, mut c: global {c}) mode(reduction) cta(32) {{\n{body}}}\n"
    )
}

const INFALLIBLE: &str = "a String takes every text";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::tensor::Golden;
    use crate::runtime::EmuSettings;
    use crate::target::Target;

    #[test]
    fn every_form_has_a_kernel() {
        for form in Form::all() {
            assert!(parse(&text(&form)).is_ok(), "{}", text(&form));
        }
    }

    #[test]
    fn the_emulated_instructions_give_the_recorded_bits() {
        let golden = include_bytes!("../../tests/data/mma_golden_sm90.bin");
        let others = include_bytes!("../../tests/data/mma_pairs_f64_sm90.bin");
        let files = [Golden::read(golden).unwrap(), Golden::read(others).unwrap()];
        let device = Device::emulator(EmuSettings { target: Target::SM_90, ..EmuSettings::default() });
        let mut compared = 0;
        for section in files.iter().flat_map(Golden::sections) {
            let Some(Operation::Mma(form)) = section.operation() else { continue };
            let given = MatrixUnit(&device).results(section).unwrap();
            let recorded: Vec<Vec<u64>> = section.each().map(|tile| tile.d).collect();
            assert_eq!(given, recorded, "{form}");
            compared += section.results();
        }
        assert!(compared > 60_000 + 61_000, "{compared}");
    }
}
