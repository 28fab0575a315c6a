//! Whole files under another numbering, or their images under a symmetry.

use super::contents::Contents;
use super::error::StoreError;
use super::header::Header;
use super::ordered_jobs::run_in_order;
use super::reader::{BlockBuffer, IndexFile};
use super::storage::Storage;
use super::watch::{Phase, Progress};
use super::writer::IndexWriter;
use crate::batch::{Backend, BatchWord};
use crate::board::Symmetry;
use crate::index::{Layout, Numbering};

/// What is done to every index of a file.
///
/// The positions stay in their order, so what was sorted or canonical before is in general neither
/// afterwards; the new file claims what turns out to be true. [`Reduction`](super::Reduction) makes a
/// reduced file of any.
///
/// **In place** means that the new file has the name of the old: it is written beside it and renamed
/// over it when it is complete and on disk, as every file is. Whatever happens, the name stands for the
/// whole old file or for the whole new one, and there must be room for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// The same positions under this numbering: `tbindex convert`.
    Convert(Numbering),
    /// The images of the positions under this symmetry: `tbindex transform`.
    Transform(Symmetry),
}

impl Rewrite {
    /// What the new file holds, without claims about its order.
    #[must_use]
    pub const fn contents(self, of: &Header) -> Contents {
        let numbering = match self {
            Rewrite::Convert(numbering) => numbering,
            Rewrite::Transform(_) => of.numbering,
        };
        Contents::new(of.material, numbering).with_side(of.side)
    }

    fn rewrite_in_place<W: BatchWord>(self, layout: &Layout<W>, indices: &mut [W]) {
        match self {
            Rewrite::Convert(numbering) => {
                Backend::detect().convert_in_place(layout, numbering, indices);
            }
            Rewrite::Transform(symmetry) => {
                Backend::detect().flip_in_place(layout, symmetry, indices);
            }
        }
    }

    /// Rewrites a file into the one that `writer` makes, publishes that, and returns its header.
    ///
    /// The writer must have been made with [`contents`](Rewrite::contents), or others that are true of
    /// the result. Blocks are checked as they are read
    /// ([`read_checked_block`](IndexFile::read_checked_block)). `watch` is told of [`Phase::Reading`];
    /// see [the module](super#long-operations).
    ///
    /// # Errors
    /// If the file is damaged or can't be read, if `W` is not its word, as for [`IndexWriter`], and what
    /// `watch` returns. Then there is no new file.
    ///
    /// # Panics
    /// If the file's word can't hold its material; opening it has seen to that.
    pub fn rewrite_file_into<W, D, E>(
        self,
        file: &IndexFile<D>,
        mut writer: IndexWriter<W>,
        threads: usize,
        mut watch: impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<Header, E>
    where
        W: BatchWord,
        D: Storage + Sync,
        E: From<StoreError>,
    {
        file.check_word::<W>()?;
        let header = file.header();
        let layout = Layout::<W>::of_material(header.material, header.numbering)
            .expect("the header's word holds its material");
        run_in_order(
            threads,
            header.block_count,
            BlockBuffer::new,
            |buffer, number, out: &mut Vec<W>| {
                out.clear();
                out.extend_from_slice(file.read_checked_block(number, buffer)?);
                self.rewrite_in_place(&layout, out);
                Ok(())
            },
            |_, indices| Ok(writer.write(indices)?),
            |blocks| {
                let done = header.items_before(blocks);
                watch(Phase::Reading.progress(done, Some(header.count)))
            },
        )?;
        Ok(writer.finish()?)
    }
}
