//! Transports of messages between processes that solve a table together.

/// Carries messages between the processes that solve a table together. All of them make the same calls in the same
/// order, each from one thread. A message that can't be carried ends them all.
pub trait Transport {
    /// The number of processes, at least 1.
    fn processes(&self) -> usize;

    /// The number of this process, from 0.
    fn number(&self) -> usize;

    /// Sends each process, itself included, the bytes at its number, and returns what they sent here, by their
    /// numbers.
    fn exchange(&self, to_each: Vec<Vec<u8>>) -> Vec<Vec<u8>>;

    /// Sends all processes the same bytes, and returns what all of them sent, by their numbers.
    fn share(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        self.exchange(vec![bytes; self.processes()])
    }

    /// The sums of these numbers over all processes.
    fn sum(&self, numbers: [u64; 6]) -> [u64; 6] {
        let mut sums = [0; 6];
        for bytes in self.share(numbers.map(u64::to_le_bytes).concat()) {
            for (sum, number) in sums.iter_mut().zip(bytes.as_chunks().0) {
                *sum += u64::from_le_bytes(*number);
            }
        }
        sums
    }
}

/// One process, which needs nobody else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Transport for Alone {
    fn processes(&self) -> usize {
        1
    }

    fn number(&self) -> usize {
        0
    }

    fn exchange(&self, to_each: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        to_each
    }
}
