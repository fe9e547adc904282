//! A folder for the files of one run of a tool.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io, process};

/// A folder of its own, gone when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one in the system's folder for such.
    pub(super) fn new() -> Result<Self, (PathBuf, io::Error)> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        // A folder that is there already belongs to somebody else: `create_dir` refuses it, and another name is tried.
        let mut refused = None;
        for _attempt in 0..16 {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
            let next = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = env::temp_dir().join(format!("warpsmith-{}-{next}-{since:08x}", process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => refused = Some((path, error)),
                Err(error) => return Err((path, error)),
            }
        }
        Err(refused.expect("each attempt that does not return leaves its error"))
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    #[cfg(test)]
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A file that can't be removed is the system's to clean up; the caller has its answer.
        let _ = fs::remove_dir_all(Path::new(&self.0));
    }
}
