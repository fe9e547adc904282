//! Rows through exponentials: softmax, its logarithm, and the logarithm of the sum, in scalar steps.
//!
//! | kernel | formula, m being the greatest of the row | walks |
//! | --- | --- | --- |
//! | `row_softmax` | exp(x − m) / Σ exp(x − m) | three |
//! | `row_softmax_tempered` | the same of x / temperature | three |
//! | `row_softmax_online` | the same as the first; the sum is kept relative to the greatest so far | two |
//! | `row_softmax_causal` | the same of x · scale over the elements that a row sees | two |
//! | `row_log_softmax` | (x − m) − log Σ exp(x − m) | three |
//! | `row_logsumexp` | m + log Σ exp(x − m) | two |
//! | `row_logsumexp_online` | the same, the sum kept relative to the greatest so far | one |
//!
//! A CTA a row, of any size. Everything is in f32, each operation rounded; T is rounded to once. The sum of a thread is in
//! index order, then over the CTA; the online kernels compute `sum · exp(old − new) + exp(x − new)` at every element, product
//! and sum rounded, and scale each thread's sum to the greatest of the row before the CTA adds.
//!
//! The greatest ignores NaN; the exponential of a NaN is NaN and so is the sum, so one NaN makes its row NaN. What the
//! formulas give at the ends:
//!
//! | row | softmax, as written | online, causal | log-softmax | log-sum-exp |
//! | --- | --- | --- | --- | --- |
//! | 2000, 1999 | 0.731…, 0.268… | the same | −0.313…, −1.313… | 2000.313… |
//! | −1e30, −1e30 | ½, ½ | ½, ½ | −log 2 | −1e30 |
//! | −∞ in part | 0 there | 0 there | −∞ there | of the rest |
//! | all −∞ | NaN: −∞ − −∞ | 0 | NaN | −∞ |
//! | a +∞ | NaN: ∞ − ∞ | NaN | NaN | ∞ |
//! | a NaN | NaN | NaN | NaN | NaN |
//!
//! The online kernels differ for rows of −∞ because a thread without elements starts from −∞: they subtract 0 instead, get
//! a sum of 0, and give 0 for x/0. (The idiom `select(sum > 0, x / sum, 0)` would do the same and turn a NaN into 0 too, so
//! they ask `sum == 0`.) Log-sum-exp subtracts 0 for either infinity.
//!
//! | result | tolerance | reason |
//! | --- | --- | --- |
//! | f32 softmax, log-softmax | rel(4e-6) | the exponential 1.2e-7, each addition of a way (40 + 10 at most) 6e-8 of a positive sum, the division 6e-8; the difference x − m rounds in the reference too |
//! | f32 online | rel(6e-6) | the terms were scaled from one greatest to the next: the differences round to 6e-8 of 12 |
//! | f32 log-sum-exp | rel(1e-6) | what the sum's error moves the logarithm by, 4e-6, beside results above 5 |
//! | f32 special rows | ulp(16) | the same in steps, because some results are subnormal |
//! | f16, bf16 | ulp(1) | the f32 value may lie on the other side of a tie of the stored type |
//!
//! Kept simple: no vector access, a row is not kept in registers between walks.

mod cases;
mod cases_log;
mod cases_special;
pub mod kernel;
pub mod logarithms;
mod reference;
