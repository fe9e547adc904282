//! What the assembler says of each function when it is verbose.
//!
//! Entry: its log. Exit: one [`Usage`] for each kernel that the log tells of. What a log does not say is 0, and a line
//! of another shape is passed over: the log is made for people, and its words have changed before.

/// What one kernel uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The kernel.
    pub entry: String,
    /// Registers of 32 bits for each thread.
    pub registers: u32,
    /// Barriers of a CTA.
    pub barriers: u32,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    /// Bytes of stack for each thread.
    pub stack_bytes: u32,
    /// Bytes that spilled registers store.
    pub spill_store_bytes: u32,
    /// Bytes that they load.
    pub spill_load_bytes: u32,
}

/// The kernels that a verbose log tells of, in its order.
pub fn usages(log: &str) -> Vec<Usage> {
    let mut found: Vec<Usage> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let entry = rest.split('\'').next().unwrap_or_default().to_owned();
            found.push(Usage { entry, ..Usage::default() });
        }
        let Some(last) = found.last_mut() else { continue };
        let number = |after: &str| before(line, after);
        if line.contains(" bytes stack frame") {
            last.stack_bytes = number(" bytes stack frame");
            last.spill_store_bytes = number(" bytes spill stores");
            last.spill_load_bytes = number(" bytes spill loads");
        }
        if line.contains("Used ") && line.contains(" registers") {
            last.registers = number(" registers");
            last.barriers = number(" barriers");
            last.shared_bytes = number(" bytes smem");
        }
    }
    found
}

/// The number that stands before some words; 0 where they are not there.
fn before(line: &str, words: &str) -> u32 {
    let Some(end) = line.find(words) else { return 0 };
    let digits: Vec<u8> = line[..end].bytes().rev().take_while(u8::is_ascii_digit).collect();
    digits
        .iter()
        .rev()
        .fold(0_u32, |value, digit| value.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read() {
        let log = "ptxas info    : 0 bytes gmem\n\
             ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
             ptxas info    : Function properties for a\n    \
             16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
             ptxas info    : Used 168 registers, used 1 barriers, 16 bytes cumulative stack size, 49152 bytes smem\n\
             ptxas info    : Compiling entry function 'b' for 'sm_90'\n\
             ptxas info    : Used 8 registers, used 0 barriers\n";
        let found = usages(log);
        assert_eq!(found.len(), 2);
        let a = Usage {
            entry: "a".into(),
            registers: 168,
            barriers: 1,
            shared_bytes: 49152,
            stack_bytes: 16,
            spill_store_bytes: 8,
            spill_load_bytes: 12,
        };
        assert_eq!(found[0], a);
        assert_eq!((found[1].registers, found[1].shared_bytes), (8, 0));
        assert!(usages("Used 3 registers\n\u{fffd}").is_empty());
    }
}
