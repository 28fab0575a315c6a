//! The operations on whole files.

use super::super::checks::check_canonical;
use super::super::error::{StoreError, StoreErrorKind};
use super::super::header::Header;
use super::super::ordered_jobs::run_in_order;
use super::super::reader::IndexFile;
use super::super::storage::Storage;
use super::super::watch::{Phase, Progress};
use super::super::writer::IndexWriter;
use super::checked::Checked;
use super::combine::Workspace;
use super::operation::SetOperation;
use crate::batch::BatchWord;
use crate::index::{Equivalence, Word};

/// About how many indices of all files together a range has. Blocks that lie in two ranges are checked to their
/// end in the first of them; that is little of so many.
const RANGE_ITEMS: u64 = 1 << 20;

impl SetOperation {
    /// Does the operation on files, hands the result to `take` in ascending slices, and returns how many
    /// indices it has.
    ///
    /// Every block that is used is checked before anything that was made of it is handed on: its checksum,
    /// that its indices are in range, and that they ascend as the header claims. `take` is called on any of
    /// the threads, but never on two at once; `watch` is told of [`Phase::Reading`]; see
    /// [the module](crate::store#long-operations).
    ///
    /// # Errors
    /// As for [`contents`](SetOperation::contents), if `W` is not the files' word, if a file is damaged
    /// or can't be read, and what `take` or `watch` returns. Then what was handed on before is right as far
    /// as it goes.
    ///
    /// # Panics
    /// If there is no file.
    pub fn combine_files<W, D, E>(
        self,
        files: &[IndexFile<D>],
        take: impl FnMut(&[W]) -> Result<(), E> + Send,
        threads: usize,
        watch: impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<u64, E>
    where
        W: Word,
        D: Storage + Sync,
        E: From<StoreError> + Send,
    {
        self.combine_checked(files, |_| Ok(()), take, threads, watch)
    }

    /// As [`combine_files`](SetOperation::combine_files), with a check of all slices of the result, on any of the
    /// threads and several of them at once.
    fn combine_checked<W, D, E>(
        self,
        files: &[IndexFile<D>],
        check: impl Fn(&[W]) -> Result<(), StoreError> + Sync,
        mut take: impl FnMut(&[W]) -> Result<(), E> + Send,
        threads: usize,
        mut watch: impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<u64, E>
    where
        W: Word,
        D: Storage + Sync,
        E: From<StoreError> + Send,
    {
        self.contents(files)?;
        for file in files {
            file.check_word::<W>()?;
        }
        let files = files
            .iter()
            .map(Checked::new)
            .collect::<Result<Vec<_>, _>>()?;
        let cuts = cuts::<W, D>(&files)?;
        let total: u64 = files.iter().map(Checked::count).sum();
        let mut count = 0;
        run_in_order(
            threads,
            cuts.len() as u64 + 1,
            Workspace::new,
            |workspace: &mut Workspace<W>, range, out| {
                let range = range as usize;
                let start = range.checked_sub(1).map(|before| cuts[before].0);
                let end = cuts.get(range).map(|&(key, _)| key);
                workspace.combine(self, &files, (start, end), out)?;
                out.slices().try_for_each(&check)
            },
            |_, indices| {
                count += indices.len() as u64;
                match indices {
                    [] => Ok(()),
                    _ => take(indices),
                }
            },
            |ranges| {
                let ends = |last| cuts.get(last as usize).map_or(total, |&(_, end)| end);
                let done = ranges.checked_sub(1).map_or(0, ends);
                watch(Phase::Reading.progress(done, Some(total)))
            },
        )?;
        Ok(count)
    }

    /// Does the operation on files into the file that `writer` makes, publishes that, and returns its header. If the new
    /// file is to say that it is canonical, all its indices are checked to be so.
    ///
    /// # Errors
    /// As for [`combine_files`](SetOperation::combine_files) and [`IndexWriter`], and if a file says that it is canonical
    /// and has an index that isn't, which would go into the new one. Then there is no new file.
    ///
    /// # Panics
    /// If there is no file.
    pub fn combine_files_into<W, D, E>(
        self,
        files: &[IndexFile<D>],
        mut writer: IndexWriter<W>,
        threads: usize,
        watch: impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<Header, E>
    where
        W: BatchWord,
        D: Storage + Sync,
        E: From<StoreError> + Send,
    {
        let contents = self.contents(files)?;
        let same = Equivalence::<W>::of_material(contents.material, contents.numbering);
        let same = same.ok().filter(|_| contents.canonical);
        let check = |indices: &[W]| match &same {
            Some(same) => check_canonical(files[0].name(), same, 0, indices)
                .map_err(|error| named(error, files)),
            None => Ok(()),
        };
        let take = |indices: &[W]| Ok(writer.write(indices)?);
        self.combine_checked(files, check, take, threads, watch)?;
        Ok(writer.finish()?)
    }
}

/// An error about an index that is not canonical, with the file that has it and says it is.
fn named<D: Storage>(error: StoreError, files: &[IndexFile<D>]) -> StoreError {
    let StoreErrorKind::NotCanonical {
        index, canonical, ..
    } = *error.kind()
    else {
        return error;
    };
    let has =
        |file: &&IndexFile<D>| file.header().canonical && file.contains(index).unwrap_or(false);
    let Some(file) = files.iter().find(has) else {
        return error;
    };
    StoreErrorKind::NotCanonical {
        position: file.rank(index).unwrap_or(0),
        index,
        canonical,
    }
    .at(file.name())
}

/// The first indices of all ranges but the first, each with about the number of indices before it.
fn cuts<W: Word, D: Storage>(files: &[Checked<'_, D>]) -> Result<Vec<(u64, u64)>, StoreError> {
    let mut firsts = Vec::new();
    for file in files {
        file.firsts_into::<W>(&mut firsts)?;
    }
    firsts.sort_unstable();
    let (mut cuts, mut before, mut since) = (Vec::new(), 0, 0);
    for (first, items) in firsts {
        if since >= RANGE_ITEMS && cuts.last().is_none_or(|&(cut, _)| cut < first) {
            cuts.push((first, before));
            since = 0;
        }
        before += items;
        since += items;
    }
    Ok(cuts)
}
