//! Settings that several subtests read: the launch class and the target.

use libtest_mimic::Failed;
use warpsmith::ir::{ExtentKind, GridForm, Keyword, LaunchClass, Mode};
use warpsmith::target::TargetProfile;

use crate::File;

/// `; class reduction cta=32x8x1 extent=axes align=16 grid=native`; all but the mode may be left out.
pub(crate) fn class(file: &File) -> Result<Option<LaunchClass>, Failed> {
    let Some(text) = file.setting("class") else { return Ok(None) };
    let wrong = |word: &str| Failed::from(format!("`{word}` is not part of a launch class"));
    let mut words = text.split_whitespace();
    let mode = words.next().unwrap_or_default();
    let mode = Mode::from_keyword(mode).ok_or_else(|| wrong(mode))?;
    let mut class = LaunchClass::new(mode, None);
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(|| wrong(word))?;
        match key {
            "cta" => {
                let axes: Vec<u32> = value.split('x').map(str::parse).collect::<Result<_, _>>()?;
                class.cta = Some(axes.try_into().map_err(|_| wrong(word))?);
            }
            "extent" => class.extent = ExtentKind::from_keyword(value).ok_or_else(|| wrong(word))?,
            "align" => class.align = value.parse()?,
            "grid" => class.grid = GridForm::from_keyword(value).ok_or_else(|| wrong(word))?,
            _ => return Err(wrong(word)),
        }
    }
    Ok(Some(class))
}

/// `; target sm_90`, which is also the default.
pub(crate) fn target(file: &File) -> Result<TargetProfile, Failed> {
    Ok(TargetProfile::parse(file.setting("target").unwrap_or("sm_90"))?)
}
