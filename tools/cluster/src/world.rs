//! The processes of an MPI job, as the solver sees them.

use std::cell::Cell;
use std::time::{Duration, Instant};

use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::request::multiple_scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};
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

    fn timed<T>(&self, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = work();
        self.waited.set(self.waited.get() + begin.elapsed());
        result
    }

    /// For each process the number of bytes that it sends here.
    fn lengths(&self, to_each: &[Vec<u8>]) -> Vec<u64> {
        let lengths: Vec<u64> = to_each.iter().map(|bytes| bytes.len() as u64).collect();
        let mut from_each = vec![0; lengths.len()];
        self.world.all_to_all_into(&lengths[..], &mut from_each[..]);
        from_each
    }
}

impl Transport for World {
    fn processes(&self) -> usize {
        self.world.size() as usize
    }

    fn number(&self) -> usize {
        self.world.rank() as usize
    }

    fn exchange(&self, mut to_each: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        assert_eq!(
            to_each.len(),
            self.processes(),
            "a message for each process"
        );
        self.timed(|| {
            let lengths = self.lengths(&to_each);
            let mut from_each: Vec<Vec<u8>> = lengths
                .iter()
                .map(|&length| vec![0; length as usize])
                .collect();
            let own = self.number();
            from_each[own] = std::mem::take(&mut to_each[own]);
            // Pieces of a message arrive in the order in which they were sent.
            multiple_scope(2 * to_each.len(), |scope, requests| {
                for (number, bytes) in from_each.iter_mut().enumerate() {
                    let there = self.world.process_at_rank(number as i32);
                    for piece in bytes.chunks_mut(self.most).filter(|_| number != own) {
                        requests.add(there.immediate_receive_into(scope, piece));
                    }
                }
                for (number, bytes) in to_each.iter().enumerate() {
                    let there = self.world.process_at_rank(number as i32);
                    for piece in bytes.chunks(self.most) {
                        requests.add(there.immediate_send(scope, piece));
                    }
                }
                let mut done = Vec::new();
                requests.wait_all(&mut done);
            });
            from_each
        })
    }

    fn share(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let mut lengths = vec![0u64; self.processes()];
        self.timed(|| {
            self.world
                .all_gather_into(&(bytes.len() as u64), &mut lengths[..]);
        });
        let total: u64 = lengths.iter().sum();
        if total == 0 {
            return vec![Vec::new(); lengths.len()];
        }
        if total > self.most as u64 {
            return self.exchange(vec![bytes; self.processes()]);
        }
        self.timed(|| {
            let counts: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
            let mut end = 0;
            let places = counts.iter().map(|count| {
                end += count;
                end - count
            });
            let places: Vec<i32> = places.collect();
            let mut all = vec![0u8; total as usize];
            let mut parts = PartitionMut::new(&mut all[..], &counts[..], &places[..]);
            // An empty vector's address is that by which Open MPI knows MPI_IN_PLACE.
            let none = [0];
            let bytes = if bytes.is_empty() { &none[..0] } else { &bytes };
            self.world.all_gather_varcount_into(bytes, &mut parts);
            let mut rest = &all[..];
            let parts = lengths.iter().map(|&length| {
                let (first, after) = rest.split_at(length as usize);
                rest = after;
                first.to_vec()
            });
            parts.collect()
        })
    }

    fn sum(&self, numbers: [u64; 6]) -> [u64; 6] {
        let mut sums = [0; 6];
        self.timed(|| {
            (self.world).all_reduce_into(&numbers[..], &mut sums[..], SystemOperation::sum());
        });
        sums
    }
}
