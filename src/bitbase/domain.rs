//! The pieces of positions, and the sizes of sets of these positions.

use std::sync::{Arc, LazyLock, OnceLock};
use std::{fmt, io};

use super::man::{Man, Movement, Walk};
use crate::board::{
    Color, Group, Material, MaterialError, Piece, PieceType, Rank, Square, Symmetry,
};
use crate::index::{KingDistance, KingPairs};

/// The most pieces that a [`Domain`] can have, kings and fixed ones included, and the most of an
/// [order](crate::order::Order).
pub const MOST_PIECES: usize = 8;

/// The pieces of positions, and a number for each of their placements.
///
/// The number of a placement is its [`Slot`](super::Slot); [the module](super#the-number-of-a-position) explains it.
/// There is a slot for every placement, legal or not: men may share squares, with kings and fixed pieces,
/// too, and the king of the side that is not to move may be in check. Free kings may even touch or share a
/// square; in slices kings never do. Like pieces are told apart.
///
/// Pieces may be [*fixed*](super#fixed-pieces-and-pawns) on squares, as pawns always are. The group of symmetries is
/// the largest that leaves all fixed pieces in place and the steps of all leapers as they are: D4, the file mirror or
/// none. The kings can be [*free*](super#free-kings), without symmetries.
///
/// A clone is cheap and shares everything with the original.
///
/// ```
/// use tbindex::bitbase::Domain;
/// use tbindex::{Color, Fen, Group, Piece, PieceType};
/// let domain = Domain::try_new("KQRvK".parse()?, &[])?;
/// assert_eq!((domain.group(), domain.slices(), domain.slice_slots()), (Group::D4, 462, 64 * 64));
/// let fen: Fen = "8/8/8/3k4/8/1R6/8/K6Q w - - 0 1".parse()?;
/// let slot = domain.slot(&fen.position)?;
/// let back = domain.position(slot, Color::White)?.expect("the pieces are on different squares");
/// assert_eq!(domain.slot(&back)?, slot);
///
/// let pawn = (Piece::new(Color::White, PieceType::Pawn), "e6".parse()?);
/// let pawns = Domain::try_new("KRPvKR".parse()?, &[pawn])?;
/// assert_eq!((pawns.group(), pawns.slices()), (Group::Trivial, 3612));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Domain(pub(super) Arc<DomainParts>);

pub(super) struct DomainParts {
    pub(super) men: Arc<[Man]>,
    pub(super) movements: Arc<[Movement]>,
    pub(super) fixed: Vec<(Piece, Square)>,
    /// The kings' pairs of squares, or `None` if the kings are the first two men.
    pub(super) kings: Option<&'static KingPairs>,
    /// The material, if all men are pieces of chess.
    material: Option<Material>,
    everywhere: Arc<Everywhere>,
}

/// Notes that every row of a slice may have positions, of rows and of slabs.
type Everywhere = OnceLock<(Vec<u8>, Vec<u64>)>;

impl DomainParts {
    /// Notes of rows and of slabs, that every one may have positions.
    pub(super) fn everywhere(&self) -> (&[u8], &[u64]) {
        let (rows, slabs) = self.everywhere.get_or_init(|| {
            let slabs = 1 << (6 * self.men.len().saturating_sub(2));
            let group = if slabs == 1 { 1 } else { !0 };
            // With less than two men, only one row is in use.
            let rows = if self.men.len() < 2 { 1 } else { 0xff };
            (vec![rows; slabs], vec![group; slabs.div_ceil(64)])
        });
        (rows, slabs)
    }
}

/// The pairs of kings under a group. There is one of each for all domains.
fn king_pairs_of(group: Group) -> &'static KingPairs {
    static ALL: [LazyLock<KingPairs>; 3] = [
        LazyLock::new(|| KingPairs::new(Group::Trivial, KingDistance::Apart)),
        LazyLock::new(|| KingPairs::new(Group::FileMirror, KingDistance::Apart)),
        LazyLock::new(|| KingPairs::new(Group::D4, KingDistance::Apart)),
    ];
    &ALL[group as usize]
}

/// The error that there is no domain of some pieces, that a position has no slot in a domain, or that a set can't be
/// converted to another domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// There are more pieces than [`MOST_PIECES`].
    #[error("{0} pieces are too many: bitbases have at most 8, kings included")]
    Pieces(usize),
    /// A side has not exactly one king.
    #[error("{0} does not have exactly one king on each side")]
    Kings(Material),
    /// A man is a king or a pawn. Kings are not listed, not even if they are to be
    /// [free](Domain::with_free_kings).
    #[error("a {0} is not listed with the men: kings are always there, and pawns have to be fixed")]
    NotFree(PieceType),
    /// A pawn of the material is not fixed.
    #[error("a pawn of {0} has no square: pawns have to be fixed")]
    Pawn(Material),
    /// A fixed piece is a king, or more pieces of a kind are fixed than the material has.
    #[error("a {} {} can't be fixed: {why}", .piece.color, .piece.kind)]
    Fixed {
        /// The piece.
        piece: Piece,
        /// The reason.
        why: &'static str,
    },
    /// Two fixed pieces share a square.
    #[error("two fixed pieces are on {0}")]
    Shared(Square),
    /// A pawn is fixed on the first or the last rank.
    #[error("a pawn can't be on {0}")]
    PawnRank(Square),
    /// A group has symmetries that move fixed pieces or change the steps of leapers.
    #[error("the positions are not symmetric under the group {}", .0.name())]
    Group(Group),
    /// There are leapers among the men, so there is no material and there are no positions of chess.
    #[error("leapers have no material")]
    Leapers,
    /// The pieces of a position are no material.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// A position has other pieces than the domain.
    #[error("the position has the material {found}, and {expected} was expected")]
    OtherMaterial {
        /// The domain's material.
        expected: Material,
        /// The position's material.
        found: Material,
    },
    /// The kings of a position touch.
    #[error("the kings on {} and {} touch", .0[0], .0[1])]
    Touching([Square; 2]),
    /// A position does not have a fixed piece on its square.
    #[error("there is no {} {} on {}", .0.color, .0.kind, .1)]
    NotThere(Piece, Square),
    /// Two domains have different pieces, or the pieces that are fixed in the set's domain are not fixed on the same
    /// squares in the other, nor all on the mirrored ones.
    #[error("the two domains do not have the same pieces")]
    OtherPieces,
    /// There is no memory, for the reason that the system gives.
    #[error("no memory for a set of positions: {0}")]
    Memory(io::ErrorKind),
}

impl From<io::Error> for DomainError {
    /// The error that there is no memory for a set.
    fn from(error: io::Error) -> DomainError {
        DomainError::Memory(error.kind())
    }
}

impl Domain {
    /// The domain of a material of which some pieces, among them all pawns, are fixed on squares.
    ///
    /// The men are in the order queens, rooks, bishops, knights, white before black. The module's page says
    /// [the cost of an order](super#the-order-of-the-men).
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::{Color, Group, Piece, PieceType};
    /// let error = Domain::try_new("KPvK".parse()?, &[]).unwrap_err();
    /// assert_eq!(error.to_string(), "a pawn of KPvK has no square: pawns have to be fixed");
    /// // Like rooks on mirrored squares leave the mirror of the files.
    /// let rook = Piece::new(Color::White, PieceType::Rook);
    /// let rooks = [(rook, "a1".parse()?), (rook, "h1".parse()?)];
    /// assert_eq!(Domain::try_new("KRRvKQ".parse()?, &rooks)?.group(), Group::FileMirror);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a pawn is not fixed, there are more than [`MOST_PIECES`] pieces or not exactly one king a side, or
    /// a fixed piece is a king, is not in the material, shares its square with another, or is a pawn on the
    /// first or the last rank.
    pub fn try_new(material: Material, fixed: &[(Piece, Square)]) -> Result<Domain, DomainError> {
        let king = |color| material.count(Piece::new(color, PieceType::King));
        if Color::ALL.into_iter().any(|color| king(color) != 1) {
            return Err(DomainError::Kings(material));
        }
        let mut free: Vec<Piece> = material
            .name_order()
            .filter(|piece| piece.kind != PieceType::King)
            .collect();
        for &(piece, _) in fixed {
            let at = free.iter().position(|&other| other == piece);
            let why = "the material has no more of them";
            free.remove(at.ok_or(DomainError::Fixed { piece, why })?);
        }
        if free.iter().any(|piece| piece.kind == PieceType::Pawn) {
            return Err(DomainError::Pawn(material));
        }
        free.sort_unstable_by_key(|piece| (piece.kind, piece.color));
        let men: Vec<Man> = free.into_iter().map(Man::from).collect();
        Domain::of_men(&men, fixed)
    }

    /// The domain of the same pieces with free kings: the white king is the first man, the black king the
    /// second, and the others follow in their order. It has one slice, number 0, and no symmetries, so its group
    /// is trivial.
    ///
    /// A set has 64ᵐ slots for m men, the two kings included. Slots in which the kings touch are illegal with
    /// either side to move, and [`slot_of_squares`](Domain::slot_of_squares) never returns them.
    ///
    /// With pawns and no more than one other piece this takes far less memory than 3612 slices, each of at least 512
    /// bytes: 512 bytes instead of 1806 KiB for pawns alone, 32 KiB for one piece. With two pieces both take about
    /// 2 MiB; with three it takes 128 MiB instead of 113.
    ///
    /// [`Bitbase::convert`](super::Bitbase::convert) takes sets from slices to free kings and back.
    ///
    /// ```
    /// use tbindex::bitbase::Domain;
    /// use tbindex::{Color, Piece, PieceType};
    /// let pawn = (Piece::new(Color::White, PieceType::Pawn), "e6".parse()?);
    /// let domain = Domain::try_new("KPvK".parse()?, &[pawn])?;
    /// let free = domain.with_free_kings();
    /// assert_eq!((free.slices(), free.slice_slots(), free.men().len()), (1, 4096, 2));
    /// assert_eq!((domain.bytes(), free.bytes()), (1_849_344, 512));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_free_kings(&self) -> Domain {
        if self.has_free_kings() {
            return self.clone();
        }
        let kings = Color::ALL.map(|color| Man::from(Piece::new(color, PieceType::King)));
        let men: Vec<Man> = kings.iter().chain(self.men()).copied().collect();
        Domain::of_parts(&men, self.fixed().to_vec(), None)
    }

    /// The domain of the same men with other fixed pieces in place of all fixed ones. If the kings are free, they
    /// stay so; otherwise the group is the largest that is possible, and no larger than it was.
    ///
    /// This is cheap, because domains of the same men share their tables. A generator makes the domains of all
    /// placements of pawns from one.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::{Color, Piece, PieceType};
    /// let pawn = |square: &str| [(Piece::new(Color::White, PieceType::Pawn), square.parse().unwrap())];
    /// let on_e2 = Domain::try_new("KPvKR".parse()?, &pawn("e2"))?;
    /// let on_e4 = on_e2.with_others_fixed(&pawn("e4"))?;
    /// assert!(on_e2 != on_e4 && on_e2.men() == on_e4.men());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are more than [`MOST_PIECES`] pieces, a fixed piece is a king, two of them share a square, or a
    /// pawn is on the first or the last rank.
    pub fn with_others_fixed(&self, fixed: &[(Piece, Square)]) -> Result<Domain, DomainError> {
        check_fixed(
            fixed,
            self.men().len() + if self.has_free_kings() { 0 } else { 2 },
        )?;
        let group = self.group_of_slices();
        let group = group.map(|group| group.min(largest_group(self.men(), fixed)));
        Ok(Domain(Arc::new(DomainParts {
            men: Arc::clone(&self.0.men),
            movements: Arc::clone(&self.0.movements),
            kings: group.map(king_pairs_of),
            material: material_of(&self.0.men, fixed),
            fixed: fixed.to_vec(),
            everywhere: Arc::clone(&self.0.everywhere),
        })))
    }

    /// The domain of two kings, free men in this order, and fixed pieces. The men may be leapers. The kings have
    /// slices; [`with_free_kings`](Domain::with_free_kings) frees them.
    ///
    /// ```
    /// use tbindex::bitbase::{Domain, Man, Walk};
    /// use tbindex::Step;
    /// use tbindex::{Color, Group, Leaper};
    /// // King and gold general against king.
    /// let steps = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1)];
    /// let gold: Leaper = steps.into_iter().map(|(x, y)| Step::new(x, y)).collect();
    /// let domain = Domain::of_men(&[Man { walk: Walk::Leaper(gold), color: Color::White }], &[])?;
    /// assert_eq!((domain.group(), domain.slices()), (Group::FileMirror, 1806));
    /// assert_eq!(domain.material(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a man is a king or a pawn, there are more than [`MOST_PIECES`] pieces with the kings, a fixed piece
    /// is a king, two of them share a square, or a pawn is on the first or the last rank.
    pub fn of_men(men: &[Man], fixed: &[(Piece, Square)]) -> Result<Domain, DomainError> {
        for man in men {
            if let Walk::Chess(kind @ (PieceType::King | PieceType::Pawn)) = man.walk {
                return Err(DomainError::NotFree(kind));
            }
        }
        check_fixed(fixed, 2 + men.len())?;
        let group = largest_group(men, fixed);
        Ok(Domain::of_parts(men, fixed.to_vec(), Some(group)))
    }

    /// The domain of men, with the kings in slices under a group or, without one, among the men.
    pub(super) fn of_parts(
        men: &[Man],
        fixed: Vec<(Piece, Square)>,
        group: Option<Group>,
    ) -> Domain {
        Domain(Arc::new(DomainParts {
            movements: men.iter().map(|&man| Movement::of(man)).collect(),
            men: men.into(),
            kings: group.map(king_pairs_of),
            material: material_of(men, &fixed),
            fixed,
            everywhere: Arc::default(),
        }))
    }

    /// The group of the slices, or `None` if the kings are free.
    pub(super) fn group_of_slices(&self) -> Option<Group> {
        self.king_pairs().map(KingPairs::group)
    }

    /// The domain of the same pieces under another group, at most the largest that is possible.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::Group;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let slices = Group::ALL.map(|group| domain.in_group(group).unwrap().slices());
    /// assert_eq!(slices, [3612, 1806, 462]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the group moves fixed pieces or changes the steps of leapers, or if it is not the trivial one and the
    /// kings are free.
    pub fn in_group(&self, group: Group) -> Result<Domain, DomainError> {
        let largest = if self.has_free_kings() {
            Group::Trivial
        } else {
            largest_group(self.men(), self.fixed())
        };
        if group > largest {
            return Err(DomainError::Group(group));
        }
        let group = (!self.has_free_kings()).then_some(group);
        Ok(Domain::of_parts(self.men(), self.fixed().to_vec(), group))
    }

    /// The free pieces. Their squares are the digits of an offset, the first man's the highest. If the kings are
    /// free, they are the first two men, white's first; otherwise they are not among the men.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// let domain = Domain::try_new("KRNvKQ".parse()?, &[])?;
    /// let men: Vec<String> = domain.men().iter().map(|man| man.to_string()).collect();
    /// assert_eq!(men, ["black queen", "white rook", "white knight"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn men(&self) -> &[Man] {
        &self.0.men
    }

    /// Whether the kings are [free](Domain::with_free_kings), and so the first two men.
    pub(super) fn has_free_kings(&self) -> bool {
        self.0.kings.is_none()
    }

    /// The men but for the kings.
    pub(super) fn others(&self) -> &[Man] {
        &self.men()[if self.has_free_kings() { 2 } else { 0 }..]
    }

    /// The fixed pieces and their squares.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::{Color, Piece, PieceType};
    /// let pawn = (Piece::new(Color::White, PieceType::Pawn), "e6".parse()?);
    /// assert_eq!(Domain::try_new("KRPvK".parse()?, &[pawn])?.fixed(), [pawn]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fixed(&self) -> &[(Piece, Square)] {
        &self.0.fixed
    }

    /// The group of symmetries, under which the kings' squares are reduced; trivial if the kings are free.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::Group;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// assert_eq!(domain.group(), Group::D4);
    /// assert_eq!(domain.with_free_kings().group(), Group::Trivial);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn group(&self) -> Group {
        self.group_of_slices().unwrap_or(Group::Trivial)
    }

    /// The pairs of the kings' squares, or `None` if the kings are free. The number of a pair is that of its
    /// slice.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let pairs = domain.king_pairs().expect("slices");
    /// assert_eq!(pairs.all()[461].map(|square| square.to_string()), ["d4", "h8"]);
    /// assert!(domain.with_free_kings().king_pairs().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn king_pairs(&self) -> Option<&'static KingPairs> {
        self.0.kings
    }

    /// The material, with fixed pieces, or `None` if there are leapers.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::{Color, Piece, PieceType};
    /// let pawn = (Piece::new(Color::White, PieceType::Pawn), "e6".parse()?);
    /// let material = Domain::try_new("KRPvK".parse()?, &[pawn])?.material();
    /// assert_eq!(material.map(|material| material.to_string()).as_deref(), Some("KRPvK"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn material(&self) -> Option<Material> {
        self.0.material
    }

    /// The number of slices: 462 under D4, 1806 under the file mirror, 3612 without symmetries, and 1 if the
    /// kings are free.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::{Color, Piece, PieceType};
    /// // A queen in a corner leaves no symmetry that the group may have.
    /// let queen = (Piece::new(Color::White, PieceType::Queen), "a1".parse()?);
    /// assert_eq!(Domain::try_new("KQRvK".parse()?, &[queen])?.slices(), 3612);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn slices(&self) -> usize {
        self.king_pairs().map_or(1, |pairs| pairs.all().len())
    }

    /// The number of slabs of a slice, 64ᵐ⁻² for m men: 1 with two men or fewer.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// assert_eq!(Domain::try_new("KQRvKR".parse()?, &[])?.slabs(), 64);
    /// assert_eq!(Domain::try_new("KRvK".parse()?, &[])?.slabs(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn slabs(&self) -> usize {
        1 << (6 * self.men().len().saturating_sub(2))
    }

    /// The number of rows of a slice, eight for each slab. With one man only the first word of a slice is in
    /// use, and without men only the first bit of that word.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// assert_eq!(Domain::try_new("KQRvKR".parse()?, &[])?.rows(), 512);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> usize {
        8 * self.slabs()
    }

    /// The number of slots of a slice, 64ᵐ for m men.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// let domain = Domain::try_new("KQRvKR".parse()?, &[])?;
    /// assert_eq!(domain.slice_slots(), 512 * domain.rows() as u64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn slice_slots(&self) -> u64 {
        1 << (6 * self.men().len())
    }

    /// The number of rows of a set.
    pub(super) fn all_rows(&self) -> io::Result<usize> {
        let rows = self.slices().checked_mul(self.rows());
        rows.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
    }

    /// Whether these are the parts of this domain, or the same ones.
    pub(super) fn has_parts(&self, parts: &DomainParts) -> bool {
        let kings = |parts: &DomainParts| parts.kings.map(std::ptr::from_ref);
        std::ptr::eq(&*self.0, parts)
            || (&self.0.men, &self.0.fixed, kings(&self.0))
                == (&parts.men, &parts.fixed, kings(parts))
    }

    /// The number of bytes of a [`Bitbase`](super::Bitbase) of the domain.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// assert_eq!(Domain::try_new("KQRvKRB".parse()?, &[])?.bytes(), 968_884_224);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.slices() as u64 * self.rows() as u64 * 64
    }

    /// Whether a slice has a slot for every position and another for its mirror image along the diagonal
    /// a1–h8, its *twin*. That is so under D4 if both kings are on that diagonal. A position whose men are on
    /// it, too, is its own twin.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// assert_eq!((0..462).filter(|&slice| domain.has_twins(slice)).count(), 21);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn has_twins(&self, slice: usize) -> bool {
        self.group() == Group::D4
            && (self.king_pairs()).is_some_and(|pairs| slice >= pairs.diagonal_from())
    }
}

/// The material of kings, men and fixed pieces, or `None` if there are leapers. Kings among the men count once.
fn material_of(men: &[Man], fixed: &[(Piece, Square)]) -> Option<Material> {
    let kings = Color::ALL.map(|color| Some(Piece::new(color, PieceType::King)));
    let men = men.iter().filter(|man| !man.is_king());
    let pieces: Option<Vec<Piece>> = kings
        .into_iter()
        .chain(men.map(|man| man.piece()))
        .chain(fixed.iter().map(|&(piece, _)| Some(piece)))
        .collect();
    Material::from_pieces(pieces?).ok()
}

/// Whether these pieces can be fixed beside so many free ones, kings included.
fn check_fixed(fixed: &[(Piece, Square)], free: usize) -> Result<(), DomainError> {
    let count = free + fixed.len();
    if count > MOST_PIECES {
        return Err(DomainError::Pieces(count));
    }
    for (k, &(piece, square)) in fixed.iter().enumerate() {
        if piece.kind == PieceType::King {
            let why = "the kings have slices of their own, or are free";
            return Err(DomainError::Fixed { piece, why });
        }
        if fixed[..k].iter().any(|&(_, other)| other == square) {
            return Err(DomainError::Shared(square));
        }
        if piece.kind == PieceType::Pawn && matches!(square.rank(), Rank::First | Rank::Eighth) {
            return Err(DomainError::PawnRank(square));
        }
    }
    Ok(())
}

/// The largest group that leaves the steps of leapers as they are and the fixed pieces in place; it may
/// exchange like ones.
fn largest_group(men: &[Man], fixed: &[(Piece, Square)]) -> Group {
    let keeps = |symmetry: Symmetry| {
        fixed
            .iter()
            .all(|&(piece, square)| fixed.contains(&(piece, symmetry.apply(square))))
            && men.iter().all(|man| match man.walk {
                Walk::Leaper(leaper) => leaper.image(symmetry) == leaper,
                Walk::Chess(_) => true,
            })
    };
    let pawns = fixed.iter().any(|(piece, _)| piece.kind == PieceType::Pawn);
    let largest = if pawns { Group::FileMirror } else { Group::D4 };
    Group::ALL
        .into_iter()
        .rev()
        .filter(|&group| group <= largest)
        .find(|group| group.members().iter().all(|&symmetry| keeps(symmetry)))
        .unwrap_or(Group::Trivial)
}

/// Domains are equal if the same slots stand for the same positions, and the fixed pieces have the same places.
impl PartialEq for Domain {
    #[inline]
    fn eq(&self, other: &Domain) -> bool {
        self.has_parts(&other.0)
    }
}

impl Eq for Domain {}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Domain")
            .field("men", &self.men())
            .field("fixed", &self.fixed())
            .field("group", &self.group())
            .finish()
    }
}
