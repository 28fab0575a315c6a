//! Laws of every dense numbering, for tests and fuzz targets.

use std::fmt;

use tbindex::batch::{Backend, BatchWord, DenseBatch, OutOfRange};
use tbindex::{
    Bitboard, Color, Compact, Dense, Diagonal, Equivalence, Group, KingDistance, Kings, Layout,
    LikePieces, Material, Numbering, Orbit, Piece, PieceType, Rank, Rules, Square, Triangle, Word,
};

use crate::support::kings::king_distance;

/// The promise of a scheme, in words that a test can check.
pub struct Promise<'a, W> {
    /// The positions that count as the same.
    pub same: &'a Equivalence<W>,
    /// Whether every class has exactly one slot.
    pub exact: bool,
    /// Which positions have one.
    pub room: &'a dyn Fn(&[Square]) -> bool,
}

impl<W: Word> fmt::Debug for Promise<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Promise")
            .field("same", self.same)
            .field("exact", &self.exact)
            .finish_non_exhaustive()
    }
}

/// Slot → position → slot.
pub fn slot_comes_back<W: Word>(scheme: &impl Dense<W>, slot: W) {
    let index = scheme.unrank(slot);
    assert!(scheme.layout().is_valid(index));
    assert_eq!(scheme.rank(index), Some(slot), "{index:#o}");
}

/// Position → slot → position: it has a slot if there is room for it, the slot's position is an
/// equivalent, and where the scheme is exact, equivalents share the slot.
pub fn position_comes_back<W: Word>(scheme: &impl Dense<W>, promise: &Promise<'_, W>, index: W) {
    let layout = scheme.layout();
    let squares: Vec<Square> = layout.decode(index).collect();
    let slot = scheme.rank(index);
    assert_eq!(slot.is_some(), (promise.room)(&squares), "{squares:?}");
    let Some(slot) = slot else { return };
    assert!(slot < scheme.size());
    let same = promise.same;
    let canonical = same.canonical(index);
    assert_eq!(same.canonical(scheme.unrank(slot)), canonical, "{index:#o}");
    match scheme.rank(canonical) {
        Some(other) if other == slot => {}
        other => {
            assert!(!promise.exact, "{index:#o} and {canonical:#o} differ");
            assert_eq!(other, scheme.twin(slot));
        }
    }
}

/// Twins are mutual, of one class, and absent where the scheme is exact; weights count the class.
pub fn twins_share_their_class<W: Word>(scheme: &impl Dense<W>, promise: &Promise<'_, W>, slot: W) {
    let same = promise.same;
    let index = scheme.unrank(slot);
    let slots = match scheme.twin(slot) {
        None => 1,
        Some(twin) => {
            assert!(!promise.exact && twin != slot);
            assert_eq!(scheme.twin(twin), Some(slot));
            let other = scheme.unrank(twin);
            assert_eq!(same.canonical(other), same.canonical(index));
            2
        }
    };
    let orders = orders_of_like_pieces(same, index);
    let class = same.class_size(index);
    assert_eq!(u128::from(scheme.weight(slot)) * slots * orders, class);
}

/// In how many orders the like pieces of a position can be put: the factor between positions and
/// indices.
pub fn orders_of_like_pieces<W: Word>(same: &Equivalence<W>, index: W) -> u128 {
    let layout = same.layout();
    let mut orders = 1;
    for &set in same.like().sets() {
        let mut seen = [0; 64];
        for (before, k) in (0..layout.pieces())
            .filter(|k| set >> k & 1 != 0)
            .enumerate()
        {
            let alike = &mut seen[layout.square(index, k).index()];
            *alike += 1;
            orders = orders * (before as u128 + 1) / *alike;
        }
    }
    orders
}

/// Batches of any length do what single calls do, with every backend.
pub fn batches_agree_with_single_calls<W: BatchWord>(scheme: &impl DenseBatch<W>, indices: &[W]) {
    let expected: Vec<W> = indices
        .iter()
        .map(|&index| scheme.rank(index).unwrap_or(W::NO_SLOT))
        .collect();
    let mut found = expected.clone();
    found.retain(|&slot| slot != W::NO_SLOT);
    let unranked: Vec<W> = found.iter().map(|&slot| scheme.unrank(slot)).collect();
    for backend in Backend::available() {
        let mut slots = vec![W::ZERO; indices.len()];
        backend.rank_into(scheme, indices, &mut slots);
        assert_eq!(slots, expected, "{backend}");
        let mut back = vec![W::ZERO; found.len()];
        assert_eq!(backend.unrank_into(scheme, &found, &mut back), Ok(()));
        assert_eq!(back, unranked, "{backend}");
        let mut words = indices.to_vec();
        backend.rank_in_place(scheme, &mut words);
        assert_eq!(words, expected, "{backend}");
        words.clone_from(&found);
        assert_eq!(backend.unrank_in_place(scheme, &mut words), Ok(()));
        assert_eq!(words, unranked, "{backend}");
    }
    number_that_is_no_slot_is_refused(scheme, &found);
}

/// Among slots, the first number that is none is reported by its place, and nothing is written.
fn number_that_is_no_slot_is_refused<W: BatchWord>(scheme: &impl DenseBatch<W>, slots: &[W]) {
    let size: u128 = scheme.size().into();
    for position in [0, slots.len() / 2, slots.len()] {
        let mut slots = slots.to_vec();
        slots.insert(position, scheme.size());
        slots.push(!W::ZERO);
        let expected = OutOfRange::Slot {
            position,
            found: size as u64,
            size: size as u64,
        };
        let before = slots.clone();
        let mut indices = vec![W::ONE; slots.len()];
        for backend in Backend::available() {
            let error = backend.unrank_in_place(scheme, &mut slots);
            assert_eq!(error, Err(expected), "{backend}");
            assert_eq!(slots, before, "{backend}");
            let error = backend.unrank_into(scheme, &slots, &mut indices);
            assert_eq!(error, Err(expected), "{backend}");
            assert!(indices.iter().all(|&index| index == W::ONE), "{backend}");
        }
    }
}

/// Whether the two kings, which lead, are far enough from each other.
pub fn kings_admitted(distance: KingDistance, squares: &[Square]) -> bool {
    let [.., black, white] = squares else {
        return true;
    };
    match distance {
        KingDistance::Any => true,
        KingDistance::Distinct => white != black,
        KingDistance::Apart => king_distance(*white, *black) > 1,
    }
}

/// Whether the rules and the board have room for a material's position, given by the pieces' squares.
pub fn room(material: Material, rules: Rules) -> impl Fn(&[Square]) -> bool + use<> {
    let pieces: Vec<Piece> = material.index_order().collect();
    move |squares| {
        let pawns = pieces.iter().zip(squares);
        let (kings, shared) = match rules {
            Rules::All => (KingDistance::Any, true),
            Rules::Distinct => (KingDistance::Distinct, false),
            Rules::KingsApart => (KingDistance::Apart, false),
            Rules::KingsApartShared => (KingDistance::Apart, true),
        };
        kings_admitted(kings, squares)
            && (shared
                || squares.iter().copied().collect::<Bitboard>().len() as usize == squares.len())
            && pawns
                .filter(|(piece, _)| piece.kind == PieceType::Pawn)
                .all(|(_, square)| !matches!(square.rank(), Rank::First | Rank::Eighth))
    }
}

/// The rules of every kind of room.
pub const RULES: [Rules; 4] = [
    Rules::All,
    Rules::Distinct,
    Rules::KingsApart,
    Rules::KingsApartShared,
];

/// All laws of single positions for every scheme, for a material and a position that any bytes describe:
/// how many pieces, what they are, where they stand.
pub fn laws_of_bytes(bytes: &[u8]) {
    let Some((&[count, rules], rest)) = bytes.split_first_chunk() else {
        return;
    };
    let others = usize::from(count % 9);
    let Some((kinds, rest)) = rest.split_at_checked(others) else {
        return;
    };
    let pieces = kinds.iter().map(|&byte| {
        let kind = PieceType::ALL[1 + usize::from(byte >> 1) % 5];
        Piece::new(Color::ALL[usize::from(byte & 1)], kind)
    });
    let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
    let material = Material::from_pieces(kings.into_iter().chain(pieces)).expect("two kings");
    let n = material.piece_count();
    let Some(squares) = rest.get(..n) else { return };
    let squares: Vec<Square> = squares.iter().map(|&s| Square::new(s & 63)).collect();

    let diagonal = [Diagonal::Exact, Diagonal::Both][usize::from(rules >> 2 & 1)];
    let rules = RULES[usize::from(rules & 3)];
    let group = material.group();
    let room = room(material, rules);
    let apart = |squares: &[Square]| kings_admitted(KingDistance::Apart, squares);
    for numbering in Numbering::ALL {
        let layout = Layout::<u64>::new(n, numbering);
        let index = layout.encode(&squares);
        let same = Equivalence::try_new(material, numbering).expect("ten pieces");
        let promise = Promise {
            same: &same,
            exact: diagonal == Diagonal::Exact || material.has_pawns(),
            room: &room,
        };
        let compact = Compact::try_new(material, numbering, rules, diagonal).expect("ten pieces");
        position_laws(&compact, &promise, index);

        let same = Equivalence::new(layout, group, LikePieces::default());
        let promise = Promise {
            same: &same,
            exact: group != Group::D4,
            room: &apart,
        };
        position_laws(&Kings::new(layout, group), &promise, index);
        let promise = Promise {
            room: &|_| true,
            ..promise
        };
        position_laws(&Triangle::new(layout, group), &promise, index);
        let promise = Promise {
            exact: true,
            ..promise
        };
        position_laws(&Orbit::new(layout, group), &promise, index);
    }
}

/// The laws of one position.
fn position_laws<W: BatchWord>(scheme: &impl DenseBatch<W>, promise: &Promise<'_, W>, index: W) {
    position_comes_back(scheme, promise, index);
    batches_agree_with_single_calls(scheme, &[index; 3]);
    let Some(slot) = scheme.rank(index) else {
        return;
    };
    slot_comes_back(scheme, slot);
    twins_share_their_class(scheme, promise, slot);
}
