//! One kernel by name, without making the cases of all others.
//!
//! On entry: a path, or the end of one. On exit: the kernel with its instances, from the cases of its own family, those
//! that stand in the folder around the module of the kernel. Only where they don't launch it, or where no kernel of that
//! name is registered, all cases are made, which takes seconds.

use super::catalog::{KernelInfo, LookupError, catalog, find, gather};
use super::filter::{Filter, SizeLimit};
use super::selection::below;
use crate::case::Case;
use crate::dsl::{kernels, outer_module};

/// The one kernel whose path is `name` or ends in `::name`.
///
/// # Errors
/// There is none that a case launches, or more than one.
pub fn locate(name: &str) -> Result<KernelInfo, LookupError> {
    let filter = Filter { size: SizeLimit::Gpu, ..Filter::default() };
    if let Some(path) = registered(name) {
        let is_wanted = |case: &Case| filter.takes_size(case.size);
        let (family, _) = gather(below(family(&path)), is_wanted);
        if let Some(found) = family.into_iter().find(|kernel| kernel.path == path) {
            return Ok(found);
        }
    }
    find(&catalog(&filter).0, name).cloned()
}

/// The path of the registered kernel of that name, if there is just one.
fn registered(name: &str) -> Option<String> {
    let paths =
        || kernels().into_iter().map(|entry| format!("{}::{}", outer_module(entry.module), entry.name));
    if let Some(exact) = paths().find(|path| path == name) {
        return Some(exact);
    }
    let suffix = format!("::{name}");
    let mut found = paths().filter(|path| path.ends_with(&suffix));
    found.next().filter(|_| found.next().is_none())
}

/// `a::norm::` of `a::norm::kernel::rms`: the folder, or all of the crate.
fn family(path: &str) -> &str {
    let module = path.rfind("::").map_or("", |end| &path[..end]);
    module.rfind("::").map_or("", |end| &module[..end + 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_found_in_its_family() {
        assert_eq!(family("a::norm::kernel::rms"), "a::norm::");
        assert_eq!(family("a::rms"), "");
        assert_eq!(family("rms"), "");
        let path = "warpsmith::kernels::norm::kernel::rms_norm";
        assert_eq!(registered("rms_norm").as_deref(), Some(path));
        let found = locate("rms_norm").unwrap();
        assert_eq!(found.path, path);
        assert!(found.instances.iter().all(|instance| !instance.cases.is_empty()));
    }
}
