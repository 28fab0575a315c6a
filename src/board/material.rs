//! The pieces on the board: `KQvKR`.

use std::fmt;
use std::str::FromStr;

use super::{Color, Group, Piece, PieceType};

/// The pieces of both sides, one king each, written `KQvKR`: white's pieces, `v`, black's, each
/// side king first and then queens, rooks, bishops, knights, pawns.
///
/// The pieces of KRvKQ, for example, come in four orders:
///
/// | order | of KRvKQ | used by |
/// |---|---|---|
/// | of the name: White's pieces, then Black's, each side from king to pawn | K R k q | [`name_order`](Material::name_order), the squares that the program takes |
/// | of the digits: the kings, then the others as in the name | K k R q | the halves of an [index](crate::Layout), from the highest digit |
/// | of the piece numbers: the digits' order from the end | 0 = q, 1 = R, 2 = k, 3 = K | [`index_order`](Material::index_order), every argument or slice of pieces or squares of [`Layout`](crate::Layout) |
/// | of the men: free pieces other than kings, from queens to knights, White's before Black's of each type | q R | [`Domain`](crate::bitbase::Domain), its slots |
///
/// The *leading piece* is the one with the highest digit of each half: piece n−1, the white king. Kings lead because
/// dense numberings start from their two squares; like pieces stand side by side.
///
/// ```
/// use tbindex::{Group, Material};
/// let material: Material = "KQvKR".parse()?;
/// let order: String = material.index_order().map(char::from).collect();
/// assert_eq!(order, "rQkK"); // piece 0 first
/// assert_eq!(material.swap_colors().to_string(), "KRvKQ");
/// assert_eq!(material.group(), Group::D4);
/// assert_eq!("KPvK".parse::<Material>()?.group(), Group::FileMirror);
/// assert!("KQKR".parse::<Material>().is_err());
/// # Ok::<(), tbindex::MaterialError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material {
    /// The number of pieces of each type but the king, in the order of `PieceType::ALL`, white's first.
    counts: [[u8; 5]; 2],
}

impl Material {
    /// The most pieces that a material may have: as many as a 128-bit index holds.
    pub(crate) const MAX_PIECES: usize = 21;

    /// The material of these pieces in any order.
    ///
    /// # Errors
    /// If a side does not have exactly one king, or there are more than 21 pieces.
    pub fn from_pieces(pieces: impl IntoIterator<Item = Piece>) -> Result<Material, MaterialError> {
        let mut kings = [0usize; 2];
        let mut counts = [[0usize; 5]; 2];
        for piece in pieces {
            let side = piece.color as usize;
            match piece.kind {
                PieceType::King => kings[side] += 1,
                kind => counts[side][kind as usize - 1] += 1,
            }
        }
        for color in Color::ALL {
            if kings[color as usize] != 1 {
                return Err(MaterialError::Kings {
                    color,
                    found: kings[color as usize],
                });
            }
        }
        let total = 2 + counts.iter().flatten().sum::<usize>();
        if total > Material::MAX_PIECES {
            return Err(MaterialError::TooManyPieces { found: total });
        }
        Ok(Material {
            counts: counts.map(|side| side.map(|count| count as u8)),
        })
    }

    /// The number of pieces, kings included: 2 to 21.
    #[must_use]
    pub fn piece_count(self) -> usize {
        2 + self
            .counts
            .iter()
            .flatten()
            .map(|&c| usize::from(c))
            .sum::<usize>()
    }

    /// The number of pieces of this type and colour.
    #[must_use]
    pub fn count(self, piece: Piece) -> usize {
        match piece.kind {
            PieceType::King => 1,
            kind => usize::from(self.counts[piece.color as usize][kind as usize - 1]),
        }
    }

    /// The pieces in the order of the name.
    pub fn name_order(self) -> impl Iterator<Item = Piece> + use<> {
        let counts = self.counts;
        Color::ALL.into_iter().flat_map(move |color| {
            let others = PieceType::ALL.into_iter().skip(1).flat_map(move |kind| {
                let count = usize::from(counts[color as usize][kind as usize - 1]);
                std::iter::repeat_n(Piece::new(color, kind), count)
            });
            std::iter::once(Piece::new(color, PieceType::King)).chain(others)
        })
    }

    /// The pieces by their numbers in an index, piece 0 first and the leading piece last.
    pub fn index_order(self) -> impl Iterator<Item = Piece> + use<> {
        let pieces: Vec<Piece> = self.name_order().collect();
        self.name_of_index().into_iter().map(move |k| pieces[k])
    }

    /// For every piece number of an index, its place in the name: `order[k]` is the place of piece k.
    ///
    /// ```
    /// # use tbindex::Material;
    /// let material: Material = "KQvKR".parse()?;
    /// assert_eq!(material.name_of_index(), [3, 1, 2, 0]); // r, Q, k, K
    /// # Ok::<(), tbindex::MaterialError>(())
    /// ```
    #[must_use]
    pub fn name_of_index(self) -> Vec<usize> {
        let pieces: Vec<Piece> = self.name_order().collect();
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        // The kings come first, the others stay in the order of the name.
        order.sort_by_key(|&k| pieces[k].kind != PieceType::King);
        order.reverse();
        order
    }

    /// The sets of two or more like pieces (same type and colour), each as a bit mask of piece
    /// numbers, the leading set first.
    #[must_use]
    pub(crate) fn like_sets(self) -> Vec<u32> {
        let pieces: Vec<Piece> = self.index_order().collect();
        let mut sets = Vec::new();
        for piece in self.name_order() {
            let set = (0..pieces.len())
                .filter(|&k| pieces[k] == piece)
                .fold(0u32, |set, k| set | 1 << k);
            if set.count_ones() > 1 && !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets
    }

    /// Whether there is a pawn of either colour.
    #[must_use]
    pub fn has_pawns(self) -> bool {
        self.counts.iter().any(|side| side[4] != 0)
    }

    /// The symmetries that keep a position's value: D4 without pawns, the file mirror with.
    #[must_use]
    pub fn group(self) -> Group {
        if self.has_pawns() {
            Group::FileMirror
        } else {
            Group::D4
        }
    }

    /// The twin with exchanged colours: KQvKR becomes KRvKQ.
    #[must_use]
    pub const fn swap_colors(self) -> Material {
        Material {
            counts: [self.counts[1], self.counts[0]],
        }
    }
}

/// Why a text or a list of pieces is no material.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaterialError {
    /// There is no `v`, or more than one.
    #[error("{text:?} is not a material: expected white's pieces, one 'v', black's, as in KQvKR")]
    Separator {
        /// The text that was read.
        text: String,
    },
    /// A character is no piece letter.
    #[error(
        "{text:?} is not a material: character {position} is {letter:?}, expected one of K Q R B N P"
    )]
    Letter {
        /// The text that was read.
        text: String,
        /// The character there.
        letter: char,
        /// The character's place, counted from 1.
        position: usize,
    },
    /// The pieces are a material, but not in the order of its name.
    #[error("{text:?} is not a material: the pieces of a side go K Q R B N P, expected {expected}")]
    Order {
        /// The text that was read.
        text: String,
        /// The right name of these pieces.
        expected: Material,
    },
    /// A side has no king, or several.
    #[error("{color} has {found} kings: expected exactly one")]
    Kings {
        /// The side.
        color: Color,
        /// The number that was found.
        found: usize,
    },
    /// More pieces than an index can hold.
    #[error("{found} pieces: expected at most {max}, what a 128-bit index holds", max = Material::MAX_PIECES)]
    TooManyPieces {
        /// The number that was found.
        found: usize,
    },
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Material, MaterialError> {
        let separator = || MaterialError::Separator {
            text: text.to_owned(),
        };
        let (white, black) = text.split_once('v').ok_or_else(separator)?;
        if black.contains('v') || white.is_empty() || black.is_empty() {
            return Err(separator());
        }
        let mut pieces = Vec::new();
        let mut color = Color::White;
        for (k, letter) in text.chars().enumerate() {
            if letter == 'v' {
                color = Color::Black;
                continue;
            }
            let kind = PieceType::of_letter(letter).ok_or_else(|| MaterialError::Letter {
                text: text.to_owned(),
                letter,
                position: k + 1,
            })?;
            pieces.push(Piece::new(color, kind));
        }
        let material = Material::from_pieces(pieces)?;
        if material.to_string() == text {
            Ok(material)
        } else {
            Err(MaterialError::Order {
                text: text.to_owned(),
                expected: material,
            })
        }
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for piece in self.name_order() {
            if piece == Piece::new(Color::Black, PieceType::King) {
                text.push('v');
            }
            text.push(char::from(piece.kind));
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
