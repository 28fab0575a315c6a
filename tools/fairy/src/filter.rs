//! Conditions that pick pieces out of all 2²⁴.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::ops::Range;
use std::str::FromStr;

use tbindex::Leaper;
use tbindex::fairy::{Classifier, FREE_ATOMS, Lattice, MASKS, NotationError, PieceFacts, Verdict};

use crate::MatingPower;

/// A list of conditions, all of which a piece must meet.
///
/// It is written as words with commas between them. A `!` before a word negates it:
///
/// | word | is met by pieces that are |
/// |---|---|
/// | `free`, `bound` | free, or not, on the plane |
/// | `confined` | held by a half-plane |
/// | `colourbound` | bound to the squares of one colour of two or more, or of infinitely many |
/// | `degenerate` | of lattice rank 0 or 1 |
/// | `connected`, `disconnected` | connected, or not, on the board |
/// | `masked` | within a published mask |
/// | `mask=NAME` | within this published mask, such as `mask=no-left` |
/// | `atom=NAME` | containing this published free atom: `wazir`, `crab`, `Y` |
/// | `colouring=NAME` | bound to exactly this colouring, such as `colouring=pinwheel-1` |
/// | `moves<=4` | of at most 4 moves; also `<`, `=`, `!=`, `>=`, `>` |
/// | `rank=2`, `index=8` | of this lattice rank, this lattice index, compared likewise |
/// | `mates` | able to give mate: king and piece have a checkmate against the king |
/// | `mates>=100` | of at least 100 checkmates |
/// | `wins` | winners from everywhere: White to move wins every legal position |
/// | `wins>50%`, `wins>=190000` | winners of more than half, or at least 190 000, of the legal positions |
/// | `longest>=200` | of a longest mate of at least 200 plies, 0 if none can be forced |
///
/// The last five are conditions on [mates](super::MatingPower), which take a solution of the piece.
///
/// ```
/// use tbindex::fairy::{Classifier, Grid};
/// use tbindex_fairy::Filter;
/// let classifier = Classifier::new(Grid::CHESS);
/// let filter: Filter = "free,moves<=3".parse()?;
/// assert_eq!(filter.pieces(&classifier).count(), 224);
/// let trapped: Filter = "free,disconnected,moves<=3".parse()?;
/// assert_eq!(trapped.pieces(&classifier).count(), 120);
/// # Ok::<(), tbindex::fairy::NotationError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter(Vec<Condition>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    expected: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Free,
    Confined,
    Colourbound,
    Degenerate,
    Connected,
    Masked,
    Mask(Leaper),
    Atom(Leaper),
    Colouring(Lattice),
    CanMate,
    WinsEverywhere,
    /// A number that compares with this one in one of these ways.
    Number(Quantity, &'static [Ordering], u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Moves,
    Rank,
    /// No comparison with an infinite index is met.
    Index,
    /// The last ones take the solution of the piece.
    Mates,
    Wins,
    /// In percent.
    WinsShare,
    Longest,
}

/// The signs of comparisons, longer ones before their beginnings.
const SIGNS: [(&str, &[Ordering]); 7] = [
    ("<=", &[Less, Equal]),
    (">=", &[Greater, Equal]),
    ("!=", &[Less, Greater]),
    ("==", &[Equal]),
    ("<", &[Less]),
    (">", &[Greater]),
    ("=", &[Equal]),
];

impl Filter {
    /// Whether a piece with these facts meets the conditions. Conditions on mates count if the mating power is
    /// given.
    #[must_use]
    pub fn accepts(&self, piece: Leaper, facts: &PieceFacts, power: Option<&MatingPower>) -> bool {
        let Filter(conditions) = self;
        conditions.iter().all(|condition| {
            let met = condition.test.is_met(piece, facts, power);
            met.is_none_or(|met| met == condition.expected)
        })
    }

    /// Whether there is a condition on mates.
    #[must_use]
    pub fn asks_for_mates(&self) -> bool {
        let Filter(conditions) = self;
        let (piece, facts) = (Leaper::EMPTY, PieceFacts::default());
        let mut tests = conditions.iter().map(|condition| &condition.test);
        tests.any(|test| test.is_met(piece, &facts, None).is_none())
    }

    /// All pieces that meet the conditions, except conditions on mates, in the order of their numbers, with the facts.
    pub fn pieces<'a>(
        &'a self,
        classifier: &'a Classifier,
    ) -> impl Iterator<Item = (Leaper, PieceFacts)> + 'a {
        const RUN: usize = 1 << 12;
        (0..Leaper::COUNT).step_by(RUN).flat_map(move |start| {
            let run: Range<u32> = start..start + RUN as u32;
            let pieces: Vec<Leaper> = run.map(Leaper::new).collect();
            let mut facts = vec![PieceFacts::default(); RUN];
            classifier.classify_into(&pieces, &mut facts);
            let both = pieces.into_iter().zip(facts);
            both.filter(|(piece, facts)| self.accepts(*piece, facts, None))
        })
    }
}

/// The filter with the conditions of all filters.
impl FromIterator<Filter> for Filter {
    fn from_iter<I: IntoIterator<Item = Filter>>(filters: I) -> Filter {
        Filter(filters.into_iter().flat_map(|filter| filter.0).collect())
    }
}

impl Test {
    /// Whether the piece meets the condition, or `None` if it is one on mates and the mating power is not known.
    fn is_met(
        &self,
        piece: Leaper,
        facts: &PieceFacts,
        power: Option<&MatingPower>,
    ) -> Option<bool> {
        Some(match *self {
            Test::Free => facts.free,
            Test::Confined => facts.half_plane,
            Test::Colourbound => facts.lattice_index != Some(1),
            Test::Degenerate => facts.lattice_rank < 2,
            Test::Connected => facts.board_connected,
            Test::Masked => facts.masks != 0,
            Test::Mask(mask) => piece & mask == piece,
            Test::Atom(atom) => atom & piece == atom,
            Test::Colouring(colouring) => {
                // The index is known already, and settles most cases.
                facts.lattice_index == colouring.index() && Verdict::of(piece).lattice == colouring
            }
            Test::CanMate => power?.mates > 0,
            Test::WinsEverywhere => power?.wins_everywhere(),
            Test::Number(quantity, orderings, number) => {
                let number = u64::from(number);
                let (found, number) = match quantity {
                    Quantity::Moves => (facts.moves.into(), number),
                    Quantity::Rank => (facts.lattice_rank.into(), number),
                    Quantity::Index => match facts.lattice_index {
                        Some(index) => (index.into(), number),
                        None => return Some(false),
                    },
                    Quantity::Mates => (power?.mates.into(), number),
                    Quantity::Wins => (power?.wins_white.into(), number),
                    Quantity::WinsShare => {
                        let power = power?;
                        let wins = 100 * u64::from(power.wins_white);
                        (wins, number * u64::from(power.legal_white))
                    }
                    Quantity::Longest => (power?.longest.into(), number),
                };
                orderings.contains(&found.cmp(&number))
            }
        })
    }
}

impl FromStr for Filter {
    type Err = NotationError;

    /// Reads conditions with commas between them; blanks around them don't matter.
    fn from_str(text: &str) -> Result<Filter, NotationError> {
        let mut conditions = Vec::new();
        let mut at = 0;
        for part in text.split(',') {
            let word = part.trim();
            let start = at + part.len() - part.trim_start().len();
            let condition = condition(word);
            let error = |(offset, problem)| NotationError::new(text, start + offset, problem);
            conditions.push(condition.map_err(error)?);
            at += part.len() + 1;
        }
        Ok(Filter(conditions))
    }
}

/// Reads one condition. The error has the offset of the fault, and the message about it.
fn condition(word: &str) -> Result<Condition, (usize, String)> {
    let plain = word.trim_start_matches('!').trim_start();
    let offset = word.len() - plain.len();
    let turned = word[..offset].matches('!').count() % 2 == 1;
    let condition = |met: bool, test| Condition {
        expected: met != turned,
        test,
    };
    let (met, not_met) = (|test| condition(true, test), |test| condition(false, test));
    let end = plain
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(plain.len());
    let (name, rest) = plain.split_at(end);
    let rest = rest.trim_start();
    let unknown = || {
        let problem = format!(
            "{plain:?} is not a condition: expected free, bound, confined, degenerate, connected, \
             disconnected, masked, mask=NAME, atom=NAME, colouring=NAME, mates, wins, or moves, rank, \
             index, mates, wins or longest compared with a number, such as moves<=4"
        );
        (offset, problem)
    };
    if rest.is_empty() {
        return Ok(match name {
            "free" => met(Test::Free),
            "bound" => not_met(Test::Free),
            "confined" => met(Test::Confined),
            "colourbound" | "colorbound" => met(Test::Colourbound),
            "degenerate" => met(Test::Degenerate),
            "connected" => met(Test::Connected),
            "disconnected" => not_met(Test::Connected),
            "masked" => met(Test::Masked),
            "mates" => met(Test::CanMate),
            "wins" => met(Test::WinsEverywhere),
            _ => return Err(unknown()),
        });
    }
    let sign = SIGNS.into_iter().find(|(sign, _)| rest.starts_with(sign));
    let (sign, orderings) = sign.ok_or_else(unknown)?;
    let value = rest[sign.len()..].trim_start();
    let value_at = word.len() - value.len();
    let named = |test: Option<Test>, names: &[&str]| match (test, orderings) {
        (Some(test), [Equal]) => Ok(met(test)),
        (Some(test), [Less, Greater]) => Ok(not_met(test)),
        (Some(_), _) => {
            let problem = format!("{name} has names, not numbers: expected {name}=NAME");
            Err((word.len() - rest.len(), problem))
        }
        (None, _) => {
            let names = names.join(", ");
            let problem = format!("no such name, {value:?}: expected one of {names}");
            Err((value_at, problem))
        }
    };
    let mut digits = value;
    let quantity = match name {
        "moves" => Quantity::Moves,
        "rank" => Quantity::Rank,
        "index" => Quantity::Index,
        "mates" => Quantity::Mates,
        "wins" if value.ends_with('%') => {
            digits = value.trim_end_matches('%').trim_end();
            Quantity::WinsShare
        }
        "wins" => Quantity::Wins,
        "longest" => Quantity::Longest,
        "mask" => {
            let test = find(&MASKS, value).map(Test::Mask);
            return named(test, &MASKS.map(|(name, _)| name));
        }
        "atom" => {
            let test = find(&FREE_ATOMS, value).map(Test::Atom);
            return named(test, &FREE_ATOMS.map(|(name, _)| name));
        }
        "colouring" | "coloring" => {
            let test = find(&Lattice::NAMED, value).map(Test::Colouring);
            return named(test, &Lattice::NAMED.map(|(name, _)| name));
        }
        _ => return Err(unknown()),
    };
    let Ok(number) = digits.parse::<u32>() else {
        let problem = format!("{value:?} is not a number to compare {name} with");
        return Err((value_at, problem));
    };
    if quantity == Quantity::WinsShare && number > 100 {
        let problem = format!("{value:?} is no share: expected 0% to 100%");
        return Err((value_at, problem));
    }
    Ok(met(Test::Number(quantity, orderings, number)))
}

/// Finds what has this name, in letters of either case and with spaces, hyphens or underscores between words.
fn find<T: Copy>(named: &[(&str, T)], name: &str) -> Option<T> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], " ");
    let found = named.iter().find(|(own, _)| plain(own) == plain(name));
    found.map(|&(_, found)| found)
}
