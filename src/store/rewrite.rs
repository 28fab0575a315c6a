//! Whole files under another numbering, or their images under a symmetry.

use super::StoredWord;
use super::blocks::BlockBuffer;
use super::contents::Contents;
use super::error::StoreError;
use super::file::{IndexFile, IndexReader, with_reader};
use super::header::Header;
use super::ordered_jobs::run_in_order;
use super::watch::{Phase, Watch};
use super::writer::{IndexWriter, Target};
use crate::board::Symmetry;
use crate::index::Numbering;

/// The operation on every index of a file.
///
/// The positions stay in their order, so sorted or canonical indices are in general neither afterwards;
/// the new file claims the properties that it turns out to have. [`Reduction`](super::Reduction) makes a
/// reduced file of any.
///
/// **In place** means that the new file has the name of the old: it is written beside it and renamed
/// over it when it is complete and on disk, as every file is. At any moment the name stands for the
/// whole old file or for the whole new one, and there must be room for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// The same positions under this numbering: `tbindex convert`.
    Convert(Numbering),
    /// The images of the positions under this symmetry: `tbindex transform`.
    Transform(Symmetry),
}

impl Rewrite {
    /// Rewrites a file into the target, publishes that, and returns its header.
    ///
    /// Blocks are checked as they are read, as by [`read_into`](IndexReader::read_into). `watch` is told of
    /// [`Phase::Reading`]; see [the module](super#long-operations).
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let target = Target::plain(folder.path().join("mirrored.tbi"), Overwrite::Refuse);
    /// let mirror = Rewrite::Transform(Symmetry::FlipHorizontal);
    /// let header = mirror.rewrite_file_into(&file, &target, 2, &mut unwatched)?;
    /// assert_eq!((header.count, header.contents.canonical), (21_959, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file is damaged or can't be read, if the target's folder has too little space, if the target is to be
    /// compressed and the result is not sorted, as for [`IndexWriter`], and the errors of `watch`. Then there is no new
    /// file.
    pub fn rewrite_file_into(
        self,
        file: &IndexFile,
        target: &Target,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Header, StoreError> {
        with_reader!(file, file => self.rewrite_words(file, target, threads, watch))
    }

    fn rewrite_words<W: StoredWord>(
        self,
        file: &IndexReader<W>,
        target: &Target,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Header, StoreError> {
        let (header, backend, layout) = (&file.header, file.backend, file.same.layout());
        let numbering = match self {
            Rewrite::Convert(numbering) => numbering,
            Rewrite::Transform(_) => header.contents.numbering,
        };
        let contents = Contents {
            sorted: target.compact,
            ..Contents::new(header.contents.material, numbering).with_side(header.contents.side)
        };
        let mut writer = IndexWriter::<W>::create(target, contents, backend)?.observing();
        writer.check_space(header.count.into())?;
        run_in_order(
            threads,
            header.block_count,
            BlockBuffer::default,
            |buffer, number, out: &mut Vec<W>| {
                out.clear();
                out.extend_from_slice(file.read_checked_block(number, buffer)?);
                match self {
                    Rewrite::Convert(to) => backend.convert_in_place(&layout, to, out),
                    Rewrite::Transform(by) => backend.flip_in_place(&layout, by, out),
                }
                Ok(())
            },
            |_, indices| writer.write(indices),
            |blocks| {
                let done = header.items_before(blocks);
                watch(Phase::Reading.progress(done, Some(header.count)))
            },
        )?;
        writer.finish()
    }
}
