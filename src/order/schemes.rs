//! The orders of the schemes of dense numbers and of the domains of [`bitbase`](crate::bitbase).

use super::exact::{Exact, ExactScheme};
use super::numbering::{Description, Digit, Leading, Order, OrderError, Set, SetOrder};
use super::squares::MOST_PIECES;
use crate::bitbase::{Domain, Man};
use crate::board::{Bitboard, Color, Group, Material, Piece, PieceType, Square};
use crate::index::{
    Compact, Dense, Diagonal, Kings, Layout, Numbering, Orbit, Rules, Sliced, Triangle,
};

/// A scheme of [dense numbers](crate::Dense).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// [`Orbit`].
    Orbit,
    /// [`Triangle`].
    Triangle,
    /// [`Kings`].
    Kings,
    /// [`Compact`] under these rules.
    Compact(Rules, Diagonal),
}

impl Order {
    /// The order of a domain's slots, slice after slice: slice · [`slice_slots`](Domain::slice_slots) + offset.
    ///
    /// Its men are the white king, the black king and the domain's other men in their order. Fixed pieces have no
    /// squares to number.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::order::Order;
    /// let order = Order::of_domain(&Domain::try_new("KRBvK".parse()?, &[])?);
    /// assert_eq!(order.size(), 462 * 64 * 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the domain has more slots than a signed word of 64 bits can number, which no memory holds.
    #[must_use]
    pub fn of_domain(domain: &Domain) -> Order {
        let king = |color| Man::from(Piece::new(color, PieceType::King));
        let pairs = domain.king_pairs();
        let leading = Leading {
            men: pairs.map_or(Vec::new(), |_| Color::ALL.map(king).to_vec()),
            placements: match pairs {
                Some(pairs) => pairs.all().iter().map(|pair| pair.to_vec()).collect(),
                None => vec![Vec::new()],
            },
            group: domain.group(),
        };
        let digits: Vec<Digit> = domain.men().iter().map(|&man| anywhere(man)).collect();
        let places: Vec<usize> = (0..=digits.len()).collect();
        Order::try_new(&leading, &digits, &places, false).expect("a domain's sizes fit")
    }

    /// The order of the slots of a material's positions under a scheme.
    ///
    /// ```
    /// use tbindex::{Diagonal, Rules};
    /// use tbindex::order::{Order, Scheme};
    /// let order = Order::of_scheme("KRRvK".parse()?, Scheme::Compact(Rules::KingsApart, Diagonal::Exact))?;
    /// assert_eq!(order.size(), 854_238);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the material has too many pieces.
    pub fn of_scheme(material: Material, scheme: Scheme) -> Result<Order, OrderError> {
        let pieces = material.piece_count();
        if pieces > MOST_PIECES {
            return Err(OrderError::Pieces(pieces));
        }
        let (natural, group) = (Numbering::Natural, material.group());
        let layout = Layout::<u64>::new(pieces, natural);
        let alternate = layout.with_numbering(Numbering::Alternate);
        match scheme {
            Scheme::Triangle => led_by(material, &Triangle::new(layout, group)),
            Scheme::Kings => led_by(material, &Kings::new(layout, group)),
            Scheme::Orbit => orbit(material, Orbit::new(alternate, group)),
            Scheme::Compact(rules, diagonal) => {
                let scheme = Compact::try_new(material, natural, rules, diagonal)?;
                compact(material, rules, diagonal, scheme)
            }
        }
    }
}

fn anywhere(man: Man) -> Digit {
    Digit {
        man,
        count: 1,
        squares: Bitboard::ALL,
        sets: SetOrder::Lexicographic,
    }
}

/// The men of a material in the order of its index, the leading one first.
fn from_leading(material: Material) -> Vec<Man> {
    let mut men: Vec<Man> = material.index_order().map(Man::from).collect();
    men.reverse();
    men
}

fn led_by(material: Material, scheme: &impl Sliced<u64>) -> Result<Order, OrderError> {
    let men = from_leading(material);
    let placements = (0..scheme.slice_count()).map(|id| scheme.leading_squares(id).to_vec());
    let placements: Vec<Vec<Square>> = placements.collect();
    let (leading, others) = men.split_at(placements.first().map_or(0, Vec::len));
    let leading = Leading {
        men: leading.to_vec(),
        placements,
        group: material.group(),
    };
    let digits: Vec<Digit> = others.iter().map(|&man| anywhere(man)).collect();
    let places: Vec<usize> = (0..=digits.len()).collect();
    Order::try_new(&leading, &digits, &places, false)
}

fn compact(
    material: Material,
    rules: Rules,
    diagonal: Diagonal,
    scheme: Compact<u64>,
) -> Result<Order, OrderError> {
    let index: Vec<Man> = material.index_order().map(Man::from).collect();
    let mut numbers = [0; MOST_PIECES];
    (numbers[0], numbers[1]) = (index.len() - 1, index.len() - 2);
    let mut first = 2;
    let (mut sets, mut constants) = (Vec::new(), [0; 3]);
    for digit in scheme.digits() {
        let classes = digit
            .places
            .map(|(squares, weight)| (squares, weight as i64));
        let repeated = rules.shares() && digit.count > 1;
        let zone = (first, digit.count, digit.zone.0);
        let (set, own) = Set::new(zone, SetOrder::Lexicographic, repeated, &classes);
        for (constant, own) in constants.iter_mut().zip(own) {
            *constant += own;
        }
        for k in 0..digit.count {
            numbers[first + k] = digit.low + k;
        }
        first += digit.count;
        sets.push(set);
    }
    let ids = 0..scheme.slice_count();
    let placements: Vec<Vec<Square>> = (ids.clone())
        .map(|id| scheme.leading_squares(id).to_vec())
        .collect();
    let classes: Vec<u8> = (ids.clone()).map(|id| scheme.class(id) as u8).collect();
    let starts = ids.map(|id| scheme.slice(id).start as i64 + constants[usize::from(classes[id])]);
    let group = material.group();
    let exact = group == Group::D4 && diagonal == Diagonal::Exact;
    let parts = Description {
        men: numbers[..index.len()]
            .iter()
            .map(|&number| index[number])
            .collect(),
        starts: starts.collect(),
        classes: classes.clone(),
        sets,
        leaves_out: !rules.shares(),
        size: scheme.size(),
        exact: exact.then(|| Exact {
            tied_from: scheme.diagonal_from(),
            layout: scheme.layout(),
            scheme: ExactScheme::Compact(Box::new(scheme)),
            numbers,
        }),
    };
    Order::of_parts(parts, &placements, group.members())
}

fn orbit(material: Material, scheme: Orbit<u64>) -> Result<Order, OrderError> {
    let men = from_leading(material);
    let layout = scheme.layout();
    let pieces = men.len();
    let half = 3 * pieces as u32;
    let group = material.group();
    // The bits that the leading piece lacks.
    let dropped = match group {
        Group::Trivial => 0,
        Group::FileMirror => 1,
        Group::D4 => 3,
    };
    let share = |square: u8, piece: u32| {
        let code = i64::from(Numbering::Alternate.code(Square::new(square)));
        (code & 7) << (3 * piece) | (code >> 3) << (half + 3 * piece - dropped)
    };
    let sets: Vec<Set> = (1..pieces)
        .map(|first| {
            let piece = (pieces - 1 - first) as u32;
            Set {
                first,
                count: 1,
                zone: !0,
                repeated: false,
                terms: vec![std::array::from_fn(|square| share(square as u8, piece))],
                weights: vec![1 << (3 * piece)],
                fastest: 0,
                scattered: true,
            }
        })
        .collect();
    // The squares that the leading piece of a slot can have, those on the diagonal last.
    let mut leads: Vec<Square> = Vec::new();
    let with_lead = |square: Square| {
        let mut squares = vec![Square::A1; pieces];
        squares[pieces - 1] = square;
        scheme
            .rank(layout.encode(&squares))
            .expect("all squares have slots")
    };
    for square in Square::all() {
        let own = layout.square(scheme.unrank(with_lead(square)), pieces - 1);
        if !leads.contains(&own) {
            leads.push(own);
        }
    }
    let ties = |square: &Square| group == Group::D4 && square.file() as u8 == square.rank() as u8;
    leads.sort_by_key(ties);
    let tied_from = leads.iter().filter(|square| !ties(square)).count();
    let others: i64 = sets.iter().map(|set| set.terms[0][0]).sum();
    let starts = leads.iter().map(|&square| match ties(&square) {
        false => with_lead(square) as i64 - others,
        true => {
            let code = i64::from(Numbering::Alternate.code(square));
            (code >> 3) << (half + 3 * (pieces as u32 - 1) - dropped)
        }
    });
    let mut numbers = [0; MOST_PIECES];
    for (k, number) in numbers[..pieces].iter_mut().enumerate() {
        *number = pieces - 1 - k;
    }
    let parts = Description {
        men,
        starts: starts.collect(),
        classes: vec![0; leads.len()],
        sets,
        leaves_out: false,
        size: scheme.size(),
        exact: (group == Group::D4).then_some(Exact {
            scheme: ExactScheme::Orbit(scheme),
            tied_from,
            layout,
            numbers,
        }),
    };
    let placements: Vec<Vec<Square>> = leads.into_iter().map(|square| vec![square]).collect();
    Order::of_parts(parts, &placements, group.members())
}
