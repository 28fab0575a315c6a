//! Writes tables: rounds of blocks, one after the other, and the pages of the index that have them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tbindex::Color;
use tbindex::store::{Overwrite, PartialFile};

use super::blocks::{Blocks, blocks_at_once};
use super::header::Header;
use super::index::{Entry, PAGE_BLOCKS, Page, index_bytes, payload_bytes};
use super::{FileError, values};
use crate::chess::piece_set::Endgame;
use crate::distributed::transport::{Alone, Transport};
use crate::table::codes::MOST_CODES;
use crate::table::revision::REVISION;
use crate::table::solved::Table;
use crate::table::temp_file::write_at;
use crate::table::value::Metric;

impl Table {
    /// The path of an endgame's table in a folder.
    #[must_use]
    pub fn path(folder: &Path, endgame: impl Into<Endgame>, metric: Metric) -> PathBuf {
        let endgame = endgame.into().normal();
        folder.join(format!("{endgame}.{}", metric.extension()))
    }

    /// Writes the table to a file, which gets its name when it is complete. The threads of the current
    /// rayon pool compress it.
    ///
    /// # Errors
    /// If the file exists and is not to be replaced, or if the system refuses.
    pub fn write(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        let begun = PartialFile::create(path, overwrite)?;
        self.write_to(path, Some(begun), &AtomicBool::new(false), &Alone)
    }

    /// Writes the table to a file, perhaps together with other processes, all of which have the table and call this function.
    /// Each writes some of the slices. Process 0 has begun the file, and gives it its name; the others have no file. Several
    /// processes do not heed `stop`, as all would have to stop at the same place.
    ///
    /// # Errors
    /// If the file is there by now and is not to be replaced, if the system refuses, or if `stop` is set. There is no file
    /// then. Other processes wait, and the caller has to end them.
    pub fn write_to(
        &self,
        path: &Path,
        begun: Option<PartialFile>,
        stop: &AtomicBool,
        transport: &dyn Transport,
    ) -> Result<(), FileError> {
        let io = FileError::io(path, "write to the file");
        let values = Color::ALL.map(|side| self.values(side));
        let counts = values.each_ref().map(Vec::len);
        for side in Color::ALL {
            let values = counts[side as usize];
            if values > MOST_CODES {
                let path = path.to_owned();
                return Err(FileError::Values { path, side, values });
            }
        }
        let list = values::encode(values.iter().flatten());
        let mut header = Header {
            shape: self.shape.in_letters(self.shape.endgame().own()),
            metric: self.metric,
            values: counts,
            payload_bytes: 0,
            values_checksum: crc32fast::hash(&list),
            index_checksum: 0,
            revision: REVISION,
        };
        let file = open_begun(begun.as_ref(), transport).map_err(io)?;
        let mut index = crc32fast::Hasher::new();
        let (blocks, at_once) = (header.blocks(), blocks_at_once(&self.shape));
        let mut made = Blocks::new(self, &values, header.block_slots());
        for round in (0..blocks).step_by(at_once * transport.processes()) {
            let begin = blocks.min(round + at_once * transport.number());
            let mine = made.make(begin..blocks.min(begin + at_once)).map_err(io)?;
            let entries = mine.iter().map(|block| Entry::of(block).encode());
            let shared = transport.share(entries.flatten().collect());
            let before = shared[..transport.number()].concat();
            let mut at = header.payload_offset()
                + header.payload_bytes
                + payload_bytes(before.as_chunks().0);
            for blocks in mine.chunks(PAGE_BLOCKS).map(<[Vec<u8>]>::concat) {
                write_at(&file, &blocks, at).map_err(io)?;
                at += blocks.len() as u64;
            }
            let entries = shared.concat();
            let pages = entries.as_chunks().0.chunks(PAGE_BLOCKS);
            for (entries, number) in pages.zip(round / PAGE_BLOCKS..) {
                let offset = header.payload_bytes;
                let page = Page {
                    number,
                    offset,
                    entries,
                };
                index.update(&page.checksum().to_le_bytes());
                if begun.is_some() {
                    let at = header.index_offset() + index_bytes(number * PAGE_BLOCKS);
                    write_at(&file, &page.encode(), at).map_err(io)?;
                }
                header.payload_bytes += payload_bytes(entries);
            }
            tbindex::fail_point!("tbgen::blocks_written");
            if transport.processes() == 1 && stop.load(Ordering::Relaxed) {
                return Err(FileError::Interrupted);
            }
        }
        if begun.is_none() {
            file.sync_all().map_err(io)?;
        }
        // Now all blocks are in the file.
        transport.sum([0; 6]);
        if let Some(begun) = begun {
            header.index_checksum = index.finalize();
            let head = [&header.encode()[..], &list].concat();
            write_at(&file, &head, 0).map_err(io)?;
            tbindex::fail_point!("tbgen::table_before_rename");
            begun.finish()?;
            tbindex::fail_point!("tbgen::table_renamed");
        }
        transport.sum([0; 6]);
        Ok(())
    }
}

/// The file in the making, whose name process 0 tells.
fn open_begun(begun: Option<&PartialFile>, transport: &dyn Transport) -> io::Result<File> {
    let name = begun.map_or(Path::new(""), PartialFile::partial_path);
    let told = transport.share(name.as_os_str().as_encoded_bytes().to_vec());
    let told = String::from_utf8_lossy(&told[0]);
    let name = begun.map_or(Path::new(told.as_ref()), |_| name);
    File::options().write(true).open(name)
}
