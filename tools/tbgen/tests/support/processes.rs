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

    fn exchange(&self, to_each: &[&[u8]]) -> Vec<Vec<u8>> {
        let to_each = to_each.iter().map(|bytes| bytes.to_vec()).collect();
        self.meeting.posts.lock().unwrap()[self.number] = to_each;
        self.meeting.barrier.wait();
        let all = self.meeting.posts.lock().unwrap();
        let from_each = all.iter().map(|from| from[self.number].clone()).collect();
        drop(all);
        self.meeting.barrier.wait();
        from_each
    }
}
