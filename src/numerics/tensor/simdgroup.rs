//! Which lane holds which element of a portable 8×8 matrix: two neighbours of a row each, the same for A, B and C.
//!
//! With q = lane / 4: row (q & 4) + (lane / 2) mod 4; columns (q & 2) · 2 + (lane mod 2) · 2 and the next. Every bit of
//! a lane is one bit of a row or a column. Nobody else writes this map. Deliberately not here: how an instruction
//! spreads its fragments (`layout`), which is a permutation of lanes away for A and C.

/// Rows and columns of the matrix.
pub const SIMDGROUP_SIDE: usize = 8;

/// Elements that a lane holds.
pub const SIMDGROUP_ELEMENTS: usize = 2;

/// Row and column of a lane's element `index`.
pub const fn simdgroup_position(lane: usize, index: usize) -> (usize, usize) {
    let quad = lane / 4;
    ((quad & 4) + lane / 2 % 4, (quad & 2) * 2 + lane % 2 * 2 + index)
}

/// The lane that holds an element, and its index there: the inverse of [`simdgroup_position`].
pub const fn simdgroup_holder(row: usize, column: usize) -> (usize, usize) {
    let lane = (row & 4) << 2 | (column & 4) << 1 | (row & 3) << 1 | (column & 2) >> 1;
    (lane, column % 2)
}

#[cfg(test)]
mod tests {
    use super::super::LANES;
    use super::*;

    #[test]
    fn positions_are_those_of_the_contract() {
        // The first lanes of each half of a quad, spelled out.
        let rows: Vec<_> = (0..LANES).map(|lane| simdgroup_position(lane, 0)).collect();
        assert_eq!(rows[..8], [(0, 0), (0, 2), (1, 0), (1, 2), (2, 0), (2, 2), (3, 0), (3, 2)]);
        assert_eq!(rows[8..12], [(0, 4), (0, 6), (1, 4), (1, 6)]);
        assert_eq!(rows[16..20], [(4, 0), (4, 2), (5, 0), (5, 2)]);
        assert_eq!(rows[31], (7, 6));
    }

    #[test]
    fn every_element_has_one_holder() {
        for row in 0..SIMDGROUP_SIDE {
            for column in 0..SIMDGROUP_SIDE {
                let (lane, index) = simdgroup_holder(row, column);
                assert_eq!(simdgroup_position(lane, index), (row, column));
            }
        }
    }
}
