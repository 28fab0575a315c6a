//! The operations on whole files.

use super::super::error::StoreError;
use super::super::header::Header;
use super::super::ordered_jobs::run_in_order;
use super::super::reader::IndexFile;
use super::super::storage::Storage;
use super::super::watch::{Phase, Progress};
use super::super::writer::IndexWriter;
use super::checked::Checked;
use super::combine::Workspace;
use super::operation::SetOperation;
use crate::index::Word;

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
                workspace.combine(self, &files, (start, end), out)
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

    /// Does the operation on files into the file that `writer` makes, publishes that, and returns its header.
    ///
    /// # Errors
    /// As for [`combine_files`](SetOperation::combine_files) and [`IndexWriter`]. Then there is no new file.
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
        W: Word,
        D: Storage + Sync,
        E: From<StoreError> + Send,
    {
        let take = |indices: &[W]| Ok(writer.write(indices)?);
        self.combine_files(files, take, threads, watch)?;
        Ok(writer.finish()?)
    }
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
