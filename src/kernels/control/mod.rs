//! Control flow: loops that each thread leaves in its own time, CTAs of several axes, warps with roles, inline text.
//!
//! | kernel | formula | rounding | judged by |
//! | --- | --- | --- | --- |
//! | `collatz` | steps of x → x/2 or 3x + 1 to 1, at most `limit` | none, wrapping in T | bits |
//! | `gcd` | Euclid's greatest common divisor | none | bits |
//! | `newton_sqrt` | y ← (y + a/y)/2 from above until it falls no more, and how often | each operation to f32 | bits |
//! | `primes_below` | primes below x, by trial division | none | bits |
//! | `binary_search` | first position in a sorted row whose element is not below the key | none | bits |
//! | `nested_exits` | a hash over three nested loops with `break` and `continue` | none, wrapping | bits |
//! | `mandelbrot` | rounds of z ← z² + c before \|z\|² > 4, at most `limit` | each operation to f32 | bits |
//! | `stencil_5` | 4x − (left + right) − (up + down), edges repeated | each operation to T | bits |
//! | `rotate_axes` | out[x, z, y] = in[z, y, x] | none | bits |
//! | `places` | warp, lane, warps and CTA of each thread of a CTA of three axes | none | bits |
//! | `swap_lanes` | lanes 2i and 2i + 1 exchanged, in CTAs whose warps cross rows | none | bits |
//! | `reverse_bytes`, `high_product`, `majority`, `add_with_carry` | as named, in PTX with a model | none | bits |
//! | `pipeline` | 3x + 1 through shared memory, one half of the CTA loading, the other computing | none, wrapping in T | bits |
//!
//! The loops diverge on purpose: neighbours run a different number of rounds, and every kind of exit is under a condition that
//! only some lanes of a warp meet. `places` and `swap_lanes` take CTAs whose first axis is no multiple of 32.

mod cases;
mod cases_shapes;
pub mod inline;
pub mod kernel;
mod reference;
pub mod roles;
pub mod shapes;
