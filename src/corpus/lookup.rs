//! One kernel by name, without making the cases of all others.
//!
//! On entry: a path, or the end of one. On exit: the kernel with its instances, from the cases of its own family, those
//! that stand in the folder around the module of the kernel. Only where they don't launch it, all cases are made, which takes
//! seconds.

use super::catalog::{KernelInfo, LookupError, catalog, find, gather, nearest};
use super::filter::{Filter, SizeLimit};
use super::selection::below;
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

/// The same where one instance will do: that of the dtypes, or, where none are named, of f32 alone. Only cases of these
/// dtypes are made, and none after the first that launches it.
///
/// # Errors
/// As [`locate`], which is asked where there is no such instance.
pub fn locate_instance(name: &str, dtypes: &[DType]) -> Result<KernelInfo, LookupError> {
    let Some(path) = registered(name)? else { return locate(name) };
    let wanted = |case: &Case| {
        let kernel = &case.kernel;
        let path_of_all = Kernel { dtypes: Vec::new(), ..kernel.clone() }.path();
        let is_instance = match dtypes {
            [] => kernel.dtypes.iter().all(|&dtype| dtype == DType::F32),
            dtypes => kernel.dtypes == dtypes,
        };
        path_of_all == path && is_instance && is_seen(case)
    };
    let of_dtypes =
        |dtype: DType| if dtypes.is_empty() { dtype == DType::F32 } else { dtypes.contains(&dtype) };
    for selected in below(family(&path)).into_iter().filter(|selected| of_dtypes(selected.dtype)) {
        if selected.make(0).is_ok_and(|case| wanted(&case)) {
            let (mut found, _) = gather(vec![selected], |_| true);
            if let Some(kernel) = found.pop() {
                return Ok(kernel);
            }
        }
    }
    locate(name)
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
        for (name, dtypes) in [("rms_norm", &[DType::BF16][..]), ("rms_norm", &[]), ("axpy", &[])] {
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
