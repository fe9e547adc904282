//! Products of row-major matrices, element by element.
//!
//! On entry: the numbers of the buffers. On exit: for each element of D the number that is right, or right but for the
//! roundings that the family's table allows. Nothing here knows of lanes, fragments or steps.

use warpsmith::numerics::soft::Direction;

/// Row-major factors and what is added, one or more tiles one behind the other.
pub(super) struct Product {
    /// Rows of A, columns of B, and the depth.
    pub(super) shape: [usize; 3],
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
    /// Empty where nothing is added.
    pub(super) c: Vec<f64>,
}

/// What belongs to one element of D: its pairs of factors, k ascending, and what is added.
struct Terms {
    pairs: Vec<(f64, f64)>,
    added: f64,
}

impl Product {
    fn elements(&self) -> impl Iterator<Item = Terms> + '_ {
        let [m, n, k] = self.shape;
        let tiles = self.a.len() / (m * k);
        (0..tiles * m * n).map(move |at| {
            let (tile, row, column) = (at / (m * n), at / n % m, at % n);
            let left = &self.a[(tile * m + row) * k..][..k];
            let right = &self.b[tile * k * n..][..k * n];
            let pairs = left.iter().enumerate().map(|(depth, &x)| (x, right[depth * n + column])).collect();
            Terms { pairs, added: self.c.get(at).copied().unwrap_or(0.0) }
        })
    }

    /// Sums of products: those of at most 24 digits are exact in f64, and the sum is rounded far below any tolerance.
    pub(super) fn sums(&self) -> Vec<f64> {
        let sum = |terms: Terms| terms.pairs.iter().fold(terms.added, |sum, (x, y)| sum + x * y);
        self.elements().map(sum).collect()
    }

    /// Chains of f64 fused multiply-adds from C, k ascending, each rounded in a direction.
    pub(super) fn chains(&self, direction: Direction) -> Vec<f64> {
        let step = |sum: f64, (x, y): &(f64, f64)| directed(x.mul_add(*y, sum), (*x, *y, sum), direction);
        let chain = |terms: Terms| terms.pairs.iter().fold(terms.added, step);
        self.elements().map(chain).collect()
    }

    /// Chains of f32 fused multiply-adds from C, k ascending. The factors are numbers of f32 or narrower.
    pub(super) fn chains_f32(&self) -> Vec<f64> {
        let chain = |terms: Terms| {
            let step = |sum: f32, (x, y): &(f64, f64)| (*x as f32).mul_add(*y as f32, sum);
            f64::from(terms.pairs.iter().fold(terms.added as f32, step))
        };
        self.elements().map(chain).collect()
    }

    /// Sums of integers, clamped once to the range of i32 or wrapped into it.
    pub(super) fn integers(&self, saturates: bool) -> Vec<i128> {
        let sum = |terms: Terms| {
            let products = terms.pairs.iter().map(|(x, y)| *x as i128 * *y as i128);
            let sum = products.fold(terms.added as i128, |sum, product| sum + product);
            if saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { i128::from(sum as i32) }
        };
        self.elements().map(sum).collect()
    }

    /// What is NaN or infinite whatever the order of the sum, else `None`. An infinity counts only where the finite terms
    /// stay below `limit`, so that no partial sum of theirs is one too.
    pub(super) fn decided(&self, limit: f64) -> Vec<Option<f64>> {
        let decide = |terms: Terms| {
            let is_finite = |(x, y): &&(f64, f64)| x.is_finite() && y.is_finite();
            let (finite, special): (Vec<_>, Vec<_>) = terms.pairs.iter().partition(is_finite);
            let added = terms.added;
            let bound = finite.iter().map(|(x, y)| (x * y).abs()).sum::<f64>();
            let bound = if added.is_finite() { bound + added.abs() } else { bound };
            let products = special.iter().map(|(x, y)| x * y).sum::<f64>();
            let sum = if added.is_finite() { products } else { products + added };
            (sum.is_nan() || (sum.is_infinite() && bound < limit)).then_some(sum)
        };
        self.elements().map(decide).collect()
    }
}

/// `x · y + sum` in a direction, from the nearest number: how far that is off has a sign, which exact differences of f64 tell.
/// Right where neither the product nor its last digit leaves the range of f64.
fn directed(nearest: f64, (x, y, sum): (f64, f64, f64), direction: Direction) -> f64 {
    if !nearest.is_finite() || direction == Direction::Rn {
        return nearest;
    }
    // x · y = product + low, sum + product = high + left: each exactly.
    let product = x * y;
    let low = x.mul_add(y, -product);
    let high = sum + product;
    let part = high - sum;
    let left = (sum - (high - part)) + (product - part);
    let error = (high - nearest) + (left + low);
    let (up, down) = (error > 0.0, error < 0.0);
    match direction {
        Direction::Rp if up => nearest.next_up(),
        Direction::Rm if down => nearest.next_down(),
        Direction::Rz if up && nearest < 0.0 => nearest.next_up(),
        Direction::Rz if down && nearest > 0.0 => nearest.next_down(),
        // An exact sum of nothing is −0, but of two +0.
        Direction::Rm if nearest == 0.0 && !(product.to_bits() == 0 && sum.to_bits() == 0) => -0.0,
        Direction::Rn | Direction::Rz | Direction::Rm | Direction::Rp => nearest,
    }
}
