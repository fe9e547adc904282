//! Words that messages of every stage need: numbers of things, and why the system refuses a file.
//!
//! Entry: a number, or an error of the standard library. Exit: words that stand inside a sentence. Not here: sentences.

use std::fmt::Display;
use std::io::{self, ErrorKind};

/// `1 byte`, `2 bytes`, `0 entries`.
pub(crate) fn count<N: Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    if number == N::from(1) { format!("1 {thing}") } else { format!("{number} {}", plural(thing)) }
}

fn plural(thing: &str) -> String {
    match thing.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if thing.ends_with("ch") || thing.ends_with('s') => format!("{thing}es"),
        _ => format!("{thing}s"),
    }
}

/// Why the system did not do something with a file. The words of the standard library differ by how an error was made
/// (`entity not found`), and end in a number that tells a user nothing.
pub(crate) fn io_reason(error: &io::Error) -> String {
    let is_ours = error.get_ref().is_some();
    match error.kind() {
        ErrorKind::NotFound if !is_ours => "no such file or folder".into(),
        ErrorKind::PermissionDenied if !is_ours => "permission denied".into(),
        ErrorKind::IsADirectory if !is_ours => "it is a folder".into(),
        ErrorKind::NotADirectory if !is_ours => "a part of the path is no folder".into(),
        ErrorKind::StorageFull if !is_ours => "no space is left".into(),
        _ => {
            let text = error.to_string();
            let end = text.find(" (os error ").unwrap_or(text.len());
            text[..end].to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!(count(1_u32, "byte"), "1 byte");
        assert_eq!(count(0_usize, "entry"), "0 entries");
        assert_eq!(count(2_u64, "launch"), "2 launches");
        assert_eq!(count(-1_i64, "array"), "-1 arrays");
        assert_eq!(count(3_u128, "CTA"), "3 CTAs");
    }

    #[test]
    fn reasons_are_one_for_each_kind() {
        let system = std::fs::read("/none/none").unwrap_err();
        assert_eq!(io_reason(&system), "no such file or folder");
        assert_eq!(io_reason(&ErrorKind::NotFound.into()), "no such file or folder");
        assert_eq!(
            io_reason(&io::Error::new(ErrorKind::PermissionDenied, "it is no regular file")),
            "it is no regular file"
        );
        assert_eq!(io_reason(&io::Error::other("odd")), "odd");
    }
}
