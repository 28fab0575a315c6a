//! The reduction of files into a file.

use super::super::StoredWord;
use super::super::contents::Contents;
use super::super::disk::folder_of;
use super::super::error::StoreError;
use super::super::file::{IndexFile, IndexReader, with_reader};
use super::super::header::Header;
use super::super::watch::Watch;
use super::super::writer::{IndexWriter, Target};
use super::reducer::Summary;
use super::reduction::Reduction;
use crate::index::Numbering;

impl Reduction {
    /// Reduces files into the target, under this numbering, publishes it, and returns its header and a summary.
    ///
    /// The files are all of one material and side to move; their numberings may differ. Their blocks are checked as
    /// they are read, as by [`read_into`](IndexReader::read_into). `watch` is told of
    /// [`Phase::Reading`](crate::store::Phase), `Sorting` and `Writing`; see
    /// [the module](crate::store#long-operations).
    ///
    #[doc = include_str!("../example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let target = Target::plain(folder.path().join("alternate.tbi"), Overwrite::Refuse);
    /// let numbering = Numbering::Alternate;
    /// let (header, summary) =
    ///     Reduction::default().reduce_files_into(&[file], numbering, &target, &mut unwatched)?;
    /// assert_eq!((summary.read, header.count, summary.runs), (21_959, 21_959, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a file is of other contents or damaged, as for [`reducer`](Reduction::reducer) and
    /// [`IndexWriter`], and the errors of `watch`. Then there is no new file.
    ///
    /// # Panics
    /// If there is no file.
    pub fn reduce_files_into(
        &self,
        files: &[IndexFile],
        numbering: Numbering,
        target: &Target,
        watch: &mut Watch<'_>,
    ) -> Result<(Header, Summary), StoreError> {
        let first = files.first().expect("a reduction needs a file");
        with_reader!(first, first => self.reduce_words(first, files, numbering, target, watch))
    }

    fn reduce_words<W: StoredWord>(
        &self,
        first: &IndexReader<W>,
        files: &[IndexFile],
        numbering: Numbering,
        target: &Target,
        watch: &mut Watch<'_>,
    ) -> Result<(Header, Summary), StoreError> {
        let first = first.header.contents;
        let contents = Contents::new(first.material, numbering)
            .with_side(first.side)
            .reduced();
        for file in files {
            // Its indices are brought to the numbering of the others.
            let numbering = file.header().contents.numbering;
            file.check_goes_with(&Contents {
                numbering,
                ..contents
            })?;
        }
        let mut writer = IndexWriter::<W>::create(target, contents, self.backend)?;
        let count = files.iter().map(|file| file.header().count).sum();
        let beside = || folder_of(&target.path).to_owned();
        let reduction = Reduction {
            temp: Some(self.temp.clone().unwrap_or_else(beside)),
            ..self.clone()
        };
        let mut reducer = reduction.reducer(contents.equivalence(), Some(count))?;
        for file in files {
            reducer.push_file(file.reader()?, watch)?;
        }
        let summary = reducer.finish(&mut |indices| writer.write(indices), watch)?;
        Ok((writer.finish()?, summary))
    }
}
