//! What the driver's PTX assembler said about a module that it refused.
//!
//! What this is: the error of a module load, with the log and the place read out of it. On entry: a log as libcuda
//! writes it, in lines such as `ptxas application ptx input, line 7; error   : Arguments mismatch`; it may be empty or
//! cut off. On exit: the line number and the text of that line, where the log names one that exists. Not here: the
//! call itself.

use super::result::ResultCode;

/// A module that the driver's assembler refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JitError {
    /// What the load answered.
    pub code: ResultCode,
    /// The error log.
    pub log: String,
    /// The information log; often empty.
    pub info: String,
    /// The first line of the PTX text that an error is about, counted from 1.
    pub line: Option<u32>,
    /// That line.
    pub source_line: Option<String>,
}

impl std::error::Error for JitError {}

impl std::fmt::Display for JitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the driver refused the PTX with {}", self.code)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(source) = &self.source_line {
            write!(f, " `{}`", source.trim())?;
        }
        if !self.log.is_empty() {
            write!(f, ": {}", self.log)?;
        }
        Ok(())
    }
}

impl JitError {
    /// Reads the place out of the log of a refused `ptx`.
    pub(super) fn new(code: ResultCode, ptx: &str, log: String, info: String) -> Self {
        let line = error_line(&log);
        let index = line.and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
        let source_line = index.and_then(|index| ptx.lines().nth(index)).map(str::to_owned);
        Self { code, log, info, line, source_line }
    }

    /// What the reader can do about it.
    pub fn help(&self) -> String {
        match self.code {
            ResultCode::ERROR_UNSUPPORTED_PTX_VERSION => {
                "this driver is older than the text's `.version`: lower it to what the module needs, or update the driver"
            }
            ResultCode::ERROR_NO_BINARY_FOR_GPU | ResultCode::ERROR_INVALID_PTX if self.line.is_none() => {
                "the text's `.target` is probably above this device; emit it for the device's compute capability"
            }
            ResultCode::ERROR_JIT_COMPILER_NOT_FOUND => {
                "libnvidia-ptxjitcompiler is missing beside libcuda: install the whole driver package"
            }
            ResultCode::ERROR_JIT_COMPILATION_DISABLED => "unset CUDA_DISABLE_PTX_JIT",
            _ => "run `ptxas` on the text to see all errors; if warpsmith emitted it, please report it",
        }
        .into()
    }
}

/// The number after the first `line ` of an error; where nothing is marked as one, after the first `line ` at all.
fn error_line(log: &str) -> Option<u32> {
    let is_error = |line: &&str| line.contains("error") || line.contains("fatal");
    log.lines().filter(is_error).find_map(line_number).or_else(|| log.lines().find_map(line_number))
}

fn line_number(text: &str) -> Option<u32> {
    text.match_indices("line ").find_map(|(at, word)| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let rest = &text[at + word.len()..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest[..digits].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() {\n  add.u32 r;\n}\n";

    fn load(log: &str) -> JitError {
        JitError::new(ResultCode::ERROR_INVALID_PTX, PTX, log.into(), String::new())
    }

    #[test]
    fn the_line_of_the_first_error_is_found_past_warnings() {
        let error = load(
            "ptxas application ptx input, line 2; warning : something\n\
             ptxas application ptx input, line 5; error   : Arguments mismatch for instruction 'add'\n\
             ptxas fatal   : Ptx assembly aborted due to errors",
        );
        assert_eq!(error.line, Some(5));
        assert_eq!(error.source_line.as_deref(), Some("  add.u32 r;"));
        assert!(error.to_string().starts_with(
            "the driver refused the PTX with CUDA_ERROR_INVALID_PTX (218), line 5 `add.u32 r;`: ptxas application"
        ));
    }

    #[test]
    fn odd_logs_name_no_place() {
        for log in ["", "line", "line ", "line x", "newline 4", "line 99999999999999999999", "inline 3"] {
            assert_eq!(load(log).line, None, "{log:?}");
        }
        let beyond = load("line 4000; error");
        assert_eq!((beyond.line, beyond.source_line), (Some(4000), None));
        assert_eq!(load("line 0; error").source_line, None);
    }
}
