//! What is known of a device's matrix unit, beside verdicts that depend on it.
//!
//! On entry: a kernel and the device that ran it. On exit: which model said what its products are, and with what evidence;
//! and, for a mismatch on a chip that nobody measured, what the real instruction makes of recorded operands: either the
//! model is wrong there, and the results are saved for it to be mended by, or the kernel is.

use crate::ir::Kernel;
use crate::ir::op::{Mma, Numerics, Op};
use crate::numerics::tensor::{
    Evidence, Form, Golden, Operation, Section, Source as _, TensorModel, check_section,
};
use crate::runtime::{Device, MatrixUnit};

/// Operands that tell models apart, with what an H200 made of them.
const RECORDED: [&[u8]; 2] = [
    include_bytes!("../../tests/data/mma_golden_sm90.bin"),
    include_bytes!("../../tests/data/mma_pairs_f64_sm90.bin"),
];

/// The forms that a kernel asks the matrix unit for.
fn forms(kernel: &Kernel) -> Vec<Form> {
    let mut forms = Vec::new();
    kernel.walk(kernel.body, &mut |_, inst| {
        if let Op::Mma(Mma { numerics: Numerics::TensorCore, form, .. }) = &inst.op
            && !forms.contains(form)
        {
            forms.push(*form);
        }
    });
    forms
}

/// For each form that a kernel uses, the model that gives its bits and the evidence for it.
pub(super) fn models(kernel: &Kernel, device: &Device) -> Vec<String> {
    let model = device.tensor_model();
    forms(kernel)
        .iter()
        .map(|form| format!("{form} by the model of {model}: {}", model.evidence(form)))
        .collect()
}

/// For a kernel that gave other bits: what the device's own instruction gives for the forms that nobody measured on it.
pub(super) fn settle(kernel: &Kernel, device: &Device) -> Vec<String> {
    let model = device.tensor_model();
    let unmeasured = |form: &Form| model.evidence(form) != Evidence::Measured;
    let files: Vec<Golden<'_>> = RECORDED.iter().filter_map(|bytes| Golden::read(bytes).ok()).collect();
    let forms: Vec<Form> = forms(kernel).into_iter().filter(unmeasured).collect();
    forms.iter().map(|form| settle_form(form, &files, model, device)).collect()
}

fn settle_form(form: &Form, files: &[Golden<'_>], model: TensorModel, device: &Device) -> String {
    let known = format!("{form} by the model of {model} ({})", model.evidence(form));
    let is_form = |section: &&Section<'_>| section.operation() == Some(Operation::Mma(*form));
    let Some(section) = files.iter().flat_map(Golden::sections).find(is_form) else {
        return format!("{known}: there are no recorded operands to ask the device with");
    };
    let unit = MatrixUnit(device);
    let (matched, total) = match check_section(section, &model, &unit) {
        checked if checked.reason.is_none() => (checked.matched, checked.total),
        checked => {
            let why = checked.reason.map(|reason| reason.to_string()).unwrap_or_default();
            return format!("{known}: the device could not be asked: {why}");
        }
    };
    if matched == total {
        return format!("{known}: the device gives the same {total} results, so look at the kernel");
    }
    let saved = unit.results(section).map_err(|error| error.to_string()).and_then(|results| {
        let path = std::env::temp_dir().join(format!("warpsmith-{}-{form}.bin", device.target()));
        std::fs::write(&path, section.with_results(&results)).map_err(|error| error.to_string())?;
        Ok(path)
    });
    let differing = total - matched;
    match saved {
        Ok(path) => format!(
            "{known}: {differing} of {total} results differ on the device, which are saved in {}",
            path.display()
        ),
        Err(error) => {
            format!("{known}: {differing} of {total} results differ on the device; not saved: {error}")
        }
    }
}

#[cfg(all(test, feature = "kernels"))]
mod tests {
    use super::*;
    use crate::corpus::{Filter, Pattern, catalog};

    /// The forms of the kernels whose names begin so.
    fn covered(beginnings: &[&str]) -> Vec<Form> {
        let (kernels, errors) =
            catalog(&Filter { names: vec![Pattern::new("kernels::mma::")], ..Filter::default() });
        assert!(errors.is_empty(), "{errors:?}");
        let begins = |path: &str| beginnings.iter().any(|beginning| path.contains(&format!("::{beginning}")));
        let instances =
            kernels.iter().filter(|kernel| begins(&kernel.path)).flat_map(|kernel| &kernel.instances);
        instances.flat_map(|instance| forms(&instance.kernel)).collect()
    }

    #[test]
    fn every_form_has_a_tile_and_a_sum_over_k() {
        let tiles = covered(&["mma_tile_", "mma_scaled_tile_"]);
        let loops = covered(&["mma_k_loop_", "mma_pair_k_loop_", "mma_scaled_k_loop_"]);
        for form in Form::all() {
            assert!(tiles.contains(&form), "no tile of {form}");
            assert!(loops.contains(&form), "no sum over K of {form}");
        }
    }
}
