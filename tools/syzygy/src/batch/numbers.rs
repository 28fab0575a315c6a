//! The numbers that files have for many positions of a material.

use cozy_chess::Color;

use super::cache::{Cache, Shared};
use super::endgame::Endgame;
use super::failures::Failures;
use super::placed::Placed;
use crate::error::Error;
use crate::file::{SubTable, TableFile};
use crate::material::MOST_PIECES;
use crate::numbering::leading_file;
use crate::probe::no_side;

/// The most positions that are looked up together: their numbers take these bits beside a place.
pub(super) const MOST_TOGETHER: usize = 1 << ROW_BITS;
const ROW_BITS: u32 = 19;
/// A sub-table of one material, with what its places need.
struct Part<'t> {
    sub_table: &'t SubTable,
    /// Its number in the file.
    number: usize,
    /// The bits by which the square of each piece of the sub-table is shifted in a position.
    shifts: [u8; MOST_PIECES],
}

impl<'t> Part<'t> {
    #[inline]
    fn place(&self, placed: Placed) -> u64 {
        let numbering = self.sub_table.numbering();
        let mut squares = [0; MOST_PIECES];
        for (square, shift) in squares.iter_mut().zip(self.shifts) {
            *square = placed.at(shift);
        }
        numbering.index_of(squares)
    }
}

/// A file with its sub-tables by the side to move and the file of the leading pawn.
pub(super) struct Parts<'t> {
    pub(super) file: &'t TableFile,
    parts: [Option<Part<'t>>; 8],
    endgame: &'t Endgame,
}

impl<'t> Parts<'t> {
    pub(super) fn new(file: &'t TableFile, endgame: &'t Endgame) -> Parts<'t> {
        let parts = std::array::from_fn(|bucket| {
            let side = [Color::White, Color::Black][bucket & 1];
            let pawn_file = (bucket >> 1) as u8;
            if pawn_file > 0 && endgame.leading.is_empty() {
                return None;
            }
            let sub_table = file.sub_table(side, pawn_file)?;
            let number =
                (file.sub_tables().iter()).position(|other| std::ptr::eq(other, sub_table));
            Some(Part {
                sub_table,
                number: number?,
                shifts: sub_table.numbering().slots().map(|slot| 8 * slot),
            })
        });
        Parts {
            file,
            parts,
            endgame,
        }
    }

    #[inline]
    fn bucket(&self, placed: Placed) -> usize {
        let leading = self.endgame.leading.clone();
        let pawn_file = match leading.is_empty() {
            true => 0,
            false => leading_file(&placed.squares()[leading]),
        };
        usize::from(pawn_file) << 1 | placed.side() as usize
    }

    /// Whether the file has the side to move of a position.
    #[inline]
    pub(super) fn has(&self, placed: Placed) -> bool {
        self.parts[self.bucket(placed)].is_some()
    }

    /// The sub-table of a position, if the file has the side to move.
    #[inline]
    pub(super) fn sub_table(&self, placed: Placed) -> Option<&'t SubTable> {
        self.parts[self.bucket(placed)]
            .as_ref()
            .map(|part| part.sub_table)
    }
}

/// The place of a position, and above it its bucket.
type BucketPlace = u64;
const BUCKET_SHIFT: u32 = 60;

/// The numbers of positions, and where they were found.
pub(super) struct Numbers {
    /// The number of each position, or [`FAILED`](super::failures::FAILED) with the number of the reason.
    pub(super) all: Vec<u16>,
    places: Vec<BucketPlace>,
    decoded: [Option<Shared>; 8],
}

impl Numbers {
    /// Looks up the numbers of up to [`MOST_TOGETHER`] positions, whose sides the file has.
    pub(super) fn look_up(
        parts: &Parts<'_>,
        rows: &[Placed],
        cache: &Cache,
        failures: &Failures,
    ) -> Numbers {
        let mut counts = [0u64; 8];
        let mut places = Vec::with_capacity(rows.len());
        places.extend(rows.iter().map(|&placed| {
            let bucket = parts.bucket(placed);
            counts[bucket] += 1;
            let place = parts.parts[bucket].as_ref().map(|part| part.place(placed));
            place.unwrap_or(0) | (bucket as u64) << BUCKET_SHIFT
        }));
        let decoded: [Option<Shared>; 8] = std::array::from_fn(|bucket| {
            let part = parts.parts[bucket].as_ref()?;
            let key = (parts.file.material(), parts.file.kind(), part.number);
            let wanted = Some(counts[bucket]).filter(|&count| count > 0)?;
            cache.decoded(key, parts.file, part.sub_table, wanted)
        });
        let direct = decoded
            .each_ref()
            .map(|shared| shared.as_ref().and_then(|all| all.get()));
        let mut in_blocks: [Vec<u64>; 8] = Default::default();
        let mut all = Vec::with_capacity(rows.len());
        all.extend(places.iter().enumerate().map(|(row, &place)| {
            let (bucket, place) = split(place);
            match direct[bucket] {
                Some(decoded) => decoded.get(place as usize),
                None => {
                    in_blocks[bucket].push(place << ROW_BITS | row as u64);
                    0
                }
            }
        }));
        for (bucket, mut wanted) in in_blocks.into_iter().enumerate() {
            if wanted.is_empty() {
                continue;
            }
            let Some(part) = &parts.parts[bucket] else {
                let failed = failures.number(no_side(parts.file));
                wanted
                    .iter()
                    .for_each(|&wanted| all[row_of(wanted)] = failed);
                continue;
            };
            wanted.sort_unstable();
            // Only a damaged head can say so.
            let places = part.sub_table.numbering().len();
            let end = wanted.partition_point(|&wanted| wanted >> ROW_BITS < places);
            let place = |wanted| wanted >> ROW_BITS;
            parts
                .file
                .values_of(part.sub_table, &wanted[..end], place, |wanted, value| {
                    all[row_of(wanted)] = value.unwrap_or_else(|error| failures.number(error));
                });
            for &wanted in &wanted[end..] {
                all[row_of(wanted)] = failures.number(Error::KingsTouch);
            }
        }
        Numbers {
            all,
            places,
            decoded,
        }
    }

    /// Of positions without a file, for a reason of this number.
    pub(super) fn failed(count: usize, failure: u16) -> Numbers {
        Numbers {
            all: vec![failure; count],
            places: vec![0; count],
            decoded: Default::default(),
        }
    }

    /// Replaces the number of a position for all later look-ups, if its sub-table is decoded.
    #[inline]
    pub(super) fn remember(&self, row: usize, number: u8) {
        let (bucket, place) = split(self.places[row]);
        if let Some(shared) = &self.decoded[bucket]
            && let Some(decoded) = shared.get()
        {
            decoded.set(place as usize, number);
        }
    }
}

const fn split(place: BucketPlace) -> (usize, u64) {
    (
        (place >> BUCKET_SHIFT) as usize,
        place & ((1 << BUCKET_SHIFT) - 1),
    )
}

const fn row_of(wanted: u64) -> usize {
    (wanted & ((1 << ROW_BITS) - 1)) as usize
}
