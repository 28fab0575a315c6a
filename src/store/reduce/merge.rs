//! Several sorted runs merged into one.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use super::super::error::StoreError;
use super::plan::ReductionPlan;
use super::runs::{HANDED_OUT, READING, RunReader, SortedRun, TEMPORARY};
use crate::index::Word;

/// Several runs as one, by a tournament: each inner node of a tree keeps the loser of its game, so
/// that after the winner has moved on only the games on its way to the root are played again.
pub(super) struct RunMerge<W> {
    readers: Vec<RunReader<W>>,
    /// Node 1 is the root; node k has the children 2k and 2k + 1.
    losers: Vec<(W, u32)>,
    winner: (W, u32),
    /// The last key that was handed out. Before there is one, a value that is not a key.
    last: W,
}

impl<W: Word> RunMerge<W> {
    /// The merge of runs, each of which is read with a buffer of so many keys.
    pub(super) fn new(runs: Vec<SortedRun>, buffer_items: usize) -> io::Result<RunMerge<W>> {
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
        Ok(RunMerge {
            readers,
            losers,
            winner: players[0],
            last: !W::ZERO,
        })
    }

    /// Appends the next keys of all runs in order, each once, until there are `most`, and returns whether
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

/// Merges runs until one merge can read them all. Returns those, and how many bytes were written.
pub(super) fn merge_to_few<W: Word, E: From<StoreError>>(
    plan: &ReductionPlan,
    runs: Vec<SortedRun>,
    temp: &Path,
    watch: &mut dyn FnMut() -> Result<(), E>,
) -> Result<(Vec<SortedRun>, u64), E> {
    let (reading, writing) = (
        StoreError::io(temp, READING),
        StoreError::io(temp, TEMPORARY),
    );
    let most = plan.most_runs() as usize;
    let mut runs = VecDeque::from(runs);
    let mut bytes = 0;
    let mut keys: Vec<W> = Vec::with_capacity(HANDED_OUT);
    while runs.len() > most {
        // The oldest come first: once some were merged, those are the shortest.
        let some: Vec<SortedRun> = runs
            .drain(..most.min(runs.len() - most + 1).max(2))
            .collect();
        let buffer = plan.merge_buffer_items(some.len(), size_of::<W>());
        let mut merge = RunMerge::<W>::new(some, buffer).map_err(&reading)?;
        let mut merged = SortedRun::create(temp).map_err(&writing)?;
        loop {
            watch()?;
            keys.clear();
            let more = merge.next_into(&mut keys, HANDED_OUT).map_err(&reading)?;
            merged.write(&keys).map_err(&writing)?;
            if !more {
                break;
            }
        }
        bytes += merged.items() * size_of::<W>() as u64;
        runs.push_back(merged);
    }
    Ok((runs.into(), bytes))
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
                    let mut run = SortedRun::create(folder.path()).unwrap();
                    keys.chunks(10).for_each(|some| run.write(some).unwrap());
                    assert_eq!(run.items(), keys.len() as u64);
                    all.extend(keys);
                    runs.push(run);
                }
                all.sort_unstable();
                all.dedup();
                let mut merge = RunMerge::<u64>::new(runs, buffer).unwrap();
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
