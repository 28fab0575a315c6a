//! Where the entries of positions are, as writers ask for them: those of consecutive places of a numbering.

use std::ops::Range;

use rayon::prelude::*;
use syzygy_tables::numbering::{Numbering, PositionRow, leading_file, square_of};
use syzygy_tables::{MOST_PIECES, Material};
use tbindex::batch::Backend;
use tbindex::bitbase::Man;
use tbindex::order::Reindexing;
use tbindex::{Piece, PieceType, Square, Symmetry};

use crate::chess::cozy::{color_of, piece_of};
use crate::chess::pawns::Pawns;
use crate::syzygy::orders::{is_pawn, men_of, order_of_numbering, order_of_slots};
use crate::table::shape::Shape;

/// How a piece's square goes into the place of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// With others it selects the block: the kings do where they have slices, and else the pawns. The number is how
    /// far its square is shifted in the key.
    Selects(u32),
    /// It goes into the offset in the block, shifted so far.
    Counts(u32),
}

/// Says that there is no block.
const NONE: u32 = u32::MAX;

/// The places of a table's positions in an array that has part after part, and in these slice after slice.
#[derive(Debug)]
pub(crate) struct Places {
    /// The places of each piece in the order of the material's name.
    roles: Vec<Role>,
    /// By the key: 8 times the number of the block, plus the symmetry that leads into it, or `NONE`.
    blocks: Vec<u32>,
    block_slots: usize,
    /// The images of squares under all symmetries.
    images: [[u8; 64]; 8],
    shape: Shape,
    material: Material,
    backend: Backend,
}

/// All entries of a sub-table are worth the making of orders if they are so many. Otherwise so many are a task.
const MANY: usize = 1 << 18;

impl Places {
    /// The places of a shape's positions. The material must be the shape's.
    pub(crate) fn new(shape: &Shape, material: Material, backend: Backend) -> Places {
        let domain = shape.any_domain();
        let all: Vec<Piece> = material.pieces().map(piece_of).collect();
        let selects = |piece: Piece| match piece.kind {
            PieceType::King => domain.king_pairs().is_some(),
            kind => kind == PieceType::Pawn,
        };
        let selecting: Vec<usize> = (0..all.len()).filter(|&k| selects(all[k])).collect();
        // Like men take their places one after the other.
        let mut free: Vec<Option<Piece>> = domain.men().iter().map(|man| man.piece()).collect();
        let roles = all.iter().enumerate().map(|(k, &piece)| {
            if let Some(at) = selecting.iter().position(|&selecting| selecting == k) {
                return Role::Selects(6 * at as u32);
            }
            let at = free.iter().position(|&man| man == Some(piece));
            let at = at.expect("the same pieces");
            free[at] = None;
            Role::Counts(6 * (free.len() - 1 - at) as u32)
        });
        let roles = roles.collect();
        let mut blocks = vec![NONE; 1 << (6 * selecting.len())];
        for (key, block) in blocks.iter_mut().enumerate() {
            let (mut pawns, mut kings) = (Pawns::default(), [Square::A1; 2]);
            let fits = selecting.iter().enumerate().all(|(at, &k)| {
                let (piece, square) = (all[k], Square::new((key >> (6 * at)) as u8 & 63));
                if piece.kind == PieceType::King {
                    kings[piece.color as usize] = square;
                    return true;
                }
                let fits = !pawns.occupied().contains(square) && (8..56).contains(&square.index());
                pawns.add(piece.color, square);
                fits
            });
            if !fits {
                continue;
            }
            let (part, mirrored) = shape.placements().find(pawns);
            let turn = match mirrored {
                true => Symmetry::FlipHorizontal,
                false => Symmetry::Identity,
            };
            let [white, black] = kings.map(|king| turn.apply(king));
            // Of the pawns and the kings, one at most turns the board.
            let found = match domain.king_pairs() {
                Some(pairs) => pairs.find(white, black).map(|(slice, of_kings)| {
                    let turn = if mirrored { turn } else { of_kings };
                    (part * domain.slices() + slice, turn)
                }),
                None => Some((part, turn)),
            };
            if let Some((number, turn)) = found {
                *block = (number as u32) << 3 | turn as u32;
            }
        }
        let images = std::array::from_fn(|code| {
            let symmetry = Symmetry::from_code(code as u8);
            std::array::from_fn(|square| symmetry.apply(Square::new(square as u8)).number())
        });
        Places {
            roles,
            blocks,
            block_slots: domain.slice_slots() as usize,
            images,
            shape: shape.clone(),
            material,
            backend,
        }
    }

    /// Writes the entries of consecutive places of a numbering, from `start` on. Entries that have no place here are `open`.
    pub(crate) fn read<T: tbindex::order::Entry>(
        &self,
        all: &[T],
        numbering: &Numbering,
        start: u64,
        open: T,
        entries: &mut [T],
    ) {
        if entries.len() >= MANY
            && entries.len() as u64 == numbering.len()
            && let Some(men) = self.men_for(numbering)
        {
            let own = self.shape.any_domain().men();
            let parts = self.parts_on(numbering.leading_file());
            let order = |parts: &[usize], men: &[Man]| {
                order_of_slots(&self.shape, parts, men).expect("a table's sizes fit")
            };
            let (from, to) = (order(&parts, &men), order_of_numbering(numbering));
            let to = to.expect("a numbering's sizes fit");
            let part_slots = all.len() / self.shape.parts();
            let mut of_parts = Vec::new();
            if self.material.has_pawns() || men != own {
                // All parts are alike.
                let [before, after] = [own, &men].map(|men| order(&parts[..1], men));
                let way = Reindexing::try_new(&before, &after).expect("the same men");
                of_parts = vec![open; parts.len() * part_slots];
                let of_parts = of_parts.par_chunks_mut(part_slots).zip(&parts);
                of_parts.for_each(|(out, &part)| {
                    let own = &all[part * part_slots..][..part_slots];
                    way.range_into(own, open, 0, out, self.backend);
                });
            }
            let all = if of_parts.is_empty() { all } else { &of_parts };
            let way = Reindexing::try_new(&from, &to).expect("the same men");
            return way.range_into(all, open, 0, entries, self.backend);
        }
        let chunks = entries.par_chunks_mut(MANY).enumerate();
        chunks.for_each(|(k, mut entries)| {
            let mut positions = numbering.positions(start + (k * MANY) as u64);
            while let Some(row) = positions.next_row(entries.len()) {
                let (own, rest) = entries.split_at_mut(row.squares.len());
                self.look_up(all, row, own, open);
                entries = rest;
            }
        });
    }

    /// The parts whose leading pawn stands on a file, 0 to 3, or on its mirror image; without pawns, the only one.
    pub(crate) fn parts_on(&self, file: Option<u8>) -> Vec<usize> {
        let is_there = |part: &usize| {
            let of_part = self.material.leading_color().map(|color| {
                let pawns = self.shape.pawns(*part).of(color_of(color)).into_iter();
                leading_file(&pawns.map(Square::number).collect::<Vec<_>>())
            });
            of_part == file
        };
        (0..self.shape.parts()).filter(is_there).collect()
    }

    /// The order of the domain's men in which the entries of a numbering are most easily found, the last man being the
    /// fastest, unless the piece that counts fastest in the numbering is one of those that lead in one of the orders.
    fn men_for(&self, numbering: &Numbering) -> Option<Vec<Man>> {
        let pieces = men_of(numbering.pieces());
        let groups: Vec<Range<usize>> = numbering.groups_of_pieces().collect();
        let fastest = numbering
            .groups_by_weight()
            .last()
            .filter(|&number| number > 0)?;
        let fastest = pieces[groups[fastest].start];
        if is_pawn(fastest) {
            return None;
        }
        let mut men = self.shape.any_domain().men().to_vec();
        // Where a man leads, the squares beside each other are far apart in the numbering, and of the first one few are there.
        let rank = |man: &Man| match pieces.iter().position(|piece| piece == man) {
            _ if *man == fastest => 3,
            Some(0) => 0,
            Some(place) if groups[0].contains(&place) => 1,
            _ => 2,
        };
        let best = (0..men.len()).max_by_key(|&k| rank(&men[k]))?;
        let man = men.remove(best);
        men.push(man);
        Some(men)
    }

    /// Writes the entries of a row's positions. Entries that have no place are `open`.
    fn look_up<T: Copy>(&self, all: &[T], row: PositionRow<'_>, entries: &mut [T], open: T) {
        let (mut key, mut counting) = (0, [(0, 0); MOST_PIECES]);
        let mut count = 0;
        for (k, &role) in self.roles.iter().enumerate() {
            let square = square_of(row.others, k);
            match role {
                _ if k == row.moving => {}
                Role::Selects(shift) => key |= usize::from(square) << shift,
                Role::Counts(shift) => {
                    counting[count] = (square, shift);
                    count += 1;
                }
            }
        }
        let counting = &counting[..count];
        let offset = |turn: u32| {
            let image = &self.images[turn as usize & 7];
            counting.iter().fold(0, |offset, &(square, shift)| {
                offset | usize::from(image[usize::from(square & 63)]) << shift
            })
        };
        let of_block = |block: u32| {
            let begin = (block >> 3) as usize * self.block_slots;
            &all[begin..begin + self.block_slots]
        };
        match self.roles[row.moving] {
            Role::Counts(shift) => {
                let block = self.blocks[key];
                if block == NONE {
                    entries.fill(open);
                    return;
                }
                let own = &of_block(block)[offset(block & 7)..];
                let image = &self.images[block as usize & 7];
                for (&square, entry) in row.squares.iter().zip(entries) {
                    *entry = own[usize::from(image[usize::from(square & 63)]) << shift];
                }
            }
            Role::Selects(shift) => {
                // Each symmetry's place is made when it is first wanted: a row is often short, and with pawns there are two.
                let mut offsets = [usize::MAX; 8];
                for (&square, entry) in row.squares.iter().zip(entries) {
                    let block = self.blocks[key | usize::from(square) << shift];
                    if block == NONE {
                        *entry = open;
                        continue;
                    }
                    let of_turn = &mut offsets[block as usize & 7];
                    if *of_turn == usize::MAX {
                        *of_turn = offset(block & 7);
                    }
                    *entry = of_block(block)[*of_turn];
                }
            }
        }
    }
}
