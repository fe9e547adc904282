//! One kernel by name, without making the cases of all others.
//!
//! On entry: a path, or the end of one. On exit: the kernel with its instances, from the cases of its own family, those
//! that stand in the folder around the module of the kernel. Only where they don't launch it, all cases are made, which takes
//! seconds.

use std::cmp::Reverse;

use super::catalog::{KernelInfo, LookupError, catalog, find, gather, nearest};
use super::filter::{Filter, SizeLimit};
use super::selection::{Selected, below};
use crate::case::Case;
use crate::dsl::{kernels, outer_module};
use crate::ir::{DType, Kernel};

/// The one kernel whose path is `name` or ends in `::name`, with all its instances.
///
/// # Errors
/// There is none that a case launches, or more than one.
pub fn locate(name: &str) -> Result<KernelInfo, LookupError> {
    if let Some(path) = registered(name)? {
        let (kernels, _) = gather(below(family(&path)), is_seen);
        if let Some(found) = kernels.into_iter().find(|kernel| kernel.path == path) {
            return Ok(found);
        }
    }
    find(&catalog(&Filter { size: SizeLimit::Gpu, ..Filter::default() }).0, name).cloned()
}

/// The same where one instance will do: that of the dtypes, or, where none are named, of f32 alone, else of the least
/// dtypes. Cases are made until one launches it, those first that are called most like the kernel.
///
/// # Errors
/// As [`locate`], which is asked where there is no such instance.
pub fn locate_instance(name: &str, dtypes: &[DType]) -> Result<KernelInfo, LookupError> {
    let Some(path) = registered(name)? else { return locate(name) };
    let of_dtypes = |dtype: DType| dtypes.is_empty() || dtypes.contains(&dtype);
    let mut cases: Vec<_> = below(family(&path)).into_iter().filter(|found| of_dtypes(found.dtype)).collect();
    cases.sort_by_key(|found| {
        (found.dtype != DType::F32, found.dtype, Reverse(likeness(&found.id().path, &path)))
    });
    let only = |found: Selected| gather(vec![found], |_| true).0.pop();
    let mut beside = None;
    for found in cases {
        let Ok(case) = found.make(0) else { continue };
        let Kernel { dtypes: its, .. } = &case.kernel;
        if !is_seen(&case) || (Kernel { dtypes: Vec::new(), ..case.kernel.clone() }).path() != path {
            continue;
        }
        let is_wanted = if dtypes.is_empty() {
            found.dtype != DType::F32 || its.iter().all(|&dtype| dtype == DType::F32)
        } else {
            its == dtypes
        };
        if is_wanted && let Some(kernel) = only(found) {
            return Ok(kernel);
        }
        // It begins with f32, and others may come before it.
        beside = beside.or((dtypes.is_empty()).then_some(found));
    }
    beside.and_then(only).map_or_else(|| locate(name), Ok)
}

/// In how many letters the last parts of two paths begin alike.
fn likeness(a: &str, b: &str) -> usize {
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_owned();
    last(a).bytes().zip(last(b).bytes()).take_while(|(a, b)| a == b).count()
}

fn is_seen(case: &Case) -> bool {
    Filter { size: SizeLimit::Gpu, ..Filter::default() }.takes_size(case.size)
}

/// Whether a kernel is called so, or several are.
pub fn is_kernel(name: &str) -> bool {
    registered(name).is_ok()
}

/// The path of the registered kernel of that name; nothing where there are several, of which cases may launch one.
fn registered(name: &str) -> Result<Option<String>, LookupError> {
    let paths: Vec<String> = kernels()
        .into_iter()
        .map(|entry| format!("{}::{}", outer_module(entry.module), entry.name))
        .collect();
    if let Some(exact) = paths.iter().find(|path| *path == name) {
        return Ok(Some(exact.clone()));
    }
    let suffix = format!("::{name}");
    let mut found = paths.iter().filter(|path| path.ends_with(&suffix));
    match (found.next(), found.next()) {
        (None, _) => {
            let nearest = nearest(paths.iter().map(String::as_str), name);
            Err(LookupError::Unknown { name: name.to_owned(), nearest })
        }
        (Some(one), None) => Ok(Some(one.clone())),
        (Some(_), Some(_)) => Ok(None),
    }
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
        assert_eq!(registered("rms_norm").unwrap().as_deref(), Some(path));
        let found = locate("rms_norm").unwrap();
        assert_eq!(found.path, path);
        assert!(found.instances.iter().all(|instance| !instance.cases.is_empty()));
    }

    #[test]
    fn one_instance_is_the_one_among_all() {
        let cases = [
            ("rms_norm", &[DType::BF16][..]),
            ("rms_norm", &[]),
            ("axpy", &[]),
            ("gemm_128x128", &[]),
            ("sort_rows", &[]),
            ("sort_rows_places", &[]),
        ];
        for (name, dtypes) in cases {
            let one = locate_instance(name, dtypes).unwrap();
            let [instance] = &one.instances[..] else { panic!("{name}") };
            let all = locate(name).unwrap();
            let same =
                all.instances.iter().find(|other| other.kernel.dtypes == instance.kernel.dtypes).unwrap();
            assert_eq!((instance.launch, instance.kernel.path()), (same.launch, same.kernel.path()));
        }
    }

    #[test]
    fn a_mistyped_name_is_told_the_nearest_at_once() {
        let LookupError::Unknown { nearest, .. } = locate("vector_addd").unwrap_err() else { panic!() };
        assert!(nearest[0].ends_with("::vector_add"), "{nearest:?}");
    }
}
