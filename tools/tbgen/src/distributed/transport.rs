//! Transports of messages between processes that solve a table together.

/// Carries messages between the processes that solve a table together. All of them make the same calls in the same
/// order, each from one thread. A message that can't be carried ends them all.
pub trait Transport {
    /// Whether there never are other processes, so that nothing is written for them to read.
    fn is_alone(&self) -> bool {
        false
    }

    /// The number of processes, at least 1.
    fn processes(&self) -> usize;

    /// The number of this process, from 0.
    fn number(&self) -> usize;

    /// Sends each process, itself included, the bytes at its number, and returns what they sent here, by their
    /// numbers.
    fn exchange(&self, to_each: Vec<Vec<u8>>) -> Vec<Vec<u8>>;

    /// Sends all processes the same bytes, and returns what all of them sent, by their numbers.
    fn share(&self, bytes: Vec<u8>) -> Vec<Vec<u8>>;

    /// The sums of these numbers over all processes.
    fn sum(&self, numbers: [u64; 6]) -> [u64; 6];
}

/// One process, which needs nobody else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Transport for Alone {
    fn is_alone(&self) -> bool {
        true
    }

    fn processes(&self) -> usize {
        1
    }

    fn number(&self) -> usize {
        0
    }

    fn exchange(&self, to_each: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        to_each
    }

    fn share(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        vec![bytes]
    }

    fn sum(&self, numbers: [u64; 6]) -> [u64; 6] {
        numbers
    }
}
