//! Endgames with short-range pieces.
//!
//! A material of this crate has the types of chess. With short-range pieces they are letters that stand for other
//! pieces: a [`PieceSet`] tells for which. So all that works with materials and positions works for these, too; what moves,
//! what is printed and what is stored in files asks the piece_set.

use std::fmt;
use std::str::FromStr;

use tbindex::bitbase::{Man, Walk};
use tbindex::fairy::NotationError;
use tbindex::{Color, Leaper, Material, MaterialError, Piece, PieceType, Position, Symmetry};

use crate::chess::dependencies::{led_to_by, needed_by};

/// The types that pawns may become, and that may stand for other pieces, in falling order.
pub(crate) const TYPES: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

/// The pieces for which the queens, rooks, bishops and knights of a material stand.
///
/// Short-range pieces are given as White's. Black's are mirrored, so that forwards is towards the opponent for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceSet([Walk; 4]);

impl PieceSet {
    /// Queens, rooks, bishops and knights are what they are.
    pub const CHESS: PieceSet = PieceSet([
        Walk::Chess(PieceType::Queen),
        Walk::Chess(PieceType::Rook),
        Walk::Chess(PieceType::Bishop),
        Walk::Chess(PieceType::Knight),
    ]);

    /// Whether there are no short-range pieces, and each type stands for itself.
    #[must_use]
    pub fn is_chess(self) -> bool {
        self == PieceSet::CHESS
    }

    /// The piece for which a type stands. Kings and pawns are always themselves.
    #[must_use]
    pub fn walk(self, kind: PieceType) -> Walk {
        match kind {
            PieceType::King | PieceType::Pawn => Walk::Chess(kind),
            // The types are in the order of `TYPES`.
            _ => self.0[kind as usize - PieceType::Queen as usize],
        }
    }

    /// The type that stands for this, or `None` if there is none.
    #[must_use]
    pub fn kind(self, walk: Walk) -> Option<PieceType> {
        match walk {
            Walk::Chess(kind @ (PieceType::King | PieceType::Pawn)) => Some(kind),
            _ => {
                let at = self.0.iter().position(|&other| other == walk)?;
                Some(TYPES[at])
            }
        }
    }

    /// The man that a piece stands for.
    #[must_use]
    pub fn man(self, piece: Piece) -> Man {
        match (self.walk(piece.kind), piece.color) {
            (walk @ Walk::Leaper(_), Color::Black) => {
                let color = Color::White;
                Man { walk, color }.swap_color()
            }
            (walk, color) => Man { walk, color },
        }
    }

    /// The piece that stands for a man.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn piece(self, man: Man) -> Piece {
        let walk = match (man.walk, man.color) {
            (Walk::Leaper(leaper), Color::Black) => {
                Walk::Leaper(leaper.image(Symmetry::FlipVertical))
            }
            (walk, _) => walk,
        };
        let kind = self.kind(walk).expect("a man of the piece_set");
        Piece::new(man.color, kind)
    }

    /// The fields of a file's header: 0 for a letter that stands for itself.
    pub(crate) fn fields(self) -> [u32; 4] {
        std::array::from_fn(|k| match self.0[k] {
            walk if walk == PieceSet::CHESS.0[k] => 0,
            Walk::Leaper(leaper) => 1 << 31 | leaper.bits(),
            Walk::Chess(kind) => u32::from(Piece::new(Color::White, kind).code()),
        })
    }

    /// The piece_set with these fields, or `None` if there is none.
    pub(crate) fn from_fields(fields: [u32; 4]) -> Option<PieceSet> {
        let mut piece_set = PieceSet::CHESS;
        for (walk, field) in piece_set.0.iter_mut().zip(fields) {
            *walk = match field {
                0 => continue,
                _ if field >> 31 == 1 => Walk::Leaper(Leaper::try_from(field & !(1 << 31)).ok()?),
                _ => {
                    let piece = Piece::from_code(u8::try_from(field).ok()?)?;
                    let fits = piece.color == Color::White && TYPES.contains(&piece.kind);
                    Walk::Chess(fits.then_some(piece.kind)?)
                }
            };
        }
        let distinct = (0..4).all(|k| !piece_set.0[..k].contains(&piece_set.0[k]));
        distinct.then_some(piece_set)
    }

    /// The piece_set of these, in which the strongest letters stand for them in falling order: short-range pieces by the
    /// number of their moves, and then those of chess. If all are pieces of chess, they stand for themselves.
    ///
    /// The order of two of them never depends on the others. So a material has the same name, the same colours and the
    /// same order of pieces in each piece_set.
    fn of(walks: impl IntoIterator<Item = Walk>) -> Option<PieceSet> {
        let mut walks: Vec<Walk> = walks.into_iter().collect();
        walks.sort_by_key(|walk| match *walk {
            Walk::Leaper(leaper) => (0, 24 - leaper.bits().count_ones(), (!leaper).bits()),
            Walk::Chess(kind) => (1, kind as u32, 0),
        });
        walks.dedup();
        if walks.iter().all(|walk| matches!(walk, Walk::Chess(_))) {
            return Some(PieceSet::CHESS);
        }
        // A letter that stands for nothing keeps a type of chess that is not there, so that casts can be compared.
        let mut piece_set = walks;
        let unused = PieceSet::CHESS.0;
        for walk in unused {
            if piece_set.len() < TYPES.len() && !piece_set.contains(&walk) {
                piece_set.push(walk);
            }
        }
        piece_set.try_into().ok().map(PieceSet)
    }
}

/// A material and what its letters stand for.
///
/// It is written like a material, with short-range pieces in brackets, by their number, in Betza notation, or as a list
/// of squares: `K[WD]vK`, `K[0x11880]NvK[FD]`.
///
/// ```
/// use tbgen::Endgame;
/// let endgame: Endgame = "KN[WD]vK[0x28140]".parse()?;
/// assert_eq!(endgame.to_string(), "K[WD]NvK[F]");
/// let needed: Vec<String> = endgame.needed().iter().map(ToString::to_string).collect();
/// assert_eq!(needed.first().map(String::as_str), Some("KNvK"));
/// # Ok::<(), tbgen::EndgameError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Endgame {
    /// The letters.
    pub material: Material,
    /// The pieces for which they stand.
    pub piece_set: PieceSet,
}

/// Why a text or a list of pieces is no endgame that can be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndgameError {
    /// A piece in brackets can't be read.
    #[error("[{piece}]: {why}")]
    Notation {
        /// The text in the brackets.
        piece: String,
        /// The fault.
        why: NotationError,
    },
    /// A bracket is not closed.
    #[error("{0:?} has a bracket that is not closed")]
    Bracket(String),
    /// The rest is no material.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// There are too few or too many pieces.
    #[error("{0} pieces: tables with short-range pieces have 3 to 5")]
    Count(usize),
    /// There are pawns and short-range pieces.
    #[error(
        "short-range pieces and pawns can't be combined, as it is not known what pawns promote to"
    )]
    Pawns,
}

impl Endgame {
    /// The endgame of these men, kings included.
    ///
    /// # Errors
    /// If there are pawns or more than 5 pieces, or not one king a side.
    ///
    /// # Panics
    /// Never.
    pub fn of(men: &[(Color, Walk)]) -> Result<Endgame, EndgameError> {
        let is_pawn = |walk: &Walk| *walk == Walk::Chess(PieceType::Pawn);
        if men.iter().any(|(_, walk)| is_pawn(walk)) {
            return Err(EndgameError::Pawns);
        }
        let walks = men.iter().map(|&(_, walk)| walk);
        let others = walks.filter(|&walk| walk != Walk::Chess(PieceType::King));
        let piece_set = PieceSet::of(others).ok_or(EndgameError::Count(men.len()))?;
        let pieces = men.iter().map(|&(color, walk)| {
            let kind = piece_set.kind(walk).expect("one of the piece_set");
            Piece::new(color, kind)
        });
        let material = Material::from_pieces(pieces)?;
        match material.piece_count() {
            2..=5 => Ok(Endgame {
                material,
                piece_set,
            }),
            count => Err(EndgameError::Count(count)),
        }
    }

    /// The same endgame in a piece_set of its own, which is the one of its file.
    #[must_use]
    pub fn own(self) -> Endgame {
        if self.piece_set.is_chess() {
            return self;
        }
        let men: Vec<_> = self.men().collect();
        Endgame::of(&men).unwrap_or(self)
    }

    fn men(self) -> impl Iterator<Item = (Color, Walk)> {
        let piece_set = self.piece_set;
        (self.material.name_order()).map(move |piece| (piece.color, piece_set.walk(piece.kind)))
    }

    /// The endgame with the colours under which its table is kept.
    #[must_use]
    pub fn normal(self) -> Endgame {
        Endgame {
            material: self.material.normal(),
            ..self
        }
    }

    /// The endgames of all tables that this one needs, its own last. Each comes after those that it needs itself.
    #[must_use]
    pub fn needed(self) -> Vec<Endgame> {
        self.with(needed_by(&self.material))
    }

    /// The endgames of the tables that moves from this one lead to directly.
    #[must_use]
    pub fn led_to(self) -> Vec<Endgame> {
        self.with(led_to_by(&self.material))
    }

    /// These materials, in the letters of this endgame.
    fn with(self, materials: Vec<Material>) -> Vec<Endgame> {
        let all = materials.into_iter();
        all.map(|material| Endgame { material, ..self }).collect()
    }

    /// The short-range pieces, the strongest first, as White's.
    #[must_use]
    pub fn leapers(self) -> Vec<Leaper> {
        let mut all = Vec::new();
        for (_, walk) in self.men() {
            if let Walk::Leaper(leaper) = walk
                && !all.contains(&leaper)
            {
                all.push(leaper);
            }
        }
        all
    }

    /// A position of this endgame in the letters of its own piece_set.
    #[must_use]
    pub fn in_own_letters(self, position: &Position) -> Position {
        let own = self.own().piece_set;
        let board = position.board.map(|piece| {
            let piece = piece?;
            let kind = own.kind(self.piece_set.walk(piece.kind));
            Some(Piece::new(piece.color, kind.unwrap_or(piece.kind)))
        });
        Position { board, ..*position }
    }
}

impl From<Material> for Endgame {
    /// The endgame of a material of chess.
    fn from(material: Material) -> Endgame {
        let piece_set = PieceSet::CHESS;
        Endgame {
            material,
            piece_set,
        }
    }
}

impl FromStr for Endgame {
    type Err = EndgameError;

    /// Reads `KQvKR`, or pieces in brackets: `K[WD]NvK[FD]`.
    fn from_str(text: &str) -> Result<Endgame, EndgameError> {
        if !text.contains('[') {
            return Ok(text.parse::<Material>()?.into());
        }
        // A material with a letter for each short-range piece, which says what is wrong with the others.
        let (mut plain, mut men, mut color) = (String::new(), Vec::new(), Color::White);
        let (mut rest, mut unknown) = (text, false);
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            if letter == '[' {
                let bracket = || EndgameError::Bracket(text.to_owned());
                let (piece, after) = rest.split_once(']').ok_or_else(bracket)?;
                let leaper = (piece.parse::<Leaper>()).map_err(|why| EndgameError::Notation {
                    piece: piece.to_owned(),
                    why,
                })?;
                rest = after;
                plain.push('N');
                men.push((color, Walk::Leaper(leaper)));
                continue;
            }
            plain.push(letter);
            match PieceType::try_from(letter) {
                _ if letter == 'v' => color = Color::Black,
                Ok(kind) if letter.is_ascii_uppercase() => men.push((color, Walk::Chess(kind))),
                _ => unknown = true,
            }
        }
        if unknown || plain.matches('v').count() != 1 {
            let error = plain.parse::<Material>().err();
            return Err(error.map_or(EndgameError::Count(0), EndgameError::Material));
        }
        let endgame = Endgame::of(&men)?;
        match endgame.material.piece_count() {
            3..=5 => Ok(endgame),
            count => Err(EndgameError::Count(count)),
        }
    }
}

/// The name: `K[WD]NvK[FD]`.
impl fmt::Display for Endgame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::new();
        for color in Color::ALL {
            if color == Color::Black {
                name.push('v');
            }
            for (_, walk) in self.men().filter(|&(of, _)| of == color) {
                match walk {
                    Walk::Chess(kind) => name.push(char::from(kind).to_ascii_uppercase()),
                    Walk::Leaper(leaper) => {
                        let betza = leaper.betza().unwrap_or_else(|| leaper.to_string());
                        name += &format!("[{betza}]");
                    }
                }
            }
        }
        f.pad(&name)
    }
}

impl fmt::Debug for Endgame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endgame({self})")
    }
}

/// The letters under which short-range pieces are read and printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letters(Vec<(char, Leaper)>);

/// Why letters can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LettersError {
    /// A text is not a letter, `=` and a piece.
    #[error("{0:?}: expected a letter, = and a piece, such as L=WD")]
    Form(String),
    /// The letter is taken.
    #[error(
        "{0:?} stands for something else: expected a letter other than K, Q, R, B, N and P, once"
    )]
    Taken(char),
    /// The piece can't be read.
    #[error(transparent)]
    Notation(#[from] NotationError),
}

impl Letters {
    /// The letters X, Y and Z, and so on, for these pieces.
    #[must_use]
    pub fn for_leapers(leapers: &[Leaper]) -> Letters {
        Letters("XYZW".chars().zip(leapers.iter().copied()).collect())
    }

    /// Reads letters with their pieces, each as `L=WD`.
    ///
    /// # Errors
    /// If one is not written so, or a letter is taken.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Letters, LettersError> {
        let mut all: Vec<(char, Leaper)> = Vec::new();
        for text in texts {
            let text = text.as_ref();
            let form = || LettersError::Form(text.to_owned());
            let (letter, piece) = text.split_once('=').ok_or_else(form)?;
            let mut letters = letter.chars();
            let (Some(letter), None) = (letters.next(), letters.next()) else {
                return Err(form());
            };
            if !letter.is_ascii_alphabetic() {
                return Err(form());
            }
            let letter = letter.to_ascii_uppercase();
            if "KQRBNP".contains(letter) || all.iter().any(|&(other, _)| other == letter) {
                return Err(LettersError::Taken(letter));
            }
            all.push((letter, piece.parse()?));
        }
        Ok(Letters(all))
    }

    /// Whether there are no letters of short-range pieces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The piece for which a letter of either case stands.
    pub(crate) fn walk(&self, letter: char) -> Option<Walk> {
        let upper = letter.to_ascii_uppercase();
        let own = self.0.iter().find(|&&(other, _)| other == upper);
        match own {
            Some(&(_, leaper)) => Some(Walk::Leaper(leaper)),
            None => PieceType::try_from(upper).ok().map(Walk::Chess),
        }
    }

    /// The letter, in upper case, of what is moved so.
    pub(crate) fn letter(&self, walk: Walk) -> char {
        match walk {
            Walk::Chess(kind) => char::from(kind).to_ascii_uppercase(),
            Walk::Leaper(leaper) => {
                let own = self.0.iter().find(|&&(_, other)| other == leaper);
                own.map_or('?', |&(letter, _)| letter)
            }
        }
    }

    /// The position as a FEN in these letters.
    #[must_use]
    pub fn fen(&self, position: &Position, piece_set: PieceSet) -> String {
        let fen = position.to_string();
        let (placement, rest) = fen.split_once(' ').unwrap_or_default();
        let own = |c: char| {
            let kind = PieceType::try_from(c.to_ascii_uppercase()).ok();
            let letter = kind.map_or(c, |kind| self.letter(piece_set.walk(kind)));
            match c.is_ascii_uppercase() {
                true => letter,
                false => letter.to_ascii_lowercase(),
            }
        };
        let placement: String = placement.chars().map(own).collect();
        format!("{placement} {rest}")
    }

    /// The meaning of the letters, such as `X=WD`.
    pub fn meanings(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|&(letter, leaper)| {
            let betza = leaper.betza().unwrap_or_else(|| leaper.to_string());
            format!("{letter}={betza}")
        })
    }

    /// A letter, in upper case, that no piece of a placement has.
    pub(crate) fn unused(&self, placement: &str) -> Option<char> {
        let used = placement.to_ascii_uppercase();
        let mut letters = self.0.iter().map(|&(letter, _)| letter);
        letters.find(|&letter| !used.contains(letter))
    }
}
