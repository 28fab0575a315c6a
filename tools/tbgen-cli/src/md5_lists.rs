//! Lists of MD5 checksums as they lie beside published Syzygy files: a checksum and a name in each line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use md5::{Digest, Md5};
use tbgen::FileError;

use super::folder::{is_syzygy, paths_in};

/// By the names of Syzygy files, their checksums and the lists that have these.
pub(crate) struct Md5Lists(BTreeMap<OsString, Vec<(String, PathBuf)>>);

impl Md5Lists {
    /// Reads the lists of a folder, whose names end in `.md5`.
    pub(crate) fn read(folder: &Path) -> Result<Md5Lists> {
        let mut all = Md5Lists(BTreeMap::new());
        let mut lists = paths_in(folder)?;
        lists.retain(|path| path.extension().is_some_and(|end| end == "md5"));
        lists.sort();
        for list in lists {
            let text = std::fs::read_to_string(&list);
            let text = text.with_context(|| format!("can't read {}", list.display()))?;
            for (number, line) in (1..).zip(text.lines()) {
                let (sum, name) = line.split_once(char::is_whitespace).unwrap_or_default();
                // `md5sum` writes an asterisk before the name of a file that it read as bytes.
                let name = Path::new(name.trim().trim_start_matches('*'));
                let Some(name) = name.file_name().filter(|name| is_syzygy(Path::new(name))) else {
                    continue;
                };
                let is_sum = sum.len() == 32 && sum.bytes().all(|digit| digit.is_ascii_hexdigit());
                is_sum.then_some(()).with_context(|| {
                    let expected = "expected 32 hexadecimal digits before a name";
                    format!("{}: line {number}: {expected}", list.display())
                })?;
                let sums = all.0.entry(name.to_owned()).or_default();
                sums.push((sum.to_ascii_lowercase(), list.clone()));
            }
        }
        Ok(all)
    }

    /// The lists that have the checksum of a file.
    pub(crate) fn of(&self, path: &Path) -> impl Iterator<Item = &Path> {
        let sums = self.0.get(path.file_name().unwrap_or_default());
        sums.into_iter().flatten().map(|(_, list)| list.as_path())
    }

    /// Compares the checksum of a file with those that lists have of it.
    pub(crate) fn check(&self, path: &Path) -> Result<()> {
        let Some(sums) = self.0.get(path.file_name().unwrap_or_default()) else {
            return Ok(());
        };
        let mut hash = Md5::new();
        let read = File::open(path).and_then(|mut file| std::io::copy(&mut file, &mut hash));
        read.with_context(|| format!("can't read {}", path.display()))?;
        let found = hash
            .finalize()
            .into_iter()
            .map(|byte| format!("{byte:02x}"));
        let found: String = found.collect();
        match sums.iter().find(|(expected, _)| *expected != found) {
            None => Ok(()),
            Some((expected, list)) => Err(FileError::Field {
                path: path.to_owned(),
                what: "the MD5 checksum".to_owned(),
                found,
                expected: format!("{expected}, by {}", list.display()),
            }
            .into()),
        }
    }
}
