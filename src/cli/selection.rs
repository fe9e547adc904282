//! The options that say which cases are meant.

use clap::{Args, ValueEnum};

use super::error::CliError;
use crate::corpus::{Filter, Pattern, SizeLimit};
use crate::diag::Help;
use crate::ir::DType;

/// Which cases are meant.
#[derive(Debug, Args)]
pub(super) struct SelectionArguments {
    /// Parts of `module::name` of a case or kernel, or globs over all of it; any may match.
    #[arg(value_name = "PATTERN")]
    names: Vec<String>,
    /// Only these dtypes.
    #[arg(long, value_name = "DTYPE", value_delimiter = ',', value_parser = dtype)]
    dtype: Vec<DType>,
    /// Only shapes of these kinds (tail, aligned, …) or with these words (`1003`).
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    shape: Vec<String>,
    /// Only the k-th of n parts of the cases.
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
    /// The largest cases to take; by default what the device can run.
    #[arg(long, value_enum)]
    size: Option<Size>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Size {
    Ci,
    Gpu,
}

impl SelectionArguments {
    pub(super) fn filter(&self, size: SizeLimit) -> Result<Filter, CliError> {
        let patterns = |texts: &[String]| texts.iter().map(Pattern::new).collect();
        Ok(Filter {
            names: patterns(&self.names),
            dtypes: self.dtype.clone(),
            shapes: patterns(&self.shape),
            size: match self.size {
                None => size,
                Some(Size::Ci) => SizeLimit::Ci,
                Some(Size::Gpu) => SizeLimit::Gpu,
            },
            shard: self.shard.as_deref().map(str::parse).transpose()?,
        })
    }

    /// Whether the options leave everything in.
    pub(super) fn is_all(&self) -> bool {
        self.names.is_empty() && self.dtype.is_empty() && self.shape.is_empty() && self.shard.is_none()
    }
}

/// Reads a dtype.
pub(super) fn dtype(text: &str) -> Result<DType, String> {
    DType::parse(text).ok_or_else(|| {
        let known: Vec<_> = DType::all().map(DType::name).collect();
        format!("the dtypes are {}", known.join(", "))
    })
}

/// What a value parser says: the message and what to do.
pub(super) fn with_help<E: Help + std::fmt::Display>(error: &E) -> String {
    match error.help() {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}
