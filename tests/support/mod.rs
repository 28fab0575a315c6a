//! What the tests of index files share.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test includes this file as a module and uses some of it"
)]

pub mod checksums;

use std::fs;
use std::path::Path;

use tbindex::store::{Contents, Header, IndexWriter, Overwrite, StoreError};
use tbindex::{Numbering, Word};

/// Any indices of a material.
pub fn contents(material: &str) -> Contents {
    Contents::new(material.parse().unwrap(), Numbering::Natural)
}

/// Writes a whole plain file.
pub fn write<W: Word>(
    path: &Path,
    contents: Contents,
    indices: &[W],
) -> Result<Header, StoreError> {
    let mut writer = IndexWriter::create(path, contents, Overwrite::Refuse)?;
    writer.write(indices)?;
    writer.finish()
}

/// All names in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Bytes at an address that words can be read from.
pub struct Aligned(Vec<u64>, usize);

impl Aligned {
    pub fn new(bytes: &[u8]) -> Aligned {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Aligned(words, bytes.len())
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

/// Numbers that look random, the same in every run: xorshift.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self, bits: u32) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> (64 - bits)
    }
}
