//! `vprintf`, in which device code of `printf` ends: one line of text after the other, for whoever launched the kernel.
//!
//! Entry: in each lane the generic addresses of the format and of the values, which lie one after the other, each at its
//! own alignment, as C promotes them. Exit: what the lanes print is noted for their CTA, the lowest lane first; the result is
//! the number of values taken. Deliberately not here: `%n`, which is printed as it stands, as is anything else that C does
//! not know.

use super::context::Context;
use super::file::LANES;
use super::finding::Finding;
use super::load_store::{self, Fault, Memories, lanes_of};
use super::micro::Micro;
use super::warp::{Warp, memories};

/// Bytes that one CTA may print: a loop that never ends must not take the memory of the machine.
const MOST_BYTES: usize = 1 << 20;

/// Most bytes of a text in memory, and most columns that a conversion may ask for.
const MOST_TEXT: usize = 4096;

impl Warp {
    /// Prints in the lanes of the mask.
    pub(super) fn print(
        &mut self,
        micro: &Micro,
        mask: u32,
        pc: u32,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let (formats, values) = (*self.file.read::<u64>(micro.a), *self.file.read::<u64>(micro.b));
        let mut counts = [0_u32; LANES];
        for lane in lanes_of(mask) {
            let memories = memories(context.launch, &mut context.shared, &mut self.local);
            let mut lane_memory = LaneMemory { lane, memories, value: values[lane], taken: 0 };
            let done = lane_memory.text(formats[lane]).and_then(|format| printed(&format, &mut lane_memory));
            counts[lane] = lane_memory.taken;
            let text = done.map_err(|fault| context.fault(&fault, pc, self.index, 1, "load"))?;
            context.note_print(&text);
        }
        self.file.write::<u32>(micro.d, &counts, mask);
        Ok(())
    }
}

impl Context<'_> {
    fn note_print(&mut self, text: &[u8]) {
        let cta = u64::from(self.time.cta);
        let printed = &mut self.stats.printed;
        if printed.last().is_none_or(|(last, _)| *last != cta) {
            printed.push((cta, Vec::new()));
        }
        if let Some((_, noted)) = printed.last_mut() {
            let room = MOST_BYTES.saturating_sub(noted.len());
            noted.extend(&text[..text.len().min(room)]);
        }
    }
}

/// The memory of a lane, and where its next value lies.
struct LaneMemory<'m> {
    lane: usize,
    memories: Memories<'m>,
    value: u64,
    taken: u32,
}

impl LaneMemory<'_> {
    /// The next value, of 4 or 8 bytes.
    fn next(&mut self, bytes: u32) -> Result<u64, Fault> {
        let at = self.value.next_multiple_of(u64::from(bytes));
        self.value = at.wrapping_add(u64::from(bytes));
        self.taken += 1;
        load_store::generic(at, bytes, self.lane, &mut self.memories)
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        while text.len() < MOST_TEXT {
            let at = address.wrapping_add(text.len() as u64);
            match load_store::generic(at, 1, self.lane, &mut self.memories)? {
                0 => break,
                byte => text.push(byte as u8),
            }
        }
        Ok(text)
    }
}

/// A conversion: `%-08.3lx`.
#[derive(Default)]
struct Conversion {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer.
    bits: u32,
}

fn printed(format: &[u8], memory: &mut LaneMemory<'_>) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            out.push(byte);
            rest = after;
            continue;
        }
        let mut after = after;
        let conversion = Conversion::parse(&mut after, memory)?;
        match after.split_first() {
            Some((&kind, behind)) if conversion.print(kind, memory, &mut out)? => rest = behind,
            Some(_) | None => {
                out.push(b'%');
                rest = &rest[1..];
            }
        }
    }
    Ok(out)
}

fn eat(rest: &mut &[u8], signs: &[u8]) -> Option<u8> {
    let (&first, after) = rest.split_first()?;
    signs.contains(&first).then(|| {
        *rest = after;
        first
    })
}

impl Conversion {
    fn parse(rest: &mut &[u8], memory: &mut LaneMemory<'_>) -> Result<Self, Fault> {
        let mut made = Self { bits: 32, ..Self::default() };
        while let Some(flag) = eat(rest, b"-+ #0") {
            match flag {
                b'-' => made.left = true,
                b'+' => made.plus = true,
                b' ' => made.blank = true,
                b'#' => made.alternate = true,
                _ => made.zeros = true,
            }
        }
        if eat(rest, b"*").is_some() {
            let width = memory.next(4)? as u32 as i32;
            made.left |= width < 0;
            made.width = (width.unsigned_abs() as usize).min(MOST_TEXT);
        } else {
            made.width = number(rest);
        }
        if eat(rest, b".").is_some() {
            made.precision = if eat(rest, b"*").is_some() {
                usize::try_from(memory.next(4)? as u32 as i32).ok().map(|digits| digits.min(MOST_TEXT))
            } else {
                Some(number(rest))
            };
        }
        while let Some(length) = eat(rest, b"hlLjzt") {
            made.bits = match length {
                b'h' => made.bits / 2,
                _ => 64,
            };
        }
        Ok(made)
    }

    /// Prints the next value; `false` if there is no such conversion.
    fn print(&self, kind: u8, memory: &mut LaneMemory<'_>, out: &mut Vec<u8>) -> Result<bool, Fault> {
        match kind {
            b'%' => out.push(b'%'),
            b'c' => self.pad(out, "", &[memory.next(4)? as u8], false),
            b's' => {
                let address = memory.next(8)?;
                let text = memory.text(address)?;
                self.pad(out, "", &text[..text.len().min(self.precision.unwrap_or(MOST_TEXT))], false);
            }
            b'p' => {
                let digits = format!("{:x}", memory.next(8)?);
                self.pad(out, "0x", digits.as_bytes(), false);
            }
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => self.integer(kind, memory, out)?,
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                let value = f64::from_bits(memory.next(8)?);
                let mut digits = match kind.to_ascii_lowercase() {
                    _ if !value.is_finite() => if value.is_nan() { "nan" } else { "inf" }.to_owned(),
                    b'f' => format!("{:.*}", self.precision.unwrap_or(6), value.abs()),
                    b'e' => scientific(value.abs(), self.precision.unwrap_or(6)),
                    _ => self.shortest(value.abs()),
                };
                if kind.is_ascii_uppercase() {
                    digits.make_ascii_uppercase();
                }
                self.pad(out, self.sign(value.is_sign_negative()), digits.as_bytes(), value.is_finite());
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn integer(&self, kind: u8, memory: &mut LaneMemory<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
        let bits = memory.next(if self.bits == 64 { 8 } else { 4 })?;
        let unused = 64 - self.bits;
        let (signed, unsigned) = ((bits << unused).cast_signed() >> unused, bits << unused >> unused);
        let (sign, mut digits) = match kind {
            b'd' | b'i' => (self.sign(signed < 0), signed.unsigned_abs().to_string()),
            b'x' => (if self.alternate && unsigned != 0 { "0x" } else { "" }, format!("{unsigned:x}")),
            b'X' => (if self.alternate && unsigned != 0 { "0X" } else { "" }, format!("{unsigned:X}")),
            b'o' => (if self.alternate && unsigned != 0 { "0" } else { "" }, format!("{unsigned:o}")),
            _ => ("", unsigned.to_string()),
        };
        if let Some(least) = self.precision {
            digits = if least == 0 && unsigned == 0 { String::new() } else { format!("{digits:0>least$}") };
        }
        self.pad(out, sign, digits.as_bytes(), self.precision.is_none());
        Ok(())
    }

    const fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.plus, self.blank) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// `%g`: as many digits as asked for, without zeros at the end unless they are.
    fn shortest(&self, value: f64) -> String {
        let digits = self.precision.unwrap_or(6).max(1);
        let rounded = scientific(value, digits - 1);
        let exponent =
            rounded.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()).unwrap_or(0);
        let is_small = exponent < -4 || exponent >= digits as i32;
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        let text = if is_small { rounded } else { format!("{value:.decimals$}") };
        if self.alternate || !text.contains('.') {
            return text;
        }
        let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
        format!("{}{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
    }

    /// Fills up to the width: with zeros behind the sign, or with blanks.
    fn pad(&self, out: &mut Vec<u8>, sign: &str, text: &[u8], zeros_go: bool) {
        let missing = self.width.saturating_sub(sign.len() + text.len());
        let zeros = self.zeros && zeros_go && !self.left;
        let (before, between, behind) = match (self.left, zeros) {
            (true, _) => (0, 0, missing),
            (false, true) => (0, missing, 0),
            (false, false) => (missing, 0, 0),
        };
        out.extend(std::iter::repeat_n(b' ', before));
        out.extend(sign.as_bytes());
        out.extend(std::iter::repeat_n(b'0', between));
        out.extend(text);
        out.extend(std::iter::repeat_n(b' ', behind));
    }
}

fn number(rest: &mut &[u8]) -> usize {
    let mut value = 0;
    while let Some(digit) = eat(rest, b"0123456789") {
        value = (value * 10 + usize::from(digit - b'0')).min(MOST_TEXT);
    }
    value
}

/// `1.50e+03`: C writes a sign and at least two digits of exponent.
fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}
