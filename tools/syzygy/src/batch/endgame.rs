//! A material as batches see it: its pieces, and the materials that captures and promotions lead to.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use cozy_chess::{Color, Piece};

use super::placed::Placed;
use crate::material::{ColoredPiece, MOST_PIECES, Material, MaterialMap};
use crate::numbering::leading_file;

/// The pieces that a pawn may become.
const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Knight, Piece::Rook, Piece::Bishop];

/// In place of the slot of a captured piece: nothing is captured.
pub(super) const NONE: usize = MOST_PIECES;

/// In place of the number of a material: two kings are left.
pub(super) const KINGS: u8 = u8::MAX;

/// A material that a capture or promotion leads to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Child {
    /// Its place in [`Endgame::materials`], or [`KINGS`].
    pub(super) number: u8,
    /// The slot of the promoted piece.
    slot: u8,
    /// The pieces of the parent's first side that are left, and all.
    first: u8,
    len: u8,
    /// Whether the parent's first side is the child's second.
    exchanged: bool,
    symmetric: bool,
}

/// Materials with their moves, each made once.
#[derive(Debug, Default)]
pub struct Endgames(RwLock<MaterialMap<Arc<Endgame>>>);

impl Endgames {
    /// A material with its moves.
    #[must_use]
    pub fn get(&self, material: Material) -> Arc<Endgame> {
        let endgames = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(endgame) = endgames.get(&material) {
            return Arc::clone(endgame);
        }
        drop(endgames);
        let mut endgames = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let endgame = endgames.entry(material);
        Arc::clone(endgame.or_insert_with(|| Arc::new(Endgame::new(material))))
    }
}

impl Child {
    /// A position of the child, with the pieces in the order of the parent, as the child's table sees it.
    fn normal(self, placed: Placed) -> Placed {
        if self.exchanged || self.symmetric && placed.side() == Color::Black {
            placed.exchanged(self.first.into(), self.len.into())
        } else {
            placed
        }
    }
}

/// The pieces of a material, numbered as in its name, and where its captures and promotions lead.
#[derive(Debug)]
pub struct Endgame {
    material: Material,
    /// This material, and those of all children.
    pub(super) materials: Vec<Material>,
    pub(super) pieces: Vec<ColoredPiece>,
    /// The number of each piece among attackers: a white pawn 0, a black one 1, and knight to king 2 to 6.
    pub(super) attackers: [u8; MOST_PIECES],
    /// How many pieces the first side has.
    first: usize,
    /// The slots of the leading pawns.
    leading: Range<usize>,
    /// By the slot of the captured piece.
    captures: [Child; MOST_PIECES],
    /// By the slot of the captured piece, which may be [`NONE`], the colour of the pawn and what it becomes.
    promotions: [[[Child; 4]; 2]; MOST_PIECES + 1],
}

impl Endgame {
    fn new(material: Material) -> Endgame {
        let pieces: Vec<ColoredPiece> = material.pieces().collect();
        let first = pieces.iter().filter(|piece| piece.color() == Color::White);
        let first = first.count();
        // The pawns of a side are its last pieces.
        let leading = material.leading_color().map_or(0..0, |color| {
            let end = if color == Color::White {
                first
            } else {
                pieces.len()
            };
            end - material.count(color, Piece::Pawn)..end
        });
        let mut attackers = [0; MOST_PIECES];
        for (piece, attacker) in pieces.iter().zip(&mut attackers) {
            *attacker = match piece.piece() {
                Piece::Pawn => piece.color() as u8,
                piece => piece as u8 + 1,
            };
        }
        let mut endgame = Endgame {
            material,
            materials: vec![material],
            attackers,
            first,
            leading,
            pieces,
            captures: [Child::default(); MOST_PIECES],
            promotions: [[[Child::default(); 4]; 2]; MOST_PIECES + 1],
        };
        for captured in (0..endgame.pieces.len()).chain([NONE]) {
            endgame.add_children(captured);
        }
        endgame
    }

    /// Adds the children of the capture of a piece, and of promotions with it.
    fn add_children(&mut self, captured: usize) {
        let mut left = self.pieces.clone();
        if captured != NONE {
            if left.remove(captured).piece() == Piece::King {
                return;
            }
            self.captures[captured] = self.child(&left, 0);
        }
        for color in [Color::White, Color::Black] {
            let pawn = ColoredPiece::new(color, Piece::Pawn);
            let Some(slot) = left.iter().position(|&piece| piece == pawn) else {
                continue;
            };
            for (kind, piece) in PROMOTIONS.into_iter().enumerate() {
                let mut promoted = left.clone();
                promoted.remove(slot);
                let piece = ColoredPiece::new(color, piece);
                let rank = |piece: ColoredPiece| (piece.color() as u8, Reverse(piece.piece()));
                let slot = promoted.partition_point(|&other| rank(other) < rank(piece));
                promoted.insert(slot, piece);
                self.promotions[captured][color as usize][kind] = self.child(&promoted, slot);
            }
        }
    }

    /// The child of these pieces, in the order of names but for an exchange of sides.
    fn child(&mut self, pieces: &[ColoredPiece], slot: usize) -> Child {
        let first = pieces.iter().filter(|piece| piece.color() == Color::White);
        let mut child = Child {
            number: KINGS,
            slot: slot as u8,
            first: first.count() as u8,
            len: pieces.len() as u8,
            exchanged: false,
            symmetric: false,
        };
        let Some((material, exchanged)) = Material::of_pieces(pieces.iter().copied()) else {
            return child;
        };
        let found = (self.materials.iter()).position(|&other| other == material);
        let number = found.unwrap_or_else(|| {
            self.materials.push(material);
            self.materials.len() - 1
        });
        child.number = number as u8;
        (child.exchanged, child.symmetric) = (exchanged, material.is_symmetric());
        child
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The number of pieces.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The slots of a side. The first one is its king's.
    pub(super) fn slots(&self, side: Color) -> Range<usize> {
        match side {
            Color::White => 0..self.first,
            Color::Black => self.first..self.pieces.len(),
        }
    }

    /// Whether a side has pawns.
    pub(super) fn has_pawns(&self, side: Color) -> bool {
        self.material.count(side, Piece::Pawn) > 0
    }

    /// The number of a position's sub-table: twice the file of the leading pawn, and one more if black is to move.
    #[inline]
    pub(super) fn sub_table(&self, placed: Placed) -> usize {
        let pawns = &placed.squares()[self.leading.clone()];
        let file = if pawns.is_empty() {
            0
        } else {
            leading_file(pawns)
        };
        usize::from(file) << 1 | placed.side() as usize
    }

    /// A position as the table sees it: if both sides have the same pieces, white is to move.
    #[must_use]
    pub fn normal(&self, placed: Placed) -> Placed {
        if self.material.is_symmetric() && placed.side() == Color::Black {
            placed.exchanged(self.first, self.len())
        } else {
            placed
        }
    }

    /// The child after a capture, from the position after the move in which the captured piece still is.
    pub(super) fn captured(&self, moved: Placed, captured: usize) -> (Child, Placed) {
        let child = self.captures[captured];
        (child, child.normal(moved.without(captured)))
    }

    /// The children after a promotion, from the position after the move of the pawn, with the captured piece if there
    /// is any.
    pub(super) fn promoted(
        &self,
        moved: Placed,
        pawn: usize,
        captured: usize,
    ) -> [(Child, Placed); 4] {
        let color = self.pieces[pawn].color();
        let square = moved.square(pawn);
        let (left, pawn) = match captured {
            NONE => (moved, pawn),
            _ => (moved.without(captured), pawn - usize::from(captured < pawn)),
        };
        let left = left.without(pawn);
        self.promotions[captured][color as usize].map(|child| {
            let placed = left.with(child.slot.into(), square);
            (child, child.normal(placed))
        })
    }
}
