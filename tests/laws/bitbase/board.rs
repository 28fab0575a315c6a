//! Pieces on a board, and what they can do, one position at a time.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use tbindex::bitbase::{Bitbase, Domain, MOST_PIECES, Man, Slot, Walk};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Square, Symmetry};

use super::Random;
use crate::support::kings::king_distance;

/// The squares of the white king, the black king and the other men of a domain in order. The rest is a1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement(pub [Square; MOST_PIECES]);

/// Whether two kings don't touch.
pub fn is_apart(a: Square, b: Square) -> bool {
    king_distance(a, b) > 1
}

/// The squares that are attacked from one, or, backwards, those from which it is attacked.
fn reach(man: Man, from: Square, occupied: Bitboard, backwards: bool) -> Bitboard {
    match man.walk {
        Walk::Leaper(leaper) if backwards => leaper.image(Symmetry::Rotate180).attacks(from),
        _ => man.attacks(from, occupied),
    }
}

/// The pieces of a domain.
#[derive(Debug)]
pub struct Pieces {
    /// The domain's men, the kings among them if they are free.
    pub men: Vec<Man>,
    /// The kings and the other men.
    pub kings_and_men: Vec<Man>,
    /// The other pieces with their squares.
    pub fixed: Vec<(Man, Square)>,
    group: Group,
    /// The kings of each slice, none if they are free.
    pairs: Vec<[Square; 2]>,
    slices: HashMap<[Square; 2], usize>,
}

impl Pieces {
    /// The pieces of a domain.
    pub fn of(domain: &Domain) -> Pieces {
        let kings = Color::ALL.map(|color| Man::from(Piece::new(color, PieceType::King)));
        let men = domain.men().iter().filter(|man| !man.is_king());
        let fixed = domain.fixed().iter();
        let pairs = domain.king_pairs().map_or(&[][..], |pairs| pairs.all());
        Pieces {
            men: domain.men().to_vec(),
            kings_and_men: kings.iter().chain(men).copied().collect(),
            fixed: fixed
                .map(|&(piece, square)| (Man::from(piece), square))
                .collect(),
            group: domain.group(),
            pairs: pairs.to_vec(),
            slices: pairs.iter().copied().zip(0..).collect(),
        }
    }

    /// The kings and the other men: all pieces that move.
    pub fn movers(&self) -> Range<usize> {
        0..self.kings_and_men.len()
    }

    /// Whether the kings are men.
    pub fn has_free_kings(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The number of a man among the movers.
    pub fn mover(&self, man: usize) -> usize {
        man + self.movers().len() - self.men.len()
    }

    /// Whether the domain has a slot for a placement: kings that touch are in no slice.
    pub fn has(&self, Placement(squares): Placement) -> bool {
        self.has_free_kings() || is_apart(squares[0], squares[1])
    }

    /// The number of bits of the number of a slot in its slice.
    pub fn bits(&self) -> u32 {
        6 * self.men.len() as u32
    }

    /// The number of slots in a slice.
    pub fn slots(&self) -> u64 {
        1 << self.bits()
    }

    /// The placement of a slot.
    pub fn placement(&self, slice: usize, offset: u64) -> Placement {
        let mut squares = [Square::A1; MOST_PIECES];
        if let Some(kings) = self.pairs.get(slice) {
            squares[..2].copy_from_slice(kings);
        }
        let mut rest = offset;
        for k in self.movers().rev().take(self.men.len()) {
            squares[k] = Square::new(rest as u8 & 63);
            rest /= 64;
        }
        Placement(squares)
    }

    /// The slots of the placement and its images: one, or two twins.
    pub fn slots_of(&self, placement: Placement) -> BTreeSet<Slot> {
        let slot = |Placement(squares): Placement| {
            let slice = match self.has_free_kings() {
                true => 0,
                false => *self.slices.get(&squares[..2])?,
            };
            let men = squares[self.mover(0)..self.movers().end].iter();
            let offset = men.fold(0, |offset, at| offset * 64 + u64::from(at.number()));
            Some(Slot { slice, offset })
        };
        self.images(placement).filter_map(slot).collect()
    }

    /// The images under the group.
    pub fn images(&self, placement: Placement) -> impl Iterator<Item = Placement> {
        let image = move |&symmetry: &Symmetry| {
            let mut image = placement;
            for k in self.movers() {
                image.0[k] = symmetry.apply(image.0[k]);
            }
            image
        };
        self.group.members().iter().map(image)
    }

    /// The images, each with every exchange of like men.
    pub fn images_and_exchanges(&self, placement: Placement) -> BTreeSet<Placement> {
        let mut left: Vec<Placement> = self.images(placement).collect();
        let mut all = BTreeSet::new();
        while let Some(placement) = left.pop() {
            if !all.insert(placement) {
                continue;
            }
            for a in 0..self.men.len() {
                for b in (0..a).filter(|&b| self.men[a] == self.men[b]) {
                    let mut exchanged = placement;
                    exchanged.0.swap(self.mover(a), self.mover(b));
                    left.push(exchanged);
                }
            }
        }
        all
    }

    /// The least of the images.
    pub fn canonical(&self, placement: Placement) -> Placement {
        let least = self.images(placement).min();
        least.expect("the identity is a symmetry")
    }

    /// The kings, the other men and the fixed pieces with their squares.
    pub fn placed(&self, placement: Placement) -> impl Iterator<Item = (Man, Square)> {
        let movers = self.kings_and_men.iter().copied().zip(placement.0);
        movers.chain(self.fixed.iter().copied())
    }

    fn occupied(&self, placement: Placement) -> Bitboard {
        self.placed(placement).map(|(_, square)| square).collect()
    }

    /// Whether no two pieces share a square.
    pub fn is_distinct(&self, placement: Placement) -> bool {
        self.occupied(placement).len() as usize == self.placed(placement).count()
    }

    /// Whether the king of a side is attacked.
    pub fn is_check(&self, placement: Placement, side: Color) -> bool {
        let king = placement.0[side as usize];
        let occupied = self.occupied(placement);
        let mut enemies = (self.placed(placement)).filter(|(man, _)| man.color != side);
        enemies.any(|(man, from)| man.attacks(from, occupied).contains(king))
    }

    /// The placements that moves of a piece without captures lead to, or, backwards, come from.
    pub fn moves(
        &self,
        placement: Placement,
        k: usize,
        backwards: bool,
    ) -> impl Iterator<Item = Placement> {
        let occupied = self.occupied(placement);
        let reached = reach(self.kings_and_men[k], placement.0[k], occupied, backwards);
        self.moved(placement, k, reached - occupied)
    }

    /// The placements after piece `k` has gone to one of some squares, kings in slices apart.
    fn moved(
        &self,
        placement: Placement,
        k: usize,
        to: Bitboard,
    ) -> impl Iterator<Item = Placement> {
        let moved = to.into_iter().map(move |square| {
            let mut moved = placement;
            moved.0[k] = square;
            moved
        });
        moved.filter(|&moved| self.has(moved))
    }

    /// The placement after piece `k` has gone to a square that it attacks, kings in slices apart, whatever was
    /// there.
    pub fn onto(&self, placement: Placement, k: usize, square: Square) -> Option<Placement> {
        let occupied = self.occupied(placement);
        let reached = self.kings_and_men[k].attacks(placement.0[k], occupied);
        self.moved(placement, k, reached & Bitboard::from(square))
            .next()
    }

    /// The slices that a king's move connects with this one, and the slice itself.
    pub fn neighbours(&self, slice: usize) -> BTreeSet<usize> {
        let here = self.placement(slice, 0);
        let moved = [0, 1].into_iter().flat_map(|king| {
            let to = self.kings_and_men[king].attacks(here.0[king], Bitboard::EMPTY);
            self.moved(here, king, to)
        });
        let slots = moved.chain([here]).flat_map(|moved| self.slots_of(moved));
        slots.map(|slot| slot.slice).collect()
    }

    /// A placement of a slice without two pieces on a square, if one is found.
    pub(crate) fn random(&self, slice: usize, random: &mut Random) -> Option<Placement> {
        let mut placements = (0..100).map(|_| self.placement(slice, random.bits(self.bits())));
        placements.find(|&placement| self.is_distinct(placement))
    }
}

/// A set of placements without two pieces on a square, all images of each or none: the canonical ones are listed.
#[derive(Debug)]
pub struct Members(pub HashSet<Placement>);

impl Members {
    /// Whether a placement is in the set.
    pub fn contain(&self, pieces: &Pieces, placement: Placement) -> bool {
        self.0.contains(&pieces.canonical(placement))
    }

    /// The set as a bitbase.
    pub fn bitbase(&self, domain: &Domain, pieces: &Pieces) -> Bitbase {
        let mut set = Bitbase::try_new(domain).expect("memory");
        for slot in self.0.iter().flat_map(|&member| pieces.slots_of(member)) {
            set.insert(slot);
        }
        set
    }
}
