//! Pieces on a board, and what they can do, square by square.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tbindex::bitbase::{Bitbase, Domain, MOST_PIECES, Man, Walk};
use tbindex::{Color, Group, Piece, PieceType, Symmetry};

use super::{Random, set_bit, slice_mut};

/// The squares of the white king, the black king and the other men of a domain in order. The rest is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement(pub [u8; MOST_PIECES]);

/// How a piece moves: one step, or any number of steps of one kind.
#[derive(Debug)]
struct Walker {
    color: Color,
    steps: Vec<(i8, i8)>,
    slides: bool,
}

impl Walker {
    fn of(piece: Piece) -> Walker {
        let straight = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let diagonal = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
        let forwards = if piece.color == Color::White { 1 } else { -1 };
        let (steps, slides) = match piece.kind {
            PieceType::King => ([straight, diagonal].concat(), false),
            PieceType::Queen => ([straight, diagonal].concat(), true),
            PieceType::Rook => (straight.to_vec(), true),
            PieceType::Bishop => (diagonal.to_vec(), true),
            PieceType::Knight => {
                let long = [(1, 2), (2, 1), (2, -1), (1, -2)];
                let back = long.map(|(files, ranks)| (-files, -ranks));
                ([long, back].concat(), false)
            }
            PieceType::Pawn => (vec![(-1, forwards), (1, forwards)], false),
        };
        Walker {
            color: piece.color,
            steps,
            slides,
        }
    }

    fn of_man(man: Man) -> Walker {
        match man.walk {
            Walk::Chess(kind) => Walker::of(Piece::new(man.color, kind)),
            Walk::Leaper(leaper) => Walker {
                color: man.color,
                steps: leaper
                    .steps()
                    .map(|step| (step.files, step.ranks))
                    .collect(),
                slides: false,
            },
        }
    }

    /// The squares that are attacked from one, or, backwards, those from which it is attacked.
    fn reach(&self, from: u8, occupied: u64, backwards: bool) -> u64 {
        let mut reached = 0;
        for &(files, ranks) in &self.steps {
            let sign = if backwards { -1 } else { 1 };
            let (mut file, mut rank) = ((from % 8) as i8, (from / 8) as i8);
            loop {
                file += sign * files;
                rank += sign * ranks;
                if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                    break;
                }
                let square = 8 * rank + file;
                reached |= 1 << square;
                if !self.slides || occupied >> square & 1 == 1 {
                    break;
                }
            }
        }
        reached
    }
}

/// The image of every square, as the specification writes the symmetries: by file and rank.
fn images(symmetry: Symmetry) -> [u8; 64] {
    std::array::from_fn(|square| {
        let (f, r) = (square as u8 % 8, square as u8 / 8);
        let (f, r) = match symmetry {
            Symmetry::Identity => (f, r),
            Symmetry::FlipHorizontal => (7 - f, r),
            Symmetry::FlipVertical => (f, 7 - r),
            Symmetry::Rotate180 => (7 - f, 7 - r),
            Symmetry::FlipDiagonal => (r, f),
            Symmetry::FlipAntiDiagonal => (7 - r, 7 - f),
            Symmetry::Rotate90 => (r, 7 - f),
            Symmetry::Rotate270 => (7 - r, f),
        };
        8 * r + f
    })
}

/// The images of every square under the members of a group.
pub(super) fn symmetries(group: Group) -> Vec<[u8; 64]> {
    let symmetries: &[Symmetry] = match group {
        Group::Trivial => &[Symmetry::Identity],
        Group::FileMirror => &[Symmetry::Identity, Symmetry::FlipHorizontal],
        Group::D4 => &Symmetry::ALL,
    };
    symmetries
        .iter()
        .map(|&symmetry| images(symmetry))
        .collect()
}

/// Whether two kings don't touch.
pub fn is_apart(a: u8, b: u8) -> bool {
    (a % 8).abs_diff(b % 8).max((a / 8).abs_diff(b / 8)) > 1
}

/// The squares of a set.
pub(super) fn squares(set: u64) -> impl Iterator<Item = u8> {
    (0..64).filter(move |square| set >> square & 1 == 1)
}

/// The pieces of a domain.
#[derive(Debug)]
pub struct Pieces {
    /// The domain's men, the kings among them if they are free.
    pub men: Vec<Man>,
    /// The kings and the other men.
    walkers: Vec<Walker>,
    fixed: Vec<(Walker, u8)>,
    group: Vec<[u8; 64]>,
    /// The kings of each slice, none if they are free.
    pairs: Vec<[u8; 2]>,
    slices: HashMap<[u8; 2], usize>,
}

impl Pieces {
    /// The pieces of a domain.
    pub fn of(domain: &Domain) -> Pieces {
        let kings = Color::ALL.map(|color| Walker::of(Piece::new(color, PieceType::King)));
        let men = domain.men().iter().filter(|man| !man.is_king());
        let men = men.map(|&man| Walker::of_man(man));
        let fixed = domain.fixed().iter();
        let pairs = domain.king_pairs().into_iter().flat_map(|pairs| {
            let squares = (0..domain.slices()).map(|number| pairs.all()[number]);
            squares.map(|kings| kings.map(tbindex::Square::number))
        });
        let pairs: Vec<[u8; 2]> = pairs.collect();
        Pieces {
            men: domain.men().to_vec(),
            walkers: kings.into_iter().chain(men).collect(),
            fixed: fixed
                .map(|&(piece, square)| (Walker::of(piece), square.number()))
                .collect(),
            group: symmetries(domain.group()),
            slices: pairs
                .iter()
                .enumerate()
                .map(|(k, &pair)| (pair, k))
                .collect(),
            pairs,
        }
    }

    /// The kings and the other men: all pieces that move.
    pub fn movers(&self) -> Range<usize> {
        0..self.walkers.len()
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
    pub fn has(&self, placement: Placement) -> bool {
        self.has_free_kings() || is_apart(placement.0[0], placement.0[1])
    }

    /// Whose piece number `k` is.
    pub fn color(&self, k: usize) -> Color {
        self.walkers[k].color
    }

    /// The number of slots in a slice.
    pub fn slots(&self) -> u64 {
        (0..self.men.len()).fold(1, |slots, _| slots * 64)
    }

    /// The placement of a slot.
    pub fn placement(&self, slice: usize, offset: u64) -> Placement {
        let mut squares = [0; MOST_PIECES];
        if let Some(kings) = self.pairs.get(slice) {
            squares[..2].copy_from_slice(kings);
        }
        let mut rest = offset;
        for k in self.movers().rev().take(self.men.len()) {
            squares[k] = (rest % 64) as u8;
            rest /= 64;
        }
        Placement(squares)
    }

    /// The slots of the placement and its images: one, or two twins.
    pub fn slots_of(&self, placement: Placement) -> Vec<(usize, u64)> {
        let images = self.images(placement).into_iter();
        let mut slots: Vec<(usize, u64)> = images
            .filter_map(|Placement(squares)| {
                let slice = match self.has_free_kings() {
                    true => 0,
                    false => *self.slices.get(&squares[..2])?,
                };
                let men = &squares[self.mover(0)..self.walkers.len()];
                let offset = men.iter().fold(0, |offset, &s| offset * 64 + u64::from(s));
                Some((slice, offset))
            })
            .collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// The images under the group.
    pub fn images(&self, placement: Placement) -> Vec<Placement> {
        let images = self.group.iter();
        images.map(|image| self.image(placement, image)).collect()
    }

    fn image(&self, mut placement: Placement, image: &[u8; 64]) -> Placement {
        for k in self.movers() {
            placement.0[k] = image[usize::from(placement.0[k])];
        }
        placement
    }

    /// The images, each with every exchange of like men, none twice.
    pub fn images_and_exchanges(&self, placement: Placement) -> Vec<Placement> {
        let mut all = self.images(placement);
        let mut at = 0;
        while at < all.len() {
            for a in 0..self.men.len() {
                for b in (0..a).filter(|&b| self.men[a] == self.men[b]) {
                    let mut exchanged = all[at];
                    exchanged.0.swap(self.mover(a), self.mover(b));
                    if !all.contains(&exchanged) {
                        all.push(exchanged);
                    }
                }
            }
            at += 1;
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The least of the images.
    pub fn canonical(&self, placement: Placement) -> Placement {
        let images = self.group.iter();
        let images = images.map(|image| self.image(placement, image));
        images.min().expect("the identity is a symmetry")
    }

    /// The squares that are occupied, those of fixed pieces among them.
    pub fn occupied(&self, placement: Placement) -> u64 {
        let men = self.movers().map(|k| placement.0[k]);
        let fixed = self.fixed.iter().map(|&(_, square)| square);
        men.chain(fixed).fold(0, |set, square| set | 1 << square)
    }

    /// Whether no two pieces share a square.
    pub fn is_distinct(&self, placement: Placement) -> bool {
        let pieces = self.walkers.len() + self.fixed.len();
        self.occupied(placement).count_ones() as usize == pieces
    }

    /// Whether the king of a side is attacked.
    pub fn is_check(&self, placement: Placement, side: Color) -> bool {
        let king = placement.0[side as usize];
        let occupied = self.occupied(placement);
        let movers = self.movers().map(|k| (&self.walkers[k], placement.0[k]));
        let fixed = self.fixed.iter().map(|(walker, square)| (walker, *square));
        movers.chain(fixed).any(|(walker, from)| {
            walker.color != side && walker.reach(from, occupied, false) >> king & 1 == 1
        })
    }

    /// The placements that moves of a piece without captures lead to, or, backwards, come from.
    pub fn moves(
        &self,
        placement: Placement,
        k: usize,
        backwards: bool,
    ) -> impl Iterator<Item = Placement> + '_ {
        let occupied = self.occupied(placement);
        let reached = self.walkers[k].reach(placement.0[k], occupied, backwards);
        self.moved(placement, k, reached & !occupied)
    }

    /// The placements after piece `k` has gone to one of some squares, kings in slices apart.
    fn moved(
        &self,
        placement: Placement,
        k: usize,
        to: u64,
    ) -> impl Iterator<Item = Placement> + use<> {
        let all = k >= 2 || self.has_free_kings();
        let moved = squares(to).map(move |square| {
            let mut moved = placement;
            moved.0[k] = square;
            moved
        });
        moved.filter(move |moved| all || is_apart(moved.0[0], moved.0[1]))
    }

    /// The placement after piece `k` has gone to a square that it attacks, kings in slices apart, whatever was
    /// there.
    pub fn onto(&self, placement: Placement, k: usize, square: u8) -> Option<Placement> {
        let occupied = self.occupied(placement);
        let reached = self.walkers[k].reach(placement.0[k], occupied, false);
        self.moved(placement, k, reached & 1 << square).next()
    }

    /// The slices that a king's move connects with this one, and the slice itself.
    pub fn neighbours(&self, slice: usize) -> Vec<usize> {
        if self.has_free_kings() {
            return vec![slice];
        }
        let [white, black] = self.pairs[slice];
        let mut all = vec![slice];
        for square in 0..64 {
            for (pair, from) in [([square, black], white), ([white, square], black)] {
                if is_apart(pair[0], pair[1]) && !is_apart(square, from) {
                    let mut kings = Placement([0; MOST_PIECES]);
                    kings.0[..2].copy_from_slice(&pair);
                    let mut images = self.images(kings).into_iter();
                    all.extend(images.find_map(|kings| self.slices.get(&kings.0[..2])));
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A placement of a slice without two pieces on a square, if one is found.
    pub(crate) fn random(&self, slice: usize, random: &mut Random) -> Option<Placement> {
        let bits = 6 * self.men.len() as u32;
        (0..100).find_map(|_| {
            let offset = random.bits(bits);
            let placement = self.placement(slice, offset);
            self.is_distinct(placement).then_some(placement)
        })
    }
}

/// A set of placements without two pieces on a square, all images of each or none.
#[derive(Debug)]
pub enum Members {
    /// Those whose canonical images have a hash that ends in so many zeros.
    Hashed {
        /// What tells sets apart.
        seed: u64,
        /// The number of zeros.
        zeros: u32,
    },
    /// Those whose canonical images are listed.
    Listed(HashSet<Placement>),
}

impl Members {
    /// Whether a placement is in the set.
    pub fn contain(&self, pieces: &Pieces, placement: Placement) -> bool {
        match self {
            Members::Hashed { seed, zeros } => {
                let word = u64::from_le_bytes(pieces.canonical(placement).0);
                let x = (word ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                (x ^ x >> 32).trailing_zeros() >= *zeros && pieces.is_distinct(placement)
            }
            Members::Listed(all) => all.contains(&pieces.canonical(placement)),
        }
    }

    /// The set as a bitbase, at least in some slices.
    pub fn bitbase(&self, domain: &Domain, pieces: &Pieces, slices: &[usize]) -> Bitbase {
        let mut set = Bitbase::new(domain).expect("memory");
        match self {
            Members::Hashed { .. } => {
                for &slice in slices {
                    let rows = slice_mut(&mut set, slice);
                    for offset in 0..pieces.slots() {
                        if self.contain(pieces, pieces.placement(slice, offset)) {
                            set_bit(rows, offset);
                        }
                    }
                }
            }
            Members::Listed(all) => {
                for &placement in all {
                    for (slice, offset) in pieces.slots_of(placement) {
                        set_bit(slice_mut(&mut set, slice), offset);
                    }
                }
            }
        }
        set
    }
}
