//! Writes the results of a job, all of them or none of those that were there before is lost.

use std::path::{Path, PathBuf};

use super::error::RunError;
use super::job::{Job, Outcome};
use super::npy::{Array, ElementKind, ElementType, write_whole};
use crate::ptx::emu::Writer;

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The parameter.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Type of its elements.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Elements that nothing wrote, where the device knows: they are 0.
    pub unwritten: Option<u64>,
    /// The file that says who wrote each element.
    pub writers: Option<PathBuf>,
}

/// The file beside a result that says who wrote each element.
pub fn writers_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".writers.npy");
    name.into()
}

impl Job {
    /// Writes the results of a run that ended, each file in one step. Beside a result whose writers were asked for stands
    /// a file of 32-bit integers with a row for each element: CTA x, y, z, warp, lane, or −1 for nobody.
    ///
    /// # Errors
    /// A file can't be written; those before it are.
    pub fn save(&self, outcome: &Outcome) -> Result<Vec<Saved>, RunError> {
        let mut saved = Vec::new();
        for (index, buffer) in self.buffers().iter().enumerate() {
            let Some(bytes) = outcome.results.get(index).and_then(Option::as_ref) else { continue };
            let array = Array { ty: buffer.ty, shape: buffer.shape.clone(), data: bytes.clone() };
            write(&buffer.path, &array)?;
            let writers = outcome.writers.get(index).and_then(Option::as_ref);
            let beside = writers_path(&buffer.path);
            if writers.is_none() && beside.is_file() {
                // Those of an earlier result, which is gone.
                let gone = std::fs::remove_file(&beside);
                gone.map_err(|error| RunError::Write { path: beside.clone(), error })?;
            }
            let writers = writers.map(|writers| write(&beside, &self.rows(writers)).map(|()| beside));
            saved.push(Saved {
                name: buffer.name.clone(),
                path: buffer.path.clone(),
                dtype: buffer.dtype.clone(),
                shape: buffer.shape.clone(),
                unwritten: outcome.unwritten.get(index).copied().flatten(),
                writers: writers.transpose()?,
            });
        }
        Ok(saved)
    }

    fn rows(&self, writers: &[Option<Writer>]) -> Array {
        let [x, y, _] = self.grid();
        let row = |writer: &Option<Writer>| match *writer {
            None => [-1; 5],
            Some(Writer { cta, warp, lane }) => {
                let [i, j, k] = [cta % x, cta / x % y, cta / x / y];
                // Each is below a limit of 31 bits.
                [i, j, k, warp, lane].map(|number| number as i32)
            }
        };
        let data = writers.iter().flat_map(row).flat_map(i32::to_le_bytes).collect();
        let ty = ElementType::new(ElementKind::Signed, 4);
        Array { ty, shape: vec![writers.len() as u64, 5], data }
    }
}

fn write(path: &Path, array: &Array) -> Result<(), RunError> {
    write_whole(path, &array.to_file()).map_err(|error| RunError::Write { path: path.to_owned(), error })
}
