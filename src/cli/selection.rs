//! The options that say which cases are meant.

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::launch::given;
use crate::case;
use crate::corpus::{CaseId, Filter, NotAShard, Pattern, Shard, SizeLimit, select};
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
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<Shard>,
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
    /// Refuses names that no case has: a script with a slip in a name must not pass for want of cases.
    pub(super) fn check(&self) -> Result<(), CliError> {
        let names = Filter { names: patterns(&self.names), size: SizeLimit::Gpu, ..Filter::default() };
        // Paths of cases are known beforehand; those of kernels cost building them.
        let is_case = || {
            case::tests().iter().any(|entry| {
                let ids = entry.dtypes.iter().map(|&dtype| CaseId { path: entry.path(), dtype });
                ids.map(|id| id.to_string()).any(|id| names.takes_name(&id, None))
            })
        };
        if self.names.is_empty() || is_case() || !select(&names).is_empty() {
            return Ok(());
        }
        let names: Vec<_> = self.names.iter().map(|name| format!("`{name}`")).collect();
        let what = format!("no case or kernel matches {}", names.join(" or "));
        Err(CliError::usage(what, "`warpsmith list` shows the kernels"))
    }

    /// The options that are given, beside the names.
    pub(super) fn given(&self) -> Vec<&'static str> {
        let Self { names: _, dtype, shape, shard, size } = self;
        given([
            ("--dtype", !dtype.is_empty()),
            ("--shape", !shape.is_empty()),
            ("--shard", shard.is_some()),
            ("--size", size.is_some()),
        ])
    }

    /// The names, as given.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn filter(&self, size: SizeLimit) -> Filter {
        Filter {
            names: patterns(&self.names),
            dtypes: self.dtype.clone(),
            shapes: patterns(&self.shape),
            size: match self.size {
                None => size,
                Some(Size::Ci) => SizeLimit::Ci,
                Some(Size::Gpu) => SizeLimit::Gpu,
            },
            shard: self.shard,
        }
    }

    /// Whether the options leave everything in.
    pub(super) fn is_all(&self) -> bool {
        self.names.is_empty() && self.dtype.is_empty() && self.shape.is_empty() && self.shard.is_none()
    }
}

fn patterns(texts: &[String]) -> Vec<Pattern> {
    texts.iter().map(Pattern::new).collect()
}

/// Reads a shard.
fn shard(text: &str) -> Result<Shard, String> {
    text.parse().map_err(|error: NotAShard| with_help(&error))
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
