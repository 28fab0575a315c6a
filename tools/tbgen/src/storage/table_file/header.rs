//! The header of a table file: what it says of the table, and where the other parts of the file are.

use std::path::Path;

use tbindex::{Color, Material, Piece};

use super::index::index_bytes;
use super::{BLOCK_SLOTS, FileError, HEADER_BYTES, MAGIC, VALUE_BYTES};
use crate::chess::piece_set::{Endgame, PieceSet};
use crate::storage::header::{agrees, begin, bytes_at, header_of, trust};
use crate::table::codes::MOST_CODES;
use crate::table::shape::Shape;
use crate::table::value::Metric;

const VERSION: u16 = 4;
/// The mark of blocks compressed by LZ4.
const LZ4: u8 = 1;

/// The contents of a header, and the facts that follow from the material.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) shape: Shape,
    pub(super) metric: Metric,
    /// How many values each side has.
    pub(super) values: [usize; 2],
    pub(super) payload_bytes: u64,
    pub(super) values_checksum: u32,
    pub(super) index_checksum: u32,
    /// The revision of the solver that made the table.
    pub(super) revision: u16,
}

impl Header {
    pub(super) fn block_slots(&self) -> usize {
        if self.shape.any_domain().men().len() > 1 {
            BLOCK_SLOTS
        } else {
            64
        }
    }

    /// The number of blocks of both sides.
    pub(super) fn blocks(&self) -> usize {
        let domain = self.shape.any_domain();
        2 * self.shape.parts() * domain.slices() * domain.slabs()
    }

    /// The side to move in the slots of a block, of which white's come first.
    pub(super) fn side_of(&self, block: usize) -> Color {
        Color::ALL[usize::from(2 * block >= self.blocks())]
    }

    /// The bytes of a code of a side.
    pub(super) fn code_bytes(&self, side: Color) -> usize {
        1 + usize::from(self.values[side as usize] > 256)
    }

    pub(super) fn index_offset(&self) -> u64 {
        let values = self.values.iter().sum::<usize>() * VALUE_BYTES;
        (HEADER_BYTES + values).next_multiple_of(64) as u64
    }

    pub(super) fn payload_offset(&self) -> u64 {
        self.index_offset() + index_bytes(self.blocks())
    }

    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let pawns = self.shape.any_domain().fixed().iter().map(|pawn| pawn.0);
        let pieces = self.shape.free_pieces().chain(pawns).map(Piece::code);
        let pieces: Vec<u8> = pieces.collect();
        let piece_set = self.shape.piece_set().fields().map(u32::to_le_bytes);
        header_of(&[
            (0, &MAGIC),
            (8, &VERSION.to_le_bytes()),
            (10, &[LZ4, pieces.len() as u8]),
            (12, &(self.shape.parts() as u32).to_le_bytes()),
            (16, &pieces),
            (24, &(self.block_slots() as u32).to_le_bytes()),
            (28, &(self.values[0] as u16).to_le_bytes()),
            (30, &(self.values[1] as u16).to_le_bytes()),
            (32, &self.shape.slots().to_le_bytes()),
            (40, &(self.blocks() as u64).to_le_bytes()),
            (48, &self.index_offset().to_le_bytes()),
            (56, &self.payload_offset().to_le_bytes()),
            (64, &self.payload_bytes.to_le_bytes()),
            (72, &self.values_checksum.to_le_bytes()),
            (76, &self.index_checksum.to_le_bytes()),
            (80, &[self.metric as u8]),
            (84, piece_set.as_flattened()),
            (100, &self.revision.to_le_bytes()),
        ])
    }

    /// Reads a header, and checks that it agrees with itself and with the file's length.
    pub(super) fn decode(path: &Path, bytes: &[u8], file_bytes: u64) -> Result<Header, FileError> {
        let again = "make the table again with this tbgen";
        let bytes: &[u8; HEADER_BYTES] = begin(path, bytes, file_bytes, (MAGIC, VERSION), again)?;
        let count = usize::from(bytes[11]);
        let pieces: Option<Vec<Piece>> = (bytes[16..24].iter().take(count))
            .map(|&code| Piece::from_code(code))
            .collect();
        let piece_set = PieceSet::from_fields(
            [84, 88, 92, 96].map(|at| u32::from_le_bytes(bytes_at(bytes, at))),
        );
        let shape = pieces
            .filter(|pieces| pieces.len() == count)
            .and_then(|pieces| Material::from_pieces(pieces).ok())
            .filter(|material| material.normal() == *material)
            .zip(piece_set)
            .map(|(material, piece_set)| Endgame {
                material,
                piece_set,
            })
            .filter(|endgame| endgame.own() == *endgame || endgame.piece_set.is_chess())
            .and_then(|endgame| Shape::of_endgame(endgame).ok());
        let shape = shape.ok_or_else(|| {
            let found = format!("{:02x?}", &bytes[16..24]);
            let expected =
                "the codes of 3 to 7 pieces, the stronger side white, and what they stand for";
            FileError::field(path, "the list of pieces", found, expected)
        })?;
        let Some(&metric) = Metric::ALL.get(usize::from(bytes[80])) else {
            return Err(FileError::field(path, "the metric", bytes[80], "0 to 3"));
        };
        let header = Header {
            shape,
            metric,
            values: [28, 30].map(|at| usize::from(u16::from_le_bytes(bytes_at(bytes, at)))),
            payload_bytes: u64::from_le_bytes(bytes_at(bytes, 64)),
            values_checksum: u32::from_le_bytes(bytes_at(bytes, 72)),
            index_checksum: u32::from_le_bytes(bytes_at(bytes, 76)),
            revision: u16::from_le_bytes(bytes_at(bytes, 100)),
        };
        let possible = |count: &&usize| !(1..=MOST_CODES).contains(*count);
        if let Some(values) = header.values.iter().find(possible) {
            let (what, expected) = ("the number of values", format!("1 to {MOST_CODES}"));
            return Err(FileError::field(path, what, values, expected));
        }
        // The fields known by now determine all others.
        let length = header.payload_offset().checked_add(header.payload_bytes);
        agrees(path, bytes, &header.encode(), file_bytes, length)?;
        trust(path, header.shape.endgame(), (metric, header.revision))?;
        Ok(header)
    }
}
