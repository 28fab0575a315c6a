//! A board of 64 squares with men of chess and short-range men, and the generator of their moves.

use tbindex::bitbase::Walk;
use tbindex::{
    Bitboard, CastlingRights, Color, File, Material, Piece, PieceType, Position, Square, attacks,
};

use crate::chess::pawns::{last_rank, passed_by, steps_ahead};
use crate::chess::piece_set::{Endgame, PieceSet};

/// The most pieces on a board here.
pub(crate) const MOST: usize = tbindex::bitbase::MOST_PIECES;

/// The kinds that a pawn may become.
const PROMOTIONS: [Option<PieceType>; 4] = [
    Some(PieceType::Knight),
    Some(PieceType::Bishop),
    Some(PieceType::Rook),
    Some(PieceType::Queen),
];

/// Men on their squares: white ones first, of each colour the pawns first and the king last, like ones by their squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Men {
    all: [(Piece, Square); MOST],
    count: usize,
}

impl Men {
    /// These men, if they are no more than [`MOST`].
    pub(crate) fn of(all: impl IntoIterator<Item = (Piece, Square)>) -> Option<Men> {
        let mut men = Men {
            all: [(Piece::new(Color::White, PieceType::King), Square::A1); MOST],
            count: 0,
        };
        for man in all {
            *men.all.get_mut(men.count)? = man;
            men.count += 1;
        }
        men.sort();
        Some(men)
    }

    pub(crate) fn as_slice(&self) -> &[(Piece, Square)] {
        &self.all[..self.count]
    }

    fn sort(&mut self) {
        let key = |&(piece, square): &(Piece, Square)| {
            let kind = PieceType::Pawn as usize - piece.kind as usize;
            (piece.color as usize, kind, square.index())
        };
        self.all[..self.count].sort_unstable_by_key(key);
    }

    fn remove(&mut self, at: usize) {
        self.all[at..self.count].rotate_left(1);
        self.count -= 1;
    }
}

/// A legal position of up to [`MOST`] men with castling rights, and with the right to capture en passant if a legal move uses it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board {
    men: Men,
    side: Color,
    castling: CastlingRights,
    en_passant: Option<Square>,
    piece_set: PieceSet,
}

/// A legal move, and the board after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LegalMove {
    /// The piece that moves. In castling it is the king.
    pub(crate) piece: PieceType,
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) promotion: Option<PieceType>,
    pub(crate) capture: bool,
    /// Whether it is a capture en passant.
    pub(crate) en_passant: bool,
    pub(crate) after: Board,
}

/// Whether two squares are on one rank, file or diagonal.
fn is_aligned(a: Square, b: Square) -> bool {
    let (files, ranks) = (
        (a.file() as u8).abs_diff(b.file() as u8),
        (a.rank() as u8).abs_diff(b.rank() as u8),
    );
    files == 0 || ranks == 0 || files == ranks
}

impl LegalMove {
    /// Whether it is a capture or a move of a pawn.
    pub(crate) fn zeroing(&self) -> bool {
        self.capture || self.piece == PieceType::Pawn
    }
}

impl Board {
    /// The position in the letters of a piece set, if it is legal with these rights: one king a side that the other side can't
    /// capture, pawns on ranks 2 to 7, king and rook of each castling right in their places, and before the square `en_passant`
    /// a pawn that may just have passed it. A right to capture en passant that no move uses is dropped.
    pub(crate) fn new(
        position: &Position,
        en_passant: Option<Square>,
        castling: CastlingRights,
        piece_set: PieceSet,
    ) -> Option<Board> {
        let board = Board {
            men: Men::of(position.occupied())?,
            side: position.side,
            castling,
            en_passant,
            piece_set,
        };
        let kings = |color| {
            let king = Piece::new(color, PieceType::King);
            board.men().iter().filter(|man| man.0 == king).count()
        };
        let is_legal = Color::ALL.into_iter().all(|color| kings(color) == 1)
            && (board.men().iter()).all(|man| man.0.kind != PieceType::Pawn || !last_rank(man.1))
            && !board.is_check(!board.side)
            && castling.possible(position) == castling
            && !castling.chess960
            && en_passant.is_none_or(|passed| board.may_have_passed(passed));
        is_legal.then(|| board.with_usable_right())
    }

    /// The men, white ones first, of each colour the pawns first and the king last.
    pub(crate) fn men(&self) -> &[(Piece, Square)] {
        self.men.as_slice()
    }

    pub(crate) fn side(&self) -> Color {
        self.side
    }

    pub(crate) fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The square on which a pawn can be captured en passant.
    pub(crate) fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    pub(crate) fn piece_set(&self) -> PieceSet {
        self.piece_set
    }

    /// The pieces that are there.
    pub(crate) fn endgame(&self) -> Endgame {
        let pieces = self.men().iter().map(|man| man.0);
        Endgame {
            material: Material::from_pieces(pieces).expect("one king a side"),
            piece_set: self.piece_set,
        }
    }

    /// The position, in the letters of the piece set.
    pub(crate) fn position(&self) -> Position {
        let mut board = [None; 64];
        for &(piece, square) in self.men() {
            board[square.index()] = Some(piece);
        }
        Position {
            board,
            side: self.side,
        }
    }

    /// The squares of the men of a side.
    fn of(&self, side: Color) -> Bitboard {
        let own = self.men().iter().filter(|man| man.0.color == side);
        own.fold(Bitboard::EMPTY, |set, man| set.with(man.1))
    }

    fn occupied(&self) -> Bitboard {
        let all = self.men().iter();
        all.fold(Bitboard::EMPTY, |set, man| set.with(man.1))
    }

    /// The squares that a man attacks, with these squares occupied.
    #[inline]
    fn attacks(&self, (piece, from): (Piece, Square), occupied: Bitboard) -> Bitboard {
        match self.piece_set.walk(piece.kind) {
            Walk::Chess(kind) => attacks(Piece::new(piece.color, kind), from, occupied),
            Walk::Leaper(leaper) => {
                let forwards = if piece.color == Color::White { 1 } else { -1 };
                let steps = leaper.steps();
                let to = steps.filter_map(|step| from.offset(step.files, forwards * step.ranks));
                to.fold(Bitboard::EMPTY, Bitboard::with)
            }
        }
    }

    /// The men of a side that attack a square, with these squares occupied.
    fn attackers(
        &self,
        side: Color,
        square: Square,
        occupied: Bitboard,
    ) -> impl Iterator<Item = Square> {
        let men = self.men().iter().filter(move |man| man.0.color == side);
        let able = men.filter(move |&&(piece, from)| {
            // No knight and every other man attacks along lines alone: most attacks need not be looked for.
            let may_attack = match self.piece_set.walk(piece.kind) {
                Walk::Chess(kind) => is_aligned(from, square) != (kind == PieceType::Knight),
                Walk::Leaper(_) => true,
            };
            may_attack && self.attacks((piece, from), occupied).contains(square)
        });
        able.map(|man| man.1)
    }

    fn king(&self, side: Color) -> Option<Square> {
        let king = Piece::new(side, PieceType::King);
        let man = self.men().iter().find(|man| man.0 == king)?;
        Some(man.1)
    }

    /// Whether the king of a side is attacked.
    pub(crate) fn is_check(&self, side: Color) -> bool {
        self.king(side).is_some_and(|king| {
            self.attackers(!side, king, self.occupied())
                .next()
                .is_some()
        })
    }

    /// Whether the side to move is in check.
    pub(crate) fn in_check(&self) -> bool {
        self.is_check(self.side)
    }

    /// Whether a pawn of the side that is not to move may just have passed a square: it stands before it, with nothing behind,
    /// and each check is its own or came about as it left its square.
    fn may_have_passed(&self, passed: Square) -> bool {
        let Some([start, to]) = passed_by(passed, !self.side) else {
            return false;
        };
        let pawn = (Piece::new(!self.side, PieceType::Pawn), to);
        let occupied = self.occupied();
        let before = occupied.with(start);
        let explained = self.king(self.side).is_some_and(|king| {
            let mut still = self.attackers(!self.side, king, before);
            still.all(|from| from == to)
        });
        let empty = !occupied.contains(start) && !occupied.contains(passed);
        self.men().contains(&pawn) && empty && explained
    }

    /// The position without a right to capture en passant that no legal move uses.
    fn with_usable_right(self) -> Board {
        let en_passant = (self.en_passant).filter(|_| self.moves().any(|step| step.en_passant));
        Board { en_passant, ..self }
    }

    /// The squares to which a man of the side to move goes, if that does not leave its king in check.
    fn targets(&self, (piece, from): (Piece, Square)) -> Bitboard {
        let (own, occupied) = (self.of(self.side), self.occupied());
        let attacked = self.attacks((piece, from), occupied);
        match piece.kind {
            PieceType::Pawn => {
                let passed = self.en_passant.map_or(Bitboard::EMPTY, Bitboard::from);
                let captures = attacked & ((occupied - own) | passed);
                let ahead = steps_ahead(from, self.side, occupied);
                ahead.fold(captures, |all, (to, _)| all.with(to))
            }
            PieceType::King if !self.castling.is_empty() => {
                (attacked - own) | self.castling_targets(from, occupied)
            }
            _ => attacked - own,
        }
    }

    /// The squares to which the king castles.
    fn castling_targets(&self, king: Square, occupied: Bitboard) -> Bitboard {
        let at = |file| Square::at(file, king.rank());
        let is_free = |file| !occupied.contains(at(file));
        let is_safe = |file| {
            (self.attackers(!self.side, at(file), occupied))
                .next()
                .is_none()
        };
        let side = self.side as usize;
        let mut all = Bitboard::EMPTY;
        let short = [File::F, File::G];
        if self.castling.king_side[side]
            && short.into_iter().all(is_free)
            && [File::E, File::F, File::G].into_iter().all(is_safe)
        {
            all = all.with(at(File::G));
        }
        if self.castling.queen_side[side]
            && [File::B, File::C, File::D].into_iter().all(is_free)
            && [File::E, File::D, File::C].into_iter().all(is_safe)
        {
            all = all.with(at(File::C));
        }
        all
    }

    /// The move of a man of the side to move to one of its [targets](Board::targets), if it is legal.
    fn play(&self, number: usize, to: Square, promotion: Option<PieceType>) -> Option<LegalMove> {
        let (piece, from) = self.men.all[number];
        let mut after = Board {
            side: !self.side,
            en_passant: None,
            ..*self
        };
        let kind = promotion.unwrap_or(piece.kind);
        after.men.all[number] = (Piece::new(self.side, kind), to);
        let en_passant = piece.kind == PieceType::Pawn && self.en_passant == Some(to);
        let captured = match en_passant {
            true => Square::at(to.file(), from.rank()),
            false => to,
        };
        let files = to.file() as i8 - from.file() as i8;
        if piece.kind == PieceType::King && files.abs() == 2 && !self.castling.is_empty() {
            let [corner, beside] = match files > 0 {
                true => [File::H, File::F],
                false => [File::A, File::D],
            };
            let mut rooks = after.men.all[..self.men.count].iter_mut();
            let rook = rooks.find(|man| man.1 == Square::at(corner, from.rank()))?;
            rook.1 = Square::at(beside, from.rank());
        }
        let taken = (self.men().iter())
            .position(|&(other, square)| square == captured && other.color != self.side);
        if let Some(taken) = taken {
            after.men.remove(taken);
        }
        if after.is_check(self.side) {
            return None;
        }
        after.men.sort();
        if !self.castling.is_empty() {
            after.castling = self.castling.possible(&after.position());
        }
        if piece.kind == PieceType::Pawn {
            let mut ahead = steps_ahead(from, self.side, self.occupied());
            after.en_passant = ahead.find(|step| step.0 == to).and_then(|step| step.1);
            after = after.with_usable_right();
        }
        Some(LegalMove {
            piece: piece.kind,
            from,
            to,
            promotion,
            capture: taken.is_some(),
            en_passant,
            after,
        })
    }

    /// The numbers of the men of the side to move.
    fn own(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.men.count).filter(|&number| self.men.all[number].0.color == self.side)
    }

    /// The legal moves of a man of the side to move.
    fn moves_of(&self, number: usize) -> impl Iterator<Item = LegalMove> {
        let man = self.men.all[number];
        self.targets(man).into_iter().flat_map(move |to| {
            let promotes = man.0.kind == PieceType::Pawn && last_rank(to);
            let kinds = if promotes { &PROMOTIONS[..] } else { &[None] };
            let kinds = kinds.iter();
            kinds.filter_map(move |&promotion| self.play(number, to, promotion))
        })
    }

    /// All legal moves: those of pawns first and of the king last, by the squares that they leave and go to.
    pub(crate) fn moves(&self) -> impl Iterator<Item = LegalMove> {
        self.own().flat_map(|number| self.moves_of(number))
    }

    /// Whether there is a legal move.
    pub(crate) fn can_move(&self) -> bool {
        // Moves of kings are found soonest.
        (self.own().rev()).any(|number| self.moves_of(number).next().is_some())
    }

    /// The boards after the captures en passant, and whether there is another legal move.
    pub(crate) fn en_passant_moves(&self) -> (Vec<Board>, bool) {
        let (mut captures, mut others) = (Vec::new(), false);
        if self.en_passant.is_none() {
            return (captures, true);
        }
        for step in self.moves() {
            match step.en_passant {
                true => captures.push(step.after),
                false => others = true,
            }
        }
        (captures, others)
    }
}
