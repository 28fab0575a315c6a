//! The reduction of files into a file.

use super::super::error::StoreError;
use super::super::header::Header;
use super::super::reader::{BlockBuffer, IndexFile};
use super::super::storage::Storage;
use super::super::watch::Progress;
use super::super::writer::IndexWriter;
use super::reducer::Summary;
use super::reduction::Reduction;
use crate::batch::BatchWord;
use crate::index::Equivalence;

impl Reduction {
    /// Reduces files into the file that `writer` makes, publishes that, and returns its header and what was
    /// done.
    ///
    /// The files are all of the writer's material and side to move; their numberings may differ. Their
    /// blocks' checksums are checked as they are read. `watch` is told of
    /// [`Phase::Reading`](crate::store::Phase), `Sorting` and `Writing`; see
    /// [the module](crate::store#long-operations).
    ///
    /// # Errors
    /// If a file is of other contents or damaged, as for [`reducer`](Reduction::reducer) and
    /// [`IndexWriter`], and what `watch` returns. Then there is no new file.
    ///
    /// # Panics
    /// If the writer's word can't hold its material; the writer has seen to that.
    pub fn reduce_files_into<W, D, E>(
        &self,
        files: &[IndexFile<D>],
        mut writer: IndexWriter<W>,
        mut watch: impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(Header, Summary), E>
    where
        W: BatchWord,
        D: Storage,
        E: From<StoreError> + Send,
    {
        let contents = *writer.contents();
        for file in files {
            file.check_material_and_side(&contents)?;
        }
        let same = Equivalence::of_material(contents.material, contents.numbering)
            .expect("the writer's word holds its material");
        let count = files.iter().map(|file| file.header().count).sum();
        let mut reducer = self.reducer(same, Some(count))?;
        let mut buffer = BlockBuffer::new();
        for file in files {
            let header = file.header();
            for number in 0..header.block_count {
                let indices = file.read_checked_block(number, &mut buffer)?;
                reducer.push_watched(header.numbering, indices, &mut watch)?;
            }
        }
        drop(buffer);
        let summary = reducer.finish(|indices| Ok(writer.write(indices)?), watch)?;
        Ok((writer.finish()?, summary))
    }
}
