//! The headers of files of a checkpoint. The format is in [the module above](super).

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use tbindex::store::is_file;

use super::{CheckpointError, CheckpointOf};
use crate::storage::header::{u16_at, u32_at};
use crate::table::revision::distrust;
use crate::table::value::Metric;

const VERSION: u16 = 4;
const MAGIC: [u8; 8] = *b"\x89TBL\r\n\x1a\n";
pub(super) const HEADER_BYTES: usize = 64;

/// What a file has records of, as its header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The plies of a part.
    Plies,
    /// The solved parts of a table with pawns.
    Parts,
}

/// Whether a file begins as a checkpoint does. One that can't be read is none.
#[must_use]
pub(crate) fn is_checkpoint(path: &Path) -> bool {
    let mut begin = [0; 8];
    // Opening a pipe would wait for its other end.
    let there = is_file(path).unwrap_or(false);
    let mut read = || File::open(path)?.read_exact(&mut begin);
    there && read().is_ok() && begin == MAGIC
}

/// The header of a file that this revision of the solver or another one began.
pub(super) fn header(content: Content, of: &CheckpointOf, revision: u16) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[10] = of.metric as u8;
    bytes[11] = content as u8;
    bytes[12..16].copy_from_slice(&of.sources.to_le_bytes());
    let name = of.material.to_string();
    bytes[16..16 + name.len()].copy_from_slice(name.as_bytes());
    bytes[56..58].copy_from_slice(&revision.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..60]);
    bytes[60..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Why these bytes are not the header of a file of this table. The smaller tables are looked at if they are `known`.
pub(super) fn wrong_header(
    content: Content,
    of: &CheckpointOf,
    known: bool,
    bytes: &[u8; HEADER_BYTES],
) -> Option<String> {
    if bytes[..8] != MAGIC {
        return Some("this is not a checkpoint".to_owned());
    }
    let version = u16_at(bytes, 8);
    if version != VERSION {
        let what = format!("the checkpoint has version {version}, expected {VERSION}");
        return Some(what);
    }
    if crc32fast::hash(&bytes[..60]) != u32_at(bytes, 60) {
        return Some("the header of the checkpoint is damaged".to_owned());
    }
    if bytes[11] != content as u8 {
        let what = match content {
            Content::Plies => "plies of a part",
            Content::Parts => "solved parts",
        };
        return Some(format!(
            "this file of a checkpoint has something else, expected {what}"
        ));
    }
    let found = String::from_utf8_lossy(&bytes[16..56]);
    let found = found.trim_end_matches('\0');
    if found != of.material.to_string() || bytes[10] != of.metric as u8 {
        let by = Metric::ALL.get(usize::from(bytes[10]));
        let by = by.map_or("an unknown metric", |metric| metric.name());
        return Some(format!(
            "this is a checkpoint of {found} by {by}, expected one of {} by {}",
            of.material,
            of.metric.name()
        ));
    }
    if known && u32_at(bytes, 12) != of.sources {
        let what = "the checkpoint is stale: it began with other smaller tables than those that are there now";
        return Some(what.to_owned());
    }
    let revision = u16_at(bytes, 56);
    if bytes[58..60] != [0; 2] {
        return Some("the header of the checkpoint has bytes without a meaning".to_owned());
    }
    distrust(of.material.into(), of.metric, revision)
}

/// Checks that the file of this name, if there is one, is a checkpoint of this table, as far as its header says. Of
/// which smaller tables it was begun is looked at if these are `known`.
pub(super) fn check_header(
    path: &Path,
    content: Content,
    of: &CheckpointOf,
    known: bool,
) -> Result<(), CheckpointError> {
    let io = CheckpointError::io(path, "read");
    if !is_file(path).map_err(io)? {
        return Ok(());
    }
    let mut file = File::open(path).map_err(io)?;
    let mut bytes = [0; HEADER_BYTES];
    match file.read_exact(&mut bytes) {
        // What is shorter is looked at when it is opened.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
        read => read.map_err(io)?,
    }
    wrong_header(content, of, known, &bytes)
        .map_or(Ok(()), |what| Err(CheckpointError::foreign(path, what)))
}
