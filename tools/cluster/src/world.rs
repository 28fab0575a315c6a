//! The processes of an MPI job, as the solver sees them.

use std::cell::Cell;
use std::time::{Duration, Instant};

use mpi::request::multiple_scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Source};
use tbgen::Transport;

/// The most bytes of a message, by default: its length is a number of 31 bits.
pub(crate) const MOST_BYTES: usize = 1 << 30;

/// All processes of the job.
pub(crate) struct World {
    world: SimpleCommunicator,
    /// The most bytes of a message.
    most: usize,
    /// The time that was spent here, most of it waiting for others.
    waited: Cell<Duration>,
}

impl World {
    pub(crate) fn new(world: SimpleCommunicator, most: usize) -> World {
        World {
            world,
            most: most.clamp(1, MOST_BYTES),
            waited: Cell::default(),
        }
    }

    /// The time spent in messages since this was last asked.
    pub(crate) fn take_waited(&self) -> Duration {
        self.waited.take()
    }

    /// Ends the processes of the job.
    pub(crate) fn abort(&self) -> ! {
        self.world.abort(1)
    }

    /// The numbers that all processes give.
    pub(crate) fn gather<T: Equivalence + Copy + Default>(&self, number: T) -> Vec<T> {
        let mut all = vec![T::default(); self.processes()];
        self.world.all_gather_into(&number, &mut all[..]);
        all
    }
}

impl Transport for World {
    fn processes(&self) -> usize {
        self.world.size() as usize
    }

    fn number(&self) -> usize {
        self.world.rank() as usize
    }

    fn exchange(&self, to_each: &[&[u8]]) -> Vec<Vec<u8>> {
        assert_eq!(to_each.len(), self.processes(), "bytes for each process");
        let begin = Instant::now();
        let mut lengths: Vec<u64> = to_each.iter().map(|bytes| bytes.len() as u64).collect();
        lengths[self.number()] = 0;
        let mut from_each = vec![0; lengths.len()];
        self.world.all_to_all_into(&lengths[..], &mut from_each[..]);
        let from_each = from_each.into_iter();
        let mut from_each: Vec<Vec<u8>> = from_each.map(|n: u64| vec![0; n as usize]).collect();
        // Pieces of a message arrive in the order in which they were sent.
        multiple_scope(2 * to_each.len(), |scope, requests| {
            for (number, bytes) in from_each.iter_mut().enumerate() {
                let there = self.world.process_at_rank(number as i32);
                for piece in bytes.chunks_mut(self.most) {
                    requests.add(there.immediate_receive_into(scope, piece));
                }
            }
            for (number, bytes) in to_each.iter().enumerate() {
                let there = self.world.process_at_rank(number as i32);
                for piece in bytes[..lengths[number] as usize].chunks(self.most) {
                    requests.add(there.immediate_send(scope, piece));
                }
            }
            requests.wait_all(&mut Vec::new());
        });
        from_each[self.number()] = to_each[self.number()].to_vec();
        self.waited.set(self.waited.get() + begin.elapsed());
        from_each
    }
}
