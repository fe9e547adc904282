//! Constant expressions, `(1<<4)-1`, as an operand or an initial value may be one.
//!
//! Integers have 64 bits and are signed or not; a float has 64 bits, and what takes it rounds it. Operators bind as in
//! C. Where the manual and the assembler differ, the assembler decides: `?:` gives the operand that it picks with that
//! one's own type, `& | ^` convert their operands to one type, and a shift counts modulo 64. Both sides of `&&`, `||`
//! and `?:` are evaluated, so that a division by zero anywhere in them is an error. Not here: addresses, and sizes in
//! declarations, where the assembler takes a literal only.

use super::error::{ParseError, ParseErrorKind};
use super::lex::{Token, TokenKind};
use super::scan::Cursor;

/// Most operators inside each other: a text must not take the stack of the machine.
const MOST_NESTED: u32 = 64;

/// The value of an expression, with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// `.s64`, the type of a literal that fits.
    Signed(i64),
    /// `.u64`, the type of a larger literal, of one with `U`, and of what meets such a one.
    Unsigned(u64),
    /// `.f64`.
    Float(f64),
    /// The bits of `0f…`, which stands alone.
    Single(u32),
}

/// The operators of two operands, those that bind least first; those of one line bind alike.
const BINARY: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Whether an expression may begin with a token.
pub fn begins(token: &Token<'_>) -> bool {
    match token.kind {
        TokenKind::Number => true,
        TokenKind::Word => token.text == "WARP_SZ",
        TokenKind::Sign => matches!(token.text, "(" | "+" | "-" | "!" | "~"),
        TokenKind::Text | TokenKind::Comment => false,
    }
}

/// Reads an expression up to the first token that does not go on with it.
///
/// # Errors
/// It is malformed, mixes integers with floats, or divides by zero.
pub fn parse(cursor: &mut Cursor<'_>) -> Result<Constant, ParseError> {
    ternary(cursor, 0)
}

fn refuse(token: Option<&Token<'_>>, rule: &'static str) -> ParseError {
    let kind = ParseErrorKind::Constant { rule };
    match token {
        Some(token) => token.error(kind),
        None => ParseError { line: 0, column: 0, kind },
    }
}

fn ternary(cursor: &mut Cursor<'_>, depth: u32) -> Result<Constant, ParseError> {
    if depth > MOST_NESTED {
        return Err(refuse(cursor.peek(), "the constant expression nests too deep"));
    }
    let condition = binary(cursor, 0, depth)?;
    let sign = cursor.peek();
    if !cursor.eat("?") {
        return Ok(condition);
    }
    let picked = ternary(cursor, depth + 1)?;
    cursor.sign(":")?;
    let other = ternary(cursor, depth + 1)?;
    let integers = [condition, picked, other].map(Constant::bits);
    let [Some(condition), Some(_), Some(_)] = integers else {
        return Err(refuse(sign, "`?:` takes integers only"));
    };
    Ok(if condition != 0 { picked } else { other })
}

/// An expression of operators from a line of [`BINARY`] on.
fn binary(cursor: &mut Cursor<'_>, line: usize, depth: u32) -> Result<Constant, ParseError> {
    let Some(operators) = BINARY.get(line) else { return unary(cursor, depth) };
    let mut left = binary(cursor, line + 1, depth)?;
    while let Some(token) = cursor.peek().filter(|token| is_operator(token, operators)) {
        cursor.skip();
        let right = binary(cursor, line + 1, depth)?;
        left = join(token.text, left, right).map_err(|rule| refuse(Some(token), rule))?;
    }
    Ok(left)
}

/// A remainder's `%` is a word for the lexer, since names begin with it.
fn is_operator(token: &Token<'_>, operators: &[&str]) -> bool {
    matches!(token.kind, TokenKind::Sign | TokenKind::Word) && operators.contains(&token.text)
}

fn unary(cursor: &mut Cursor<'_>, depth: u32) -> Result<Constant, ParseError> {
    if depth > MOST_NESTED {
        return Err(refuse(cursor.peek(), "the constant expression nests too deep"));
    }
    let Some(token) = cursor.peek().filter(|token| begins(token)) else {
        return Err(cursor.expected("a number"));
    };
    if token.kind != TokenKind::Sign {
        cursor.skip();
        return literal(token);
    }
    cursor.skip();
    if token.text != "(" {
        let value = unary(cursor, depth + 1)?;
        return apply(token.text, value).map_err(|rule| refuse(Some(token), rule));
    }
    for (word, unsigned) in [(".s64", false), (".u64", true)] {
        if cursor.eat_word(word) {
            cursor.sign(")")?;
            let value = unary(cursor, depth + 1)?;
            let Some(bits) = value.bits() else {
                return Err(refuse(Some(token), "only an integer is converted"));
            };
            return Ok(Constant::integer(bits, unsigned));
        }
    }
    let value = ternary(cursor, depth + 1)?;
    cursor.sign(")")?;
    Ok(value)
}

impl Constant {
    const fn integer(bits: u64, unsigned: bool) -> Self {
        if unsigned { Self::Unsigned(bits) } else { Self::Signed(bits.cast_signed()) }
    }

    /// The bits of an integer.
    const fn bits(self) -> Option<u64> {
        match self {
            Self::Signed(value) => Some(value.cast_unsigned()),
            Self::Unsigned(value) => Some(value),
            Self::Float(_) | Self::Single(_) => None,
        }
    }

    const fn is_unsigned(self) -> bool {
        matches!(self, Self::Unsigned(_))
    }
}

fn apply(operator: &str, value: Constant) -> Result<Constant, &'static str> {
    match (operator, value) {
        (_, Constant::Single(_)) => Err("a number written `0f` and 8 hex digits takes no operator"),
        ("+", value) => Ok(value),
        ("-", Constant::Float(value)) => Ok(Constant::Float(-value)),
        (_, Constant::Float(_)) => Err("`!` and `~` take integers only"),
        ("-", Constant::Signed(value)) => Ok(Constant::Signed(value.wrapping_neg())),
        ("-", Constant::Unsigned(value)) => Ok(Constant::Unsigned(value.wrapping_neg())),
        ("~", value) => Ok(Constant::Unsigned(!value.bits().unwrap_or_default())),
        (_, value) => Ok(Constant::Signed(i64::from(value.bits() == Some(0)))),
    }
}

fn join(operator: &str, left: Constant, right: Constant) -> Result<Constant, &'static str> {
    if let (Constant::Float(a), Constant::Float(b)) = (left, right) {
        return floats(operator, a, b);
    }
    let (Some(a), Some(b)) = (left.bits(), right.bits()) else {
        return Err("integers and floats do not mix");
    };
    let unsigned = left.is_unsigned() || right.is_unsigned();
    let typed = |bits| Ok(Constant::integer(bits, unsigned));
    match operator {
        "+" => typed(a.wrapping_add(b)),
        "-" => typed(a.wrapping_sub(b)),
        "*" => typed(a.wrapping_mul(b)),
        "/" | "%" if b == 0 => Err("division by zero"),
        "/" if unsigned => typed(a / b),
        "/" => typed(a.cast_signed().wrapping_div(b.cast_signed()).cast_unsigned()),
        "%" => Ok(Constant::Unsigned(a % b)),
        "&" => typed(a & b),
        "|" => typed(a | b),
        "^" => typed(a ^ b),
        // The type is the first operand's.
        "<<" => Ok(Constant::integer(a.wrapping_shl((b & 63) as u32), left.is_unsigned())),
        ">>" if left.is_unsigned() => Ok(Constant::Unsigned(a >> (b & 63))),
        ">>" => Ok(Constant::Signed(a.cast_signed() >> (b & 63))),
        "&&" => Ok(truth(a != 0 && b != 0)),
        "||" => Ok(truth(a != 0 || b != 0)),
        _ if unsigned => Ok(compare(operator, &a, &b)),
        _ => Ok(compare(operator, &a.cast_signed(), &b.cast_signed())),
    }
}

fn floats(operator: &str, a: f64, b: f64) -> Result<Constant, &'static str> {
    match operator {
        "+" => Ok(Constant::Float(a + b)),
        "-" => Ok(Constant::Float(a - b)),
        "*" => Ok(Constant::Float(a * b)),
        "/" if b == 0.0 => Err("division by zero"),
        "/" => Ok(Constant::Float(a / b)),
        "==" | "!=" | "<" | "<=" | ">" | ">=" => Ok(compare(operator, &a, &b)),
        _ => Err("the operator takes integers only"),
    }
}

fn truth(holds: bool) -> Constant {
    Constant::Signed(i64::from(holds))
}

fn compare<T: PartialOrd>(operator: &str, a: &T, b: &T) -> Constant {
    truth(match operator {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    })
}

fn literal(token: &Token<'_>) -> Result<Constant, ParseError> {
    if token.kind == TokenKind::Word {
        return Ok(Constant::Signed(32));
    }
    parse_literal(token.text)
        .ok_or_else(|| token.error(ParseErrorKind::BadNumber { met: token.text.to_owned() }))
}

/// Reads a number as PTX writes it: decimal, `0x`, `0b`, octal with a leading 0, `U` after it; `0f`, `0d`, `1.5e-3`.
fn parse_literal(text: &str) -> Option<Constant> {
    let tag = text.strip_prefix('0').and_then(|rest| rest.bytes().next());
    let digits = text.get(2..).unwrap_or("");
    let hex = |len: usize| (digits.len() == len).then(|| u64::from_str_radix(digits, 16).ok()).flatten();
    match tag {
        Some(b'f' | b'F') => {
            return hex(8).and_then(|bits| u32::try_from(bits).ok()).map(Constant::Single);
        }
        Some(b'd' | b'D') => return hex(16).map(|bits| Constant::Float(f64::from_bits(bits))),
        _ => {}
    }
    let is_hex = matches!(tag, Some(b'x' | b'X'));
    if !is_hex && text.contains(['.', 'e', 'E']) {
        let plain = text.bytes().all(|byte| b"0123456789.eE+-".contains(&byte));
        return text.parse().ok().filter(|value: &f64| plain && value.is_finite()).map(Constant::Float);
    }
    parse_integer(text)
        .map(|(value, unsigned)| Constant::integer(value, unsigned || i64::try_from(value).is_err()))
}

/// Reads an integer literal, and whether a `U` stands behind it.
pub fn parse_integer(text: &str) -> Option<(u64, bool)> {
    let plain = text.strip_suffix('U').unwrap_or(text);
    let radix = match plain.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, plain.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, plain.get(2..)?),
        [b'0', _, ..] => (8, plain),
        _ => (10, plain),
    };
    // The library takes a sign, which is none of the literal's.
    let (radix, digits) = radix;
    let value = u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'))?;
    Some((value, plain.len() < text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::isa::lex::lex;
    use crate::ptx::isa::name::NoNames;

    fn read(text: &str) -> Result<Constant, String> {
        let tokens = lex(text).map_err(|error| error.to_string())?;
        let mut cursor = Cursor::new(&tokens, &NoNames);
        let value = parse(&mut cursor).map_err(|error| error.to_string())?;
        if cursor.taken() == tokens.len() { Ok(value) } else { Err("not all of it is read".to_owned()) }
    }

    /// The values are those that the assembler of 13.0 puts into `.global .u64`.
    #[test]
    fn integers_are_those_of_the_assembler() {
        let cases: [(&str, i64); 64] = [
            ("(3+4)*2", 14),
            ("2+3*4", 14),
            ("1<<4", 16),
            ("1<<64", 1),
            ("1<<65", 2),
            ("-1>>1", -1),
            ("-8>>1", -4),
            ("0xffffffffffffffff>>4", 0x0fff_ffff_ffff_ffff),
            ("~0", -1),
            ("~0>>1", i64::MAX),
            ("-(3)", -3),
            ("1?2:3", 2),
            ("0?1:0?5:6", 6),
            ("1+1?2:3", 2),
            ("-5/2", -2),
            ("-5 % 3", 2),
            ("5 % -3", 5),
            ("-5/2U", 9_223_372_036_854_775_805),
            ("(5U-6)/2", i64::MAX),
            ("(5-6)/2", 0),
            ("(.s64)(5U-6)/2", 0),
            ("(.u64)(-1)/2", i64::MAX),
            ("( .u64 ) -1/2", i64::MAX),
            ("18446744073709551615/2", i64::MAX),
            ("9223372036854775808/-1", 0),
            ("-9223372036854775808/2", 1 << 62),
            ("9223372036854775807+1", i64::MIN),
            ("!0", 1),
            ("!!5", 1),
            ("-1<1", 1),
            ("-1<1U", 0),
            ("-1>0U", 1),
            ("1<2<3", 1),
            ("7&3|8", 11),
            ("7&3==3", 1),
            ("6^3&1", 7),
            ("1&&0", 0),
            ("0||0&&1", 0),
            ("1<<2+1", 8),
            ("1.5<2.5", 1),
            ("1.5+2.5==4.0", 1),
            ("WARP_SZ*2", 64),
            ("(WARP_SZ-33)/2", 0),
            ("010", 8),
            ("0b11", 3),
            ("0X1f", 31),
            ("0777U", 511),
            ("+5", 5),
            ("--5", 5),
            ("+-5", -5),
            ("0x7fffffffffffffff<<1>>1", -1),
            ("5>>-1", 0),
            ("5>>64", 5),
            ("-5>>100", -1),
            ("1<<-1", i64::MIN),
            ("(-1<2?-1:2U)/2", 0),
            ("((1?2U:-1)-3)/2", i64::MAX),
            ("(-1&-1)/2", 0),
            ("(-1&-1U)/2", i64::MAX),
            ("(0-(7 % 4))/2", 0x7fff_ffff_ffff_fffe),
            ("-1 % 100", 15),
            ("(-4<<0)/2", -2),
            ("(!0-3)/2", -1),
            ("((1U&&2U)-3)/2", -1),
        ];
        for (text, value) in cases {
            let met = read(text).map(|met| met.bits().map(u64::cast_signed));
            assert_eq!(met, Ok(Some(value)), "{text}");
        }
    }

    #[test]
    fn floats_have_64_bits_until_they_are_used() {
        let cases = [
            ("1.5*2.0-0.5", 2.5),
            ("1.0/3.0", 1.0 / 3.0),
            ("-(-1.5)", 1.5),
            ("1.e3", 1000.0),
            (".5", 0.5),
            ("1.5E+3", 1500.0),
            ("0d3FF0000000000000 + 1.0", 2.0),
            ("1.0-2.0*3.0", -5.0),
            ("1.0e300*1.0e300", f64::INFINITY),
        ];
        for (text, value) in cases {
            assert_eq!(read(text), Ok(Constant::Float(value)), "{text}");
        }
        assert_eq!(read("(0f3F800000)"), Ok(Constant::Single(0x3f80_0000)));
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        let cases = [
            ("5/0", "division by zero"),
            ("1 % 0", "division by zero"),
            ("0&&1/0", "division by zero"),
            ("1.5/0.0", "division by zero"),
            ("1+1.5", "do not mix"),
            ("~1.5", "integers only"),
            ("!1.5", "integers only"),
            ("1?1.5:2.5", "integers only"),
            ("1.5&&1.5", "integers only"),
            ("(.s64)1.5", "only an integer"),
            ("-0f3F800000", "takes no operator"),
            ("(3", "expected `)`"),
            ("1+", "expected a number"),
            ("1?2", "expected `:`"),
            ("08", "`08`"),
            ("10u", "`10u`"),
            ("1x", "`1x`"),
            ("0f3F8", "`0f3F8`"),
            ("1e400", "`1e400`"),
            ("99999999999999999999", "not a number"),
            ("1.5.2", "`1.5.2`"),
            ("5 %3", "not all"),
            ("1 < < 2", "expected a number"),
        ];
        for (text, part) in cases {
            let met = read(text).map_or_else(|error| error, |value| format!("{value:?}"));
            assert!(met.contains(part), "{text}: {met}");
        }
        let deep = ["(".repeat(5000), "-".repeat(5000)];
        for text in deep {
            assert!(read(&text).is_err_and(|error| error.contains("too deep")));
        }
    }
}
