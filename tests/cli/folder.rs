//! A folder with files to run, and the command run inside it, so that what it says names no path of this machine.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::{NO_DRIVER, code, command, stderr, stdout};

/// A folder that goes away with its owner.
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    /// With `scale.ptx` (y = a · x), and `x.npy` that holds 1, 2, 3, 4.
    pub(super) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("scale.ptx", include_bytes!("../data/ptx/scale.ptx"));
        folder.floats("x.npy", &[1.0, 2.0, 3.0, 4.0]);
        folder
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, contents: &[u8]) {
        fs::write(self.path(name), contents).unwrap();
    }

    /// A `.npy` file as NumPy writes it.
    pub(super) fn array(&self, name: &str, descr: &str, shape: &str, data: &[u8]) {
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        header.push_str(&" ".repeat(117 - header.len()));
        header.push('\n');
        let length = (header.len() as u16).to_le_bytes();
        let file = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat();
        self.write(name, &file);
    }

    pub(super) fn floats(&self, name: &str, values: &[f32]) {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.array(name, "<f4", &format!("({},)", values.len()), &data);
    }

    /// The elements of a file of 32-bit floats.
    pub(super) fn read_floats(&self, name: &str) -> Vec<f32> {
        let file = fs::read(self.path(name)).unwrap();
        let header = usize::from(u16::from_le_bytes([file[8], file[9]]));
        let words = file[10 + header..].chunks_exact(4);
        words.map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    pub(super) fn command(&self, arguments: &str) -> Command {
        let words: Vec<_> = arguments.split_whitespace().collect();
        let mut command = command(&words);
        command.current_dir(self.0.path()).env("WARPSMITH_LIBCUDA", NO_DRIVER);
        command
    }

    /// The arguments apart at spaces.
    pub(super) fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Exit code, standard output and standard error of a command.
    pub(super) fn transcript(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let mut text = format!("$ warpsmith {arguments}\n{}", stdout(&output));
        if !output.stderr.is_empty() {
            text.push_str("--- messages\n");
            text.push_str(&stderr(&output));
        }
        format!("{text}--- exit code {}\n", code(&output))
    }
}
