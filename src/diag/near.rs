//! Which known names look most like one that is not known.
//!
//! On entry: any names. On exit: the nearest, best first; none where a suggestion would be noise. Deliberately not here:
//! how a name is shown.

/// At most this many names are suggested.
#[cfg(feature = "cli")]
const MOST: usize = 3;

/// The known names that look most like `name`, the nearest first, and those as near in their own order.
#[cfg(feature = "cli")]
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    // Beyond half of the name, a suggestion is noise.
    let limit = 1.max(wanted.chars().count() / 2);
    let mut near: Vec<_> = known
        .map(|candidate| (edits(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().take(MOST).map(|(_, candidate)| candidate).collect()
}

/// Letters to insert, drop or change to get from one word to the other: Levenshtein's distance, by one row of the table.
pub(crate) fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (at, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", "abc"), 0);
    }

    #[test]
    fn the_nearest_come_first_and_noise_never() {
        let known = ["ldmatrix.x1", "ldmatrix.x4", "swizzle.128B"];
        assert_eq!(nearest("ldmatrx.x4", known.into_iter()), ["ldmatrix.x4", "ldmatrix.x1"]);
        assert_eq!(nearest("SWIZZLE.128b", known.into_iter()), ["swizzle.128B"]);
        assert!(nearest("q", known.into_iter()).is_empty());
    }
}
