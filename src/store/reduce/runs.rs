//! Sorted runs in temporary files, and their merge.
//!
//! The files have no name from the moment they are made (where the system allows it), so nothing of
//! them is left whatever becomes of the process.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::super::storage::read_exact_at;
use crate::index::Word;

/// Ascending, different keys in a temporary file.
#[derive(Debug)]
pub(super) struct Run {
    file: File,
    items: u64,
}

impl Run {
    /// Begins a run in a folder.
    pub(super) fn create(folder: &Path) -> io::Result<Run> {
        Ok(Run {
            file: tempfile::tempfile_in(folder)?,
            items: 0,
        })
    }

    /// Appends keys, which must be greater than all before.
    pub(super) fn write<W: Word>(&mut self, keys: &[W]) -> io::Result<()> {
        self.file.write_all(bytemuck::cast_slice(keys))?;
        self.items += keys.len() as u64;
        Ok(())
    }

    pub(super) const fn items(&self) -> u64 {
        self.items
    }
}

/// A run that is being read.
struct RunReader<W> {
    run: Run,
    read: u64,
    buffer: Vec<W>,
    at: usize,
}

impl<W: Word> RunReader<W> {
    fn new(run: Run, buffer_items: usize) -> io::Result<RunReader<W>> {
        let mut reader = RunReader {
            run,
            read: 0,
            buffer: vec![W::ZERO; buffer_items],
            at: 0,
        };
        reader.buffer.clear();
        reader.fill(buffer_items)?;
        Ok(reader)
    }

    #[cold]
    fn fill(&mut self, items: usize) -> io::Result<()> {
        let items = (self.run.items - self.read).min(items as u64) as usize;
        self.buffer.resize(items, W::ZERO);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.buffer);
        read_exact_at(&self.run.file, bytes, self.read * size_of::<W>() as u64)?;
        self.read += items as u64;
        self.at = 0;
        Ok(())
    }

    /// The first key that was not taken yet; greater than all keys where there is none.
    #[inline(always)]
    fn peek(&self) -> W {
        self.buffer.get(self.at).copied().unwrap_or(!W::ZERO)
    }

    /// Takes the first key.
    #[inline(always)]
    fn advance(&mut self) -> io::Result<()> {
        self.at += 1;
        if self.at == self.buffer.len() {
            self.fill(self.buffer.capacity())?;
        }
        Ok(())
    }
}

/// Several runs as one, by a tournament: each inner node of a tree keeps the loser of its game, so
/// that after the winner has moved on only the games on its way to the root are played again.
pub(super) struct Merge<W> {
    readers: Vec<RunReader<W>>,
    /// Node 1 is the root; node k has the children 2k and 2k + 1.
    losers: Vec<(W, u32)>,
    winner: (W, u32),
    /// The last key that was handed out; what no key is before there is one.
    last: W,
}

impl<W: Word> Merge<W> {
    /// The merge of runs, with a buffer of so many keys for each.
    pub(super) fn new(runs: Vec<Run>, buffer_items: usize) -> io::Result<Merge<W>> {
        let readers = runs
            .into_iter()
            .map(|run| RunReader::new(run, buffer_items))
            .collect::<io::Result<Vec<_>>>()?;
        let leaves = readers.len().next_power_of_two().max(2);
        let mut players: Vec<(W, u32)> = (0..leaves)
            .map(|k| (readers.get(k).map_or(!W::ZERO, RunReader::peek), k as u32))
            .collect();
        let mut losers = vec![(!W::ZERO, 0); leaves];
        // The first round is played at the nodes from leaves / 2 on.
        let mut node = leaves;
        while players.len() > 1 {
            node /= 2;
            players = players
                .chunks(2)
                .enumerate()
                .map(|(game, pair)| {
                    let (winner, loser) = match pair[0].0 <= pair[1].0 {
                        true => (pair[0], pair[1]),
                        false => (pair[1], pair[0]),
                    };
                    losers[node + game] = loser;
                    winner
                })
                .collect();
        }
        Ok(Merge {
            readers,
            losers,
            winner: players[0],
            last: !W::ZERO,
        })
    }

    /// Appends the next keys of all runs in order, each once, until there are `most`; whether
    /// there may be more.
    pub(super) fn next_into(&mut self, out: &mut Vec<W>, most: usize) -> io::Result<bool> {
        let leaves = self.losers.len();
        let end = !W::ZERO;
        while out.len() < most {
            let (key, reader) = self.winner;
            if key == end {
                return Ok(false);
            }
            if key != self.last {
                out.push(key);
                self.last = key;
            }
            let reading = &mut self.readers[reader as usize];
            reading.advance()?;
            let mut player = (reading.peek(), reader);
            let mut node = (leaves + reader as usize) / 2;
            while node > 0 {
                let loser = &mut self.losers[node];
                let (winner, lost) = match loser.0 < player.0 {
                    true => (*loser, player),
                    false => (player, *loser),
                };
                *loser = lost;
                player = winner;
                node /= 2;
            }
            self.winner = player;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_merge_to_their_sorted_union() {
        let folder = tempfile::tempdir().unwrap();
        for count in [0usize, 1, 2, 3, 5, 8, 13] {
            for buffer in [1, 2, 100] {
                let mut all = Vec::new();
                let mut runs = Vec::new();
                for k in 0..count {
                    // Of different lengths, some of them empty, with many keys in common.
                    let keys: Vec<u64> = (0..(k * 37 % 101) as u64)
                        .map(|x| x * (k as u64 % 3 + 1) * 5)
                        .collect();
                    let mut run = Run::create(folder.path()).unwrap();
                    keys.chunks(10).for_each(|some| run.write(some).unwrap());
                    assert_eq!(run.items(), keys.len() as u64);
                    all.extend(keys);
                    runs.push(run);
                }
                all.sort_unstable();
                all.dedup();
                let mut merge = Merge::<u64>::new(runs, buffer).unwrap();
                let mut found = Vec::new();
                loop {
                    let mut some = Vec::new();
                    let more = merge.next_into(&mut some, 8).unwrap();
                    found.extend(some);
                    if !more {
                        break;
                    }
                }
                assert_eq!(found, all, "{count} runs, {buffer} at a time");
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
