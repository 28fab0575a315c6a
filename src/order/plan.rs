//! The plan by which a table moves from one order to another: whose squares are chosen in turn, and whose make tiles.

use std::ops::Range;

use super::numbering::{Order, OrderError};
use super::squares::{MOST_PIECES, Squares};
use crate::debug::debug_by;

/// The plan by which a table moves from one order to another of the same men.
///
/// Each slot of the target gets the entry that the source has for its position. The position of a slot is what the slot was
/// made for: with like men in ascending order of their squares where they are
/// combined, and not its mirror image. So if the source has several slots for a position, because like men are told apart
/// there or its leading men are on the diagonal, the target gets the entry of *one* of them, and it does not matter which if
/// they agree, as they do in any table of values. If the target has several slots for a position, all get its entry.
///
/// ```
/// use tbindex::batch::Backend;
/// use tbindex::bitbase::Domain;
/// use tbindex::order::{Order, Reindexing, Scheme};
/// use tbindex::{Diagonal, Rules, Square};
/// let domain = Domain::try_new("KRRvK".parse()?, &[])?;
/// let from = Order::of_domain(&domain);
/// let to = Order::of_scheme("KRRvK".parse()?, Scheme::Compact(Rules::KingsApart, Diagonal::Exact))?;
/// let source: Vec<u8> = (0..from.size()).map(|slot| (slot >> 12) as u8).collect();
/// let mut target = vec![0; to.size() as usize];
/// Reindexing::try_new(&from, &to)?.range_into(&source, 0, 0, &mut target, Backend::detect());
/// let squares: Vec<Square> = ["b1", "d5", "a4", "h8"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
/// let slots = [&from, &to].map(|order| order.slot(&squares).expect("a legal position") as usize);
/// assert_eq!(target[slots[1]], source[slots[0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Reindexing<'a> {
    pub(super) from: &'a Order,
    pub(super) to: &'a Order,
    /// The number in `from` of each piece of `to`.
    pub(super) source: [usize; MOST_PIECES],
    /// The piece along whose squares slots of the target follow each other, by its number in `to`, and that
    /// of the source; if they are one, the second is any other.
    pub(super) along: usize,
    pub(super) across: usize,
    /// Whether rows of the source run along `along`, too.
    pub(super) same_run: bool,
    /// The words of the piece whose squares make rows of the source, and of that of the target.
    pub(super) words: [Option<Words>; 2],
    /// The squares of each piece in the order in which they are chosen: by the slots of a side that scatters their bits.
    pub(super) squares: [[u8; 64]; MOST_PIECES],
    /// Whether `across` is one of like pieces of a digit of the target.
    pub(super) has_order: bool,
    /// The order in which squares of the other pieces are chosen, those of the highest weight first.
    pub(super) choices: Vec<Choice>,
    /// For each of the choices the least and the greatest share that it and those after it have, the two pieces' included.
    pub(super) rest: Vec<(i64, i64)>,
    /// The placements of the leading men, grouped by the squares of those whose squares are chosen by them.
    pub(super) groups: Vec<(Squares, Range<i64>, usize)>,
}

/// The choice of squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The term of the leading pieces.
    Leading,
    /// The term of one piece.
    Piece(usize),
}

/// A man's squares by their slots, if the bits of a square are scattered there: eight words of eight slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// How far each word is from the slot of a1.
    pub(super) at: [i64; 8],
    /// The least and the greatest of them.
    pub(super) ends: [i64; 2],
    /// The squares by their places in the words, and the place of each square.
    pub(super) squares: [u8; 64],
    pub(super) codes: [u8; 64],
}

impl<'a> Reindexing<'a> {
    /// The plan for a move from one order to another.
    ///
    /// ```
    /// # use tbindex::order::{Order, Reindexing, Scheme};
    /// let rook = Order::of_scheme("KRvK".parse()?, Scheme::Kings)?;
    /// let queen = Order::of_scheme("KQvK".parse()?, Scheme::Kings)?;
    /// let error = Reindexing::try_new(&rook, &queen).unwrap_err();
    /// assert!(error.to_string().starts_with("the orders have different men: white king, black king, white rook"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the orders have different men.
    pub fn try_new(from: &'a Order, to: &'a Order) -> Result<Reindexing<'a>, OrderError> {
        let names = |order: &Order| {
            let mut men = order.men().to_vec();
            men.sort_unstable();
            men.iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let pieces = to.men.len();
        let [fast_from, fast_to] = [from, to].map(Order::fastest_piece);
        // Like men that count fastest on both sides are one.
        let mut source = [usize::MAX; MOST_PIECES];
        if from.men[fast_from] == to.men[fast_to] {
            source[fast_to] = fast_from;
        }
        let mut same = from.men.len() == pieces;
        for piece in 0..pieces {
            if source[piece] == usize::MAX {
                let free = |k: &usize| from.men[*k] == to.men[piece] && !source.contains(k);
                let free = (0..from.men.len()).find(free);
                same &= free.is_some();
                source[piece] = free.unwrap_or(0);
            }
        }
        if !same {
            let (from, to) = (names(from), names(to));
            return Err(OrderError::OtherMen { from, to });
        }
        let along = fast_to;
        // The squares of a man who leads in the target are far from each other there, so another one makes tiles, if there
        // is one whose squares are beside each other in the source.
        let beside = |piece: &usize| from.weight(source[*piece]) < i64::MAX;
        let others = (to.leading..pieces).filter(beside);
        let of_source = others
            .min_by_key(|&piece| from.weight(source[piece]))
            .or_else(|| (0..pieces).find(|&piece| source[piece] == fast_from))
            .unwrap_or(along);
        // Squares of like leading men are not chosen one by one.
        let single = |piece: usize| {
            let leading = &to.men[..to.leading];
            piece >= to.leading || leading.iter().filter(|&&man| man == to.men[piece]).count() == 1
        };
        let same_run = of_source == along || !single(of_source);
        let across = if same_run {
            let others = (0..pieces).filter(|&piece| piece != along && single(piece));
            let key = |&piece: &usize| {
                (
                    piece < to.leading,
                    source[piece] < from.leading,
                    to.weight(piece),
                )
            };
            others.min_by_key(key).unwrap_or(along)
        } else {
            of_source
        };
        let mut choices: Vec<(i64, Choice)> = (to.leading..pieces)
            .filter(|&piece| piece != along && piece != across)
            .map(|piece| (to.weight(piece), Choice::Piece(piece)))
            .collect();
        let mut starts = to.starts.clone();
        starts.sort_unstable();
        let steps = starts.windows(2).map(|pair| pair[1] - pair[0]);
        let step = steps.min().filter(|_| to.exact.is_none());
        choices.push((step.unwrap_or(i64::MAX), Choice::Leading));
        choices.sort_by_key(|&(weight, _)| std::cmp::Reverse(weight));
        let choices: Vec<Choice> = choices.into_iter().map(|(_, choice)| choice).collect();
        let squares = |piece: usize| {
            let of_target = to.by_slots(piece);
            let of_any = of_target.or_else(|| from.by_slots(*source.get(piece)?));
            of_any.unwrap_or(std::array::from_fn(|square| square as u8))
        };
        let mut reindexing = Reindexing {
            from,
            to,
            source,
            along,
            across,
            same_run,
            words: [
                from.words(source[if same_run { along } else { across }]),
                to.words(along),
            ],
            squares: std::array::from_fn(squares),
            has_order: to
                .sets
                .get(usize::from(to.set_of[across]))
                .is_some_and(|set| set.count > 1),
            rest: Vec::new(),
            groups: to.placements_without([along, across]),
            choices,
        };
        reindexing.rest = (0..=reindexing.choices.len())
            .map(|k| reindexing.shares_from(k))
            .collect();
        Ok(reindexing)
    }

    /// Whether a piece is in ascending order with the like pieces of its set that were chosen before.
    #[inline(always)]
    pub(super) fn is_in_order(&self, squares: &Squares, piece: usize, depth: usize) -> bool {
        let to = self.to;
        let set = &to.sets[usize::from(to.set_of[piece])];
        self.choices[..depth].iter().all(|choice| match *choice {
            Choice::Piece(other) if set.pieces().contains(&other) => {
                let (low, high) = (piece.min(other), piece.max(other));
                let (low, high) = (squares[low], squares[high]);
                low < high || set.repeated && low == high
            }
            _ => true,
        })
    }

    /// The squares by the source's pieces.
    #[inline(always)]
    pub(super) fn squares_of_source(&self, squares: &Squares) -> Squares {
        let mut own = Squares::default();
        for (&square, &piece) in squares.iter().zip(&self.source[..self.from.men.len()]) {
            own[piece & 7] = square;
        }
        own
    }

    /// The man whose squares make rows of the source, and the other one of a tile, by their numbers in the source.
    #[inline(always)]
    pub(super) fn rows_of_source(&self) -> [usize; 2] {
        let rows = match self.same_run {
            true => [self.along, self.across],
            false => [self.across, self.along],
        };
        rows.map(|piece| self.source[piece])
    }

    /// How far the slots of a tile are from each other. A task with fewer slots would read all of a tile for a part of it.
    #[cfg(feature = "rayon")]
    pub(super) fn tile_span(&self) -> usize {
        let span = self.to.weight(self.across).saturating_mul(64);
        usize::try_from(span).unwrap_or(usize::MAX)
    }

    /// The least and the greatest share of the choices from one on, and of the two pieces of a tile.
    fn shares_from(&self, choice: usize) -> (i64, i64) {
        let mut pieces: Vec<usize> = vec![self.along];
        if self.across != self.along {
            pieces.push(self.across);
        }
        let mut shares = (0, 0);
        for choice in &self.choices[choice..] {
            match *choice {
                Choice::Piece(piece) => pieces.push(piece),
                Choice::Leading => {
                    let starts = || self.groups.iter().map(|(_, starts, _)| starts);
                    shares.0 += starts().map(|starts| starts.start).min().unwrap_or(0);
                    shares.1 += starts().map(|starts| starts.end).max().unwrap_or(0);
                }
            }
        }
        for piece in pieces {
            if piece >= self.to.leading {
                let terms = self.to.terms_of(piece).flatten();
                shares.0 += terms.clone().copied().min().unwrap_or(0);
                shares.1 += terms.copied().max().unwrap_or(0);
            }
        }
        shares
    }
}

impl Order {
    /// How much a piece's square counts, the leading pieces most.
    fn weight(&self, piece: usize) -> i64 {
        match self.sets.get(usize::from(self.set_of[piece])) {
            // Of like pieces, the one that counts fastest counts as the digit does.
            Some(set) if piece - set.first == set.fastest => set.weights[0],
            Some(set) => set.weights[0].saturating_mul(32),
            None => i64::MAX,
        }
    }

    /// The squares of a piece by their slots, if their bits are scattered.
    fn by_slots(&self, piece: usize) -> Option<[u8; 64]> {
        let set = self.sets.get(usize::from(*self.set_of.get(piece)?));
        let set = set.filter(|set| set.scattered)?;
        let mut squares = std::array::from_fn(|square| square as u8);
        squares.sort_unstable_by_key(|&square| set.terms[0][usize::from(square)]);
        Some(squares)
    }

    /// The words of a piece, if eight slots at a time follow each other.
    fn words(&self, piece: usize) -> Option<Words> {
        let squares = self.by_slots(piece)?;
        let terms = &self.sets[usize::from(self.set_of[piece])].terms[0];
        let slots = squares.map(|square| terms[usize::from(square)]);
        let follow = |word: &[i64]| word.iter().zip(word[0]..).all(|(&slot, next)| slot == next);
        let mut codes = [0; 64];
        for (code, &square) in (0..).zip(&squares) {
            codes[usize::from(square)] = code;
        }
        slots.chunks(8).all(follow).then_some(Words {
            at: std::array::from_fn(|word| slots[8 * word] - terms[0]),
            ends: [slots[0], slots[56]].map(|slot| slot - terms[0]),
            squares,
            codes,
        })
    }

    /// The piece for whose squares slots follow each other, not a leading one if there are others.
    fn fastest_piece(&self) -> usize {
        let pieces = (0..self.men.len()).rev();
        pieces.min_by_key(|&piece| self.weight(piece)).unwrap_or(0)
    }

    /// The rows of terms of a piece, if like pieces are in ascending order.
    fn terms_of(&self, piece: usize) -> impl Iterator<Item = &[i64; 64]> + Clone {
        let set = &self.sets[usize::from(self.set_of[piece])];
        set.terms.iter().skip(piece - set.first).step_by(set.count)
    }

    /// The placements of the leading pieces, as groups that differ only in the squares of some pieces; of each group the
    /// least start and the greatest, and a number of the placements.
    fn placements_without(&self, pieces: [usize; 2]) -> Vec<(Squares, Range<i64>, usize)> {
        let mut all: Vec<(Squares, i64, usize)> =
            (self.placements.iter().zip(&self.starts).enumerate())
                .map(|(number, (&squares, &start))| {
                    let mut squares = squares;
                    for piece in pieces.into_iter().filter(|&piece| piece < self.leading) {
                        squares[piece] = 0;
                    }
                    (squares, start, number)
                })
                .collect();
        all.sort_unstable();
        let same = all.chunk_by(|a, b| a.0 == b.0);
        let mut groups: Vec<_> = same
            .map(|group| (group[0].0, group[0].1..group[group.len() - 1].1, group[0].2))
            .collect();
        groups.sort_unstable_by_key(|group| group.1.start);
        groups
    }
}

debug_by!([] Reindexing<'_>: from, to);
