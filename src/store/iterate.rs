//! An iterator over all indices of a file, which are decoded a block at a time.

use super::blocks::BlockBuffer;
use super::error::StoreError;
use super::file::IndexFile;
use crate::index::Word;

/// An iterator over the indices of a file, made by [`IndexFile::iter`].
/// [`next_slice`](Indices::next_slice) gives whole slices of them.
#[derive(Clone, Debug)]
pub struct Indices<'a, W> {
    file: &'a IndexFile,
    /// The block that comes next.
    next: u64,
    words: Vec<W>,
    at: usize,
    buffer: BlockBuffer<W>,
}

impl IndexFile {
    /// An iterator over all indices in their order, of a plain or of a compressed file. Each block is checked
    /// when the iterator comes to it, as by [`read_into`](IndexFile::read_into). After an error the iterator ends.
    ///
    /// ```no_run
    /// use tbindex::batch::Backend;
    /// use tbindex::store::IndexFile;
    /// for index in IndexFile::open("KQvKR.tbi", Backend::detect())?.iter::<u32>()? {
    ///     println!("{:#o}", index?);
    /// }
    /// # Ok::<(), tbindex::store::StoreError>(())
    /// ```
    ///
    /// # Errors
    /// If `W` is not the file's word.
    pub fn iter<W: Word>(&self) -> Result<Indices<'_, W>, StoreError> {
        self.check_word::<W>()?;
        Ok(Indices {
            file: self,
            next: 0,
            words: Vec::new(),
            at: 0,
            buffer: BlockBuffer::default(),
        })
    }
}

impl<W: Word> Indices<'_, W> {
    /// The indices that come next, as many as are decoded. At the end the slice is empty.
    ///
    /// # Errors
    /// If the next block is damaged or can't be read.
    pub fn next_slice(&mut self) -> Result<&[W], StoreError> {
        if self.at == self.words.len() {
            self.decode()?;
        }
        let from = std::mem::replace(&mut self.at, self.words.len());
        Ok(&self.words[from..])
    }

    /// Decodes the next block, if there is one.
    fn decode(&mut self) -> Result<(), StoreError> {
        self.words.clear();
        self.at = 0;
        let number = self.next;
        let blocks = self.file.header().block_count;
        // After an error the iterator ends.
        self.next = blocks;
        if number < blocks {
            let words = self.file.read_checked_block(number, &mut self.buffer)?;
            self.words.extend_from_slice(words);
            self.next = number + 1;
        }
        Ok(())
    }
}

impl<W: Word> Iterator for Indices<'_, W> {
    type Item = Result<W, StoreError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.words.len()
            && let Err(error) = self.decode()
        {
            return Some(Err(error));
        }
        let index = *self.words.get(self.at)?;
        self.at += 1;
        Some(Ok(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let decoded = self.words.len() - self.at;
        let header = self.file.header();
        let rest = match self.next < header.block_count {
            true => header.count - header.items_before(self.next),
            false => 0,
        };
        let all = usize::try_from(rest).ok();
        // An error may come in place of what is not decoded yet.
        (decoded, all.and_then(|rest| rest.checked_add(decoded)))
    }
}
