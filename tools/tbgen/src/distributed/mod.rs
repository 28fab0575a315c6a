//! Several processes that solve a table together.

pub(crate) mod crossing;
mod files;
pub(crate) mod partition;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::subtables::library::SolveError;

/// Carries messages between the processes that solve a table together. All of them make the same calls in the same
/// order, each from one thread. A message that can't be carried ends them all.
pub trait Transport {
    /// The number of processes, at least 1.
    fn processes(&self) -> usize;

    /// The number of this process, from 0.
    fn number(&self) -> usize;

    /// Sends each process, itself included, the bytes at its number, and returns the bytes that each sent here, by their
    /// numbers.
    fn exchange(&self, to_each: &[&[u8]]) -> Vec<Vec<u8>>;
}

/// The processes that solve a table together, as one of them sees them; or one that needs nobody else, without a transport.
#[derive(Clone, Copy, Default)]
pub(crate) struct Team<'t>(pub(crate) Option<&'t dyn Transport>);

impl Team<'_> {
    /// The number of processes.
    pub(crate) fn processes(self) -> usize {
        self.0.map_or(1, Transport::processes)
    }

    /// The number of this process.
    pub(crate) fn number(self) -> usize {
        self.0.map_or(0, Transport::number)
    }

    /// Sends all processes the same bytes, and returns the bytes of all by their numbers.
    fn share_bytes(self, own: Vec<u8>) -> Vec<Vec<u8>> {
        match self.0 {
            Some(transport) => transport.exchange(&vec![&own[..]; transport.processes()]),
            None => vec![own],
        }
    }

    /// Sends all processes a value, and returns the values of all by their numbers.
    pub(crate) fn share<T: Serialize + DeserializeOwned>(
        self,
        own: T,
    ) -> Result<Vec<T>, SolveError> {
        if self.0.is_none() {
            return Ok(vec![own]);
        }
        let own = postcard::to_allocvec(&own).expect("memory takes all");
        let all = self.share_bytes(own).into_iter();
        all.map(|bytes| postcard::from_bytes(&bytes).map_err(|_| SolveError::Message("it is cut")))
            .collect()
    }

    /// The sums of these numbers over all processes.
    pub(crate) fn sum<const N: usize>(self, numbers: [u64; N]) -> Result<[u64; N], SolveError> {
        let mut sums = [0; N];
        for numbers in self.share(numbers.to_vec())? {
            for (sum, number) in sums.iter_mut().zip(numbers) {
                *sum += number;
            }
        }
        Ok(sums)
    }

    /// Whether something is so in any process. None goes on before all have asked.
    pub(crate) fn any(self, here: bool) -> bool {
        self.share_bytes(vec![u8::from(here)]).concat().contains(&1)
    }

    /// A result, unless any process was interrupted or is to stop: then all are.
    ///
    /// # Errors
    /// As of the result. Unless it is an interruption, the other processes wait then, and the caller has to end them.
    pub(crate) fn unless_stopped<T>(
        self,
        result: Result<T, SolveError>,
        stop: &AtomicBool,
    ) -> Result<T, SolveError> {
        let stopped = match &result {
            Ok(_) => stop.load(Ordering::Relaxed),
            Err(SolveError::Interrupted) => true,
            Err(_) => return result,
        };
        match self.any(stopped) {
            true => Err(SolveError::Interrupted),
            false => result,
        }
    }

    /// The flag that stops this process at any time when it is set: one that never is, if others would wait for it then.
    pub(crate) fn stop_at_once(self, stop: &AtomicBool) -> &AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        match self.processes() {
            1 => stop,
            _ => &NEVER,
        }
    }

    /// The tasks of this process among all.
    pub(crate) fn deal<T: Clone>(self, tasks: &[T]) -> Vec<T> {
        tasks[dealt(tasks.len(), self.number(), self.processes())].to_vec()
    }
}

/// The tasks of one of some processes among so many: neighbours, which may have much in common.
pub(crate) fn dealt(tasks: usize, number: usize, processes: usize) -> Range<usize> {
    tasks * number / processes..tasks * (number + 1) / processes
}
