//! Reads and writes at places of a file, whichever threads do so.

use std::fs::File;
use std::io;

#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
pub(crate) fn read_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek};
    let _one = SEEKING.lock();
    file.seek(io::SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

#[cfg(not(unix))]
pub(crate) fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::io::{Seek, Write};
    let _one = SEEKING.lock();
    file.seek(io::SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Held while a file is read or written at a place.
#[cfg(not(unix))]
static SEEKING: std::sync::Mutex<()> = std::sync::Mutex::new(());
