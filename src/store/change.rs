//! Whole files under another numbering, or their images under a symmetry.

use std::ops::ControlFlow;

use super::contents::Contents;
use super::error::{StoreError, go_on};
use super::filled::Filled;
use super::header::Header;
use super::in_order::in_order;
use super::reader::{BlockBuffer, IndexFile};
use super::storage::Storage;
use super::writer::IndexWriter;
use crate::batch::{self, BatchWord};
use crate::board::Symmetry;
use crate::index::{Layout, Numbering};

/// A change of every index of a file.
///
/// The positions stay in their order, so what was sorted or canonical before is in general neither
/// afterwards; the new file claims what turns out to be true. [`Reduction`](super::Reduction) makes a
/// reduced file of any.
///
/// **In place** means that the new file has the name of the old: it is written beside it and renamed
/// over it when it is complete and on disk, as every file is. Whatever happens, there is the whole old
/// file or the whole new one under the name, and there must be room for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The same positions under this numbering.
    Numbering(Numbering),
    /// The images of the positions under this symmetry.
    Symmetry(Symmetry),
}

impl Change {
    /// What the changed file holds, without claims about its order.
    #[must_use]
    pub const fn contents(self, of: &Header) -> Contents {
        let numbering = match self {
            Change::Numbering(numbering) => numbering,
            Change::Symmetry(_) => of.numbering,
        };
        Contents::new(of.material, numbering).with_side(of.side)
    }

    /// Changes indices of this layout.
    pub fn in_place<W: BatchWord>(self, layout: &Layout<W>, indices: &mut [W]) {
        match self {
            Change::Numbering(numbering) => batch::convert_in_place(layout, numbering, indices),
            Change::Symmetry(symmetry) => batch::flip_in_place(layout, symmetry, indices),
        }
    }

    /// Changes a file into the one that `writer` makes, and publishes it.
    ///
    /// The writer must have been made with [`contents`](Change::contents), or others that are true of
    /// the result. Blocks are checked as they are read
    /// ([`read_checked_block`](IndexFile::read_checked_block)). `watch` is told from time to time
    /// how many indices are done, and ends the work by `ControlFlow::Break`.
    ///
    /// # Errors
    /// If the file is damaged or can't be read, if `W` is not its word, as for [`IndexWriter`], or if
    /// the watch ended the work. Then there is no new file.
    ///
    /// # Panics
    /// If the file's word can't hold its material; opening it has seen to that.
    pub fn of_file<W: BatchWord, D: Storage + Sync>(
        self,
        file: &IndexFile<D>,
        mut writer: IndexWriter<W>,
        threads: usize,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Header, StoreError> {
        file.check_word::<W>()?;
        let header = file.header();
        let layout = Layout::<W>::of_material(header.material, header.numbering)
            .expect("the header's word holds its material");
        in_order(
            threads,
            header.block_count,
            BlockBuffer::new,
            |buffer, number, out: &mut Filled<W>| {
                let indices = file.read_checked_block(number, buffer)?;
                out.copy(indices);
                self.in_place(&layout, out.as_mut_slice());
                Ok(())
            },
            |_, indices| writer.write(indices),
            |blocks| go_on(watch(header.items_before(blocks))),
        )?;
        writer.finish()
    }
}
