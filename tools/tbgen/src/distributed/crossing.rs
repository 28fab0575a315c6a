//! The traffic between the processes that have the slices of a table: where positions were lost, for the winner's king moves.

use std::collections::BTreeMap;

use serde_bytes::Bytes;

use super::Team;
use super::partition::Partition;
use crate::storage::checkpoint::{Checkpoint, Ply};
use crate::subtables::library::SolveError;

/// The traffic between processes that solve a table together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossed {
    /// The bytes that were sent.
    pub sent: u64,
    /// The bytes that the same takes in the checkpoints, where it is once.
    pub frontier: u64,
}

impl Team<'_> {
    /// Sends the positions of a ply in slices of this process to the processes that need them, and returns the positions that
    /// these send, by their slices, packed as checkpoints have them.
    ///
    /// A message has, for each slice with such positions, the slice's number, a checksum and the packed positions.
    pub(crate) fn cross(
        self,
        partition: &Partition,
        (checkpoint, ply): (&Checkpoint, Ply),
    ) -> Result<(Crossed, BTreeMap<usize, Vec<u8>>), SolveError> {
        let (mut crossed, mut received) = (Crossed::default(), BTreeMap::new());
        let mut messages = vec![Vec::new(); self.processes()];
        for slice in partition.slices_of(self.number(), ply.winner) {
            let readers = partition.readers(ply.winner, slice);
            if readers.is_empty() {
                continue;
            }
            let Some(place) = checkpoint.place(ply, slice) else {
                continue;
            };
            crossed.frontier += place.bytes();
            let message = checkpoint.with_packed(place, |packed| {
                let message = (slice, crc32fast::hash(packed), Bytes::new(packed));
                Ok(postcard::to_allocvec(&message).expect("memory takes all"))
            })?;
            for &reader in readers {
                messages[reader].extend_from_slice(&message);
            }
        }
        crossed.sent = messages.iter().map(|message| message.len() as u64).sum();
        let Some(transport) = self.0 else {
            return Ok((crossed, received));
        };
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        for message in transport.exchange(&messages) {
            let mut rest = &message[..];
            while !rest.is_empty() {
                let read = postcard::take_from_bytes::<(usize, u32, &Bytes)>(rest);
                let ((slice, checksum, packed), after) =
                    read.map_err(|_| SolveError::Message("it is cut"))?;
                if slice >= partition.slices() || crc32fast::hash(packed) != checksum {
                    return Err(SolveError::Message("it has no slice of the table"));
                }
                received.insert(slice, packed.to_vec());
                rest = after;
            }
        }
        Ok((crossed, received))
    }
}
