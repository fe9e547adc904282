//! Reads a launch class as `dump` and the headers of emitted text write it.

use crate::ir::{ExtentKind, GridForm, Keyword, LaunchClass, Mode};

/// `reduction cta=256x1x1 extent=whole align=16 grid=native`; all but the mode may be left out.
pub(super) fn class(text: &str) -> Result<LaunchClass, String> {
    let mut words = text.split_whitespace();
    let mode = words.next().and_then(Mode::from_keyword).ok_or_else(|| {
        let known: Vec<_> = Mode::ALL.iter().map(|(_, word)| *word).collect();
        format!("a class begins with a mode: {}", known.join(", "))
    })?;
    let mut class = LaunchClass::new(mode, None);
    for word in words {
        let wrong = || format!("`{word}` is none of cta=XxYxZ, extent=…, align=…, grid=…");
        let (key, value) = word.split_once('=').ok_or_else(wrong)?;
        match key {
            "cta" => class.cta = cta(value).ok_or_else(wrong)?,
            "extent" => class.extent = ExtentKind::from_keyword(value).ok_or_else(wrong)?,
            "grid" => class.grid = GridForm::from_keyword(value).ok_or_else(wrong)?,
            "align" => {
                let align = value.parse::<u32>().ok().filter(|align| align.is_power_of_two());
                class.align = align.ok_or_else(wrong)?;
            }
            _ => return Err(wrong()),
        }
    }
    Ok(class)
}

/// `any`, or one to three axes; those left out are 1.
fn cta(text: &str) -> Option<Option<[u32; 3]>> {
    if text == "any" {
        return Some(None);
    }
    let axes: Vec<u32> = text.split('x').map(|axis| axis.parse().ok()).collect::<Option<_>>()?;
    let mut cta = [1; 3];
    cta.get_mut(..axes.len())?.copy_from_slice(&axes);
    Some(Some(cta))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_class_prints_is_read() {
        for mode in [Mode::Elementwise, Mode::Grid3D, Mode::Reduction] {
            for cta in [None, Some([256, 1, 1]), Some([8, 4, 2])] {
                let written = LaunchClass { align: 4, ..LaunchClass::new(mode, cta) };
                assert_eq!(class(&written.to_string()), Ok(written));
            }
        }
        assert_eq!(class("reduction cta=64").map(|class| class.cta), Ok(Some([64, 1, 1])));
        for wrong in ["", "rows", "reduction cta=1x1x1x1", "reduction align=3", "reduction shared=1"] {
            assert!(class(wrong).is_err(), "{wrong}");
        }
    }
}
