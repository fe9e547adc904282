//! `printf` of device code: what it prints, in which order, and what it gives back.

use warpsmith::ptx::emu::{Config, FindingKind, GlobalMemory, Program, Schedule, launch};
use warpsmith::ptx::module;

use crate::rig::{Params, words};

const SAY: &str = include_str!("../data/ptx/printf.ptx");

fn printed(text: &str, config: &Config) -> (String, Vec<u32>) {
    let parsed = module::parse(text).unwrap();
    parsed.check().unwrap();
    let program = Program::decode(&parsed, "say").unwrap();
    let mut memory = GlobalMemory::new();
    let out = memory.allocate("out", 3 * 40 * 4);
    let launched = Params::default().u64(out).launch(3, 40);
    let stats = launch(&program, &launched, &mut memory, config).unwrap_or_else(|found| panic!("{found}"));
    let text = stats.printed.into_iter().flat_map(|(_, text)| text).collect();
    (String::from_utf8(text).unwrap(), words(&memory, out, 120))
}

#[test]
fn lanes_print_in_the_order_of_the_ctas() {
    let whole = |config: &Config| {
        printed(SAY.replace("add.s32 \t%r6, %r4, 65;", "add.s32 \t%r6, %r1, 65;").as_str(), config)
    };
    let (text, counts) = whole(&Config::default());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    assert_eq!(lines[..2], ["0:  0.00 |ab   | 00000000 A", "-1:  1.50 |ab   | 00010000 B"]);
    assert_eq!(lines[2], "-40: 60.00 |ab   | 00280000 A");
    assert_eq!(lines[5], "-81: 121.50 |ab   | 00510000 B");
    let taken: Vec<u32> = (0..120).map(|thread| if thread % 40 < 2 { 5 } else { 0 }).collect();
    assert_eq!(counts, taken);
    assert_eq!(whole(&Config { workers: 3, ..Config::default() }).0, text);
    let adversarial = whole(&Config { schedule: Schedule::Adversarial(3), ..Config::default() }).0;
    assert_eq!(adversarial.lines().count(), 6, "{adversarial}");
}

/// Prints one value of 8 bytes, or of 4 where the format takes that, and then 5 and 3.
fn one(format: &str, value: u64) -> String {
    let bytes: Vec<String> = format.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n.global .b8 format[{}] = {{{}}};\n\
         .visible .entry say(.param .u64 p)\n{{\n.local .align 8 .b8 v[24];\n.reg .b64 %rd<3>;\n.reg .b32 %r;\n\
         mov.u64 %rd0, v;\ncvta.local.u64 %rd1, %rd0;\nst.local.u64 [v], {value};\nst.local.u32 [v+8], 5;\n\
         st.local.u32 [v+12], 3;\nst.local.u64 [v+16], 0;\nmov.u64 %rd2, format;\ncvta.global.u64 %rd2, %rd2;\n\
         call (%r), vprintf, (%rd2, %rd1);\nret;\n}}\n",
        bytes.len(),
        bytes.join(", ")
    );
    let program = Program::decode(&module::parse(&text).unwrap(), "say").unwrap();
    let mut memory = GlobalMemory::new();
    let launched = Params::default().u64(0).launch(1, 1);
    let stats = launch(&program, &launched, &mut memory, &Config::default())
        .unwrap_or_else(|found| panic!("{found}"));
    stats.printed.into_iter().map(|(_, text)| String::from_utf8(text).unwrap()).collect()
}

#[test]
fn conversions_are_those_of_c() {
    let float = |value: f64| value.to_bits();
    let long = |value: i64| value.cast_unsigned();
    // What the C library of Linux prints for the same.
    let cases = [
        ("%lld|", long(-42), "-42|"),
        ("%hhd", 0x1_ff, "-1"),
        ("%hu", 0x1_2345, "9029"),
        ("%u", 0xffff_ffff, "4294967295"),
        ("%+d", 7, "+7"),
        ("% d", 7, " 7"),
        ("%05d|%%", long(-42), "-0042|%"),
        ("%-5d|", 42, "42   |"),
        ("%5.3d|", 42, "  042|"),
        ("%.0d|", 0, "|"),
        ("%#x", 255, "0xff"),
        ("%#llX", 255, "0XFF"),
        ("%o", 8, "10"),
        ("%p", 0x7f00, "0x7f00"),
        ("%f", float(1.0), "1.000000"),
        ("%.0f", float(2.5), "2"),
        ("%10.3f|", float(-3.24159), "    -3.242|"),
        ("%010.3f|", float(-3.24159), "-00003.242|"),
        ("%e", float(12345.678), "1.234568e+04"),
        ("%.2E", float(1e-300), "1.00E-300"),
        ("%g", float(0.0001), "0.0001"),
        ("%g", float(0.00001), "1e-05"),
        ("%g", float(1e6), "1e+06"),
        ("%g", float(123456.0), "123456"),
        ("%g", float(0.0), "0"),
        ("%.3g", float(1234.5), "1.23e+03"),
        ("%G", float(f64::INFINITY), "INF"),
        ("%5f|", float(f64::NAN), "  nan|"),
        ("%05f|", float(-f64::INFINITY), " -inf|"),
        ("%lld %*d|", 1, "1     3|"),
        ("%lld %.*d|", 1, "1 00003|"),
        ("100%! %y", 0, "100%! %y"),
        ("%", 0, "%"),
    ];
    for (format, value, expected) in cases {
        assert_eq!(one(format, value), expected, "{format}");
    }
}

#[test]
fn a_format_that_nobody_wrote_is_found() {
    let text = SAY.replace("cvta.global.u64 \t%rd11, %rd10;", "mov.u64 \t%rd11, 0;");
    let program = Program::decode(&module::parse(&text).unwrap(), "say").unwrap();
    let mut memory = GlobalMemory::new();
    let launched = Params::default().u64(memory.allocate("out", 160)).launch(1, 40);
    let found = launch(&program, &launched, &mut memory, &Config::default()).unwrap_err();
    assert!(matches!(found.kind, FindingKind::OutOfBounds(_)), "{found}");
    assert!(found.site.unwrap().text.contains("vprintf"));
}
