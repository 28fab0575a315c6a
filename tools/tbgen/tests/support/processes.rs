//! Processes that solve a table together, which are threads.

use std::sync::{Barrier, Mutex};

use tbgen::Transport;

/// The messages that all have to send, each to each.
pub(crate) struct Meeting {
    barrier: Barrier,
    posts: Mutex<Vec<Vec<Vec<u8>>>>,
}

pub(crate) struct Member<'m> {
    meeting: &'m Meeting,
    number: usize,
}

impl Meeting {
    /// A meeting of so many processes.
    pub(crate) fn new(processes: usize) -> Meeting {
        Meeting {
            barrier: Barrier::new(processes),
            posts: Mutex::new(vec![Vec::new(); processes]),
        }
    }

    pub(crate) fn member(&self, number: usize) -> Member<'_> {
        let meeting = self;
        Member { meeting, number }
    }
}

impl Transport for Member<'_> {
    fn processes(&self) -> usize {
        self.meeting.posts.lock().unwrap().len()
    }

    fn number(&self) -> usize {
        self.number
    }

    fn exchange(&self, to_each: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        self.meeting.posts.lock().unwrap()[self.number] = to_each;
        self.meeting.barrier.wait();
        let all = self.meeting.posts.lock().unwrap();
        let from_each = all.iter().map(|from| from[self.number].clone()).collect();
        drop(all);
        self.meeting.barrier.wait();
        from_each
    }

    fn share(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        self.exchange(vec![bytes; self.processes()])
    }

    fn sum(&self, numbers: [u64; 6]) -> [u64; 6] {
        let bytes = numbers.map(u64::to_le_bytes).concat();
        let mut sums = [0; 6];
        for bytes in self.share(bytes) {
            for (sum, bytes) in sums.iter_mut().zip(bytes.chunks_exact(8)) {
                *sum += u64::from_le_bytes(bytes.try_into().unwrap());
            }
        }
        sums
    }
}
