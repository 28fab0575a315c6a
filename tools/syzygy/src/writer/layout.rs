//! How a source lays out its entries: by the squares of all pieces, none left out.

use cozy_chess::Piece;

use super::orders;
use crate::material::{ColoredPiece, MOST_PIECES, Material};
use crate::numbering::constants::{IMAGES, TRIANGLE, TRIANGLE_SQUARES, TURNS};
use crate::numbering::{Numbering, PackedSquares, leading_lengths, number_of_pawns, square_of};

/// The order in which a source gives the entries of a sub-table.
///
/// A slot is a number of digits. The slowest one is that of the *leading* pieces: without pawns, the square of a king in
/// the triangle a1–d1–d4; with pawns, the squares of the pawns of one colour, the foremost of which stands on the
/// sub-table's file. Each other digit is the square of one piece, 0 to 63. So there are slots for positions that can't
/// occur: pieces share squares, pawns stand on the first rank, kings touch.
///
/// ```text
/// KRBvKR, K leads        K, 0 to 9 │ k, 0 to 63 │ B, 0 to 63 │ r, 0 to 63 │ R, 0 to 63
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    material: Material,
    file: Option<u8>,
    /// The pieces by their places in the material's name, the slowest first.
    order: [u8; MOST_PIECES],
    /// The squares of the leading pieces for each number of the first digit.
    leads: Vec<[u8; MOST_PIECES]>,
    /// How many pieces lead.
    leading: usize,
    /// How many places the sub-table has in a file.
    places: u64,
    /// How far the square of each piece is shifted in a slot, by its place in the name; of a leading one, their digit.
    pub(super) shifts: [u32; 8],
}

impl Layout {
    /// All layouts that a writer may ask for.
    pub fn all(material: Material) -> impl Iterator<Item = Layout> {
        let numberings = material
            .leading_files()
            .into_iter()
            .flat_map(move |file| orders::all(material, file));
        numberings.map(|numbering| Layout::of(&numbering))
    }

    /// A layout of each sub-table. All of a sub-table have as many slots.
    pub fn any_of_each_file(material: Material) -> impl Iterator<Item = Layout> {
        material
            .leading_files()
            .into_iter()
            .map(move |file| Layout::any(material, file))
    }

    /// A layout of a material's sub-table: that of all, or of a file of the leading pawn.
    pub(crate) fn any(material: Material, file: Option<u8>) -> Layout {
        Layout::of(&orders::all(material, file)[0])
    }

    /// The layout in which the positions of a numbering are mostly beside each other.
    pub(crate) fn of(numbering: &Numbering) -> Layout {
        let slots = numbering.slots();
        let material = numbering.material();
        let file = numbering.leading_file();
        // Of a group the first piece moves fastest, but for the leading group.
        let pieces: Vec<ColoredPiece> = numbering.pieces().collect();
        let is_pawn = |&place: &usize| pieces[place].piece() == Piece::Pawn;
        let mut places = numbering.places_by_weight();
        let leading = match file {
            Some(_) => leading_lengths(&material).0,
            None => 1,
        };
        // A source has the positions of one placement of pawns together, or those of one square of a king.
        let king = (places.iter().copied()).find(|&place| pieces[place].piece() == Piece::King);
        places.sort_by_key(|place| match file {
            Some(_) => (*place >= leading, !is_pawn(place)),
            None => (Some(*place) != king, false),
        });
        let mut order = [0; MOST_PIECES];
        for (to, &place) in order.iter_mut().zip(&places) {
            *to = slots[place];
        }
        let leads = match file {
            Some(_) => (0..numbering.leading_size())
                .map(|number| {
                    let mut squares = [0; MOST_PIECES];
                    numbering.leading_squares(number, &mut squares[..leading]);
                    squares
                })
                .collect(),
            None => TRIANGLE_SQUARES
                .map(|square| {
                    let mut squares = [0; MOST_PIECES];
                    squares[0] = square;
                    squares
                })
                .to_vec(),
        };
        let digits = (material.len() - leading) as u32;
        let mut shifts = [6 * digits; 8];
        for (k, &piece) in (1..).zip(&order[leading..material.len()]) {
            shifts[usize::from(piece)] = 6 * (digits - k);
        }
        Layout {
            material,
            file,
            order,
            leads,
            places: numbering.len(),
            leading,
            shifts,
        }
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The file of the leading pawn, 0 to 3, or `None` without pawns.
    #[must_use]
    pub fn leading_file(&self) -> Option<u8> {
        self.file
    }

    /// The leading pieces, by their places in the order of the material's name.
    #[must_use]
    pub fn leading(&self) -> &[u8] {
        &self.order[..self.leading]
    }

    /// The squares of the leading pieces for each number of the first digit.
    pub fn leads(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.leads.iter().map(|squares| &squares[..self.leading])
    }

    /// The other pieces, from the slowest digit to the fastest. With pawns, those of the other colour come first.
    #[must_use]
    pub fn digits(&self) -> &[u8] {
        &self.order[self.leading..self.material.len()]
    }

    /// The number of slots.
    #[must_use]
    pub fn size(&self) -> u64 {
        (self.leads.len() as u64) << (6 * self.digits().len())
    }

    /// The number of places that the sub-table has in a file, whatever its order.
    #[must_use]
    pub fn places(&self) -> u64 {
        self.places
    }

    /// The position of a slot.
    ///
    /// # Panics
    /// If there is no such slot.
    #[must_use]
    pub fn position(&self, slot: u64) -> PackedSquares {
        let digits = self.digits();
        let lead = &self.leads[(slot >> (6 * digits.len())) as usize];
        let leading = self
            .leading()
            .iter()
            .zip(lead)
            .map(|(&piece, &square)| (piece, square));
        let others = digits.iter().rev().enumerate();
        let others = others.map(|(k, &piece)| (piece, (slot >> (6 * k)) as u8 & 63));
        leading.chain(others).fold(0, |position, (piece, square)| {
            position | u64::from(square) << (8 * piece)
        })
    }

    /// The slot of a position.
    ///
    /// # Panics
    /// If with pawns the leading one is on another file, or a leading one on the first or the last rank.
    #[must_use]
    pub fn slot(&self, position: PackedSquares) -> u64 {
        let square = |piece: u8| square_of(position, usize::from(piece)) & 63;
        let first = usize::from(square(self.order[0]));
        let (number, images) = match self.file {
            None => {
                let images = &IMAGES[usize::from(TURNS[first])];
                (u32::from(TRIANGLE[usize::from(images[first])]), images)
            }
            Some(file) => {
                let mut pawns = [0; MOST_PIECES];
                for (pawn, &piece) in pawns.iter_mut().zip(self.leading()) {
                    *pawn = square(piece);
                }
                let pawns = &mut pawns[..self.leading];
                let on_ranks = pawns.iter().all(|pawn| (8..56).contains(pawn));
                assert!(on_ranks, "ranks of pawns");
                let number = number_of_pawns(pawns);
                assert_eq!(pawns[0] & 7, file, "the leading pawn's file");
                (number, &IMAGES[0])
            }
        };
        let of_lead = u64::from(number) << (6 * self.digits().len());
        self.digits().iter().fold(of_lead, |slot, &piece| {
            let image = images[usize::from(square(piece))];
            slot | u64::from(image) << self.shifts[usize::from(piece)]
        })
    }
}
