//! Queries: named sets of positions with a side to move, and `and`, `or`, `not` between them.

use std::cmp::Ordering;
use std::str::FromStr;

use tbindex::{Bitboard, Color, Piece, PieceType, Square};

use crate::table::value::Metric;

/// A question to all positions of a table.
///
/// ```
/// use tbgen::Query;
/// let query: Query = "half zugzwang and not (white to move or check)".parse()?;
/// assert_eq!(query.metric(), None);
/// let error = "zugzwang and loose".parse::<Query>().unwrap_err();
/// assert_eq!(error.column, 14);
/// # Ok::<(), tbgen::QueryError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(crate) root: Node,
    metric: Option<Metric>,
}

impl Query {
    /// The metric of the distances in the query, if there are any: the table has to have them.
    #[must_use]
    pub fn metric(&self) -> Option<Metric> {
        self.metric
    }

    /// Whether the query asks for helpmates, or which positions are dead, which takes these.
    #[must_use]
    pub fn asks_for_helpmates(&self) -> bool {
        let asks = |set| matches!(set, Set::Dead | Set::Helpmate(..) | Set::UniqueHelpmate(_));
        self.root.names(&asks)
    }

    /// Whether the query asks where a capture en passant alone keeps the outcome.
    #[must_use]
    pub fn asks_for_en_passant(&self) -> bool {
        self.root.has(Set::OnlyEnPassant)
    }
}

/// Why a text is no query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column} of the query: {message}")]
pub struct QueryError {
    /// The character at which the error is, from 1.
    pub column: usize,
    /// The fault, and the expected text.
    pub message: String,
}

/// A part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
    Set(Set),
}

/// A set with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// A mutual zugzwang, which may cost any points, a full one, or half of one.
    Zugzwang,
    FullZugzwang,
    HalfZugzwang,
    Win,
    Draw,
    Loss,
    Cursed,
    Blessed,
    Mate,
    Stalemate,
    Check,
    OnlyMove,
    OnlyUnderpromotion,
    OnlyEnPassant,
    OnlyKingMove,
    CaptureLoses,
    Dead,
    /// The shortest helpmate of a victim has so many plies.
    Helpmate(Color, Comparison, u16),
    /// It has one solution alone.
    UniqueHelpmate(Color),
    ToMove(Color),
    Distance(Comparison, u16),
    On(Piece, Bitboard),
}

/// How a number of plies may compare with that of the query.
pub(crate) type Comparison = &'static [Ordering];

/// The names of sets that are one word.
const NAMES: [(&str, Set); 15] = [
    ("zugzwang", Set::Zugzwang),
    ("win", Set::Win),
    ("draw", Set::Draw),
    ("loss", Set::Loss),
    ("cursed", Set::Cursed),
    ("blessed", Set::Blessed),
    ("mate", Set::Mate),
    ("stalemate", Set::Stalemate),
    ("check", Set::Check),
    ("only-move", Set::OnlyMove),
    ("only-underpromotion", Set::OnlyUnderpromotion),
    ("only-en-passant", Set::OnlyEnPassant),
    ("only-king-move", Set::OnlyKingMove),
    ("capture-loses", Set::CaptureLoses),
    ("dead", Set::Dead),
];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("=", &[Ordering::Equal]),
    ("!=", &[Ordering::Less, Ordering::Greater]),
    ("<", &[Ordering::Less]),
    ("<=", &[Ordering::Less, Ordering::Equal]),
    (">", &[Ordering::Greater]),
    (">=", &[Ordering::Greater, Ordering::Equal]),
];

/// The words and signs of a text that are left, each with its column.
struct Parser<'a> {
    words: Vec<(usize, &'a str)>,
    at: usize,
    end: usize,
    metric: Option<Metric>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        let kind = |c: char| match c {
            _ if c.is_whitespace() => 0,
            '<' | '>' | '=' | '!' => 1,
            '(' => 2,
            ')' => 3,
            _ => 4,
        };
        let (mut words, mut begin, mut before) = (Vec::new(), 0, 0);
        for (at, kind) in text.char_indices().map(|(at, c)| (at, kind(c))) {
            // Brackets stand alone.
            if kind != before || kind == 2 || kind == 3 {
                words.push((begin, &text[begin..at]));
                (begin, before) = (at, kind);
            }
        }
        words.push((begin, &text[begin..]));
        words.retain(|(_, word)| !word.trim().is_empty());
        for (column, _) in &mut words {
            *column = 1 + text[..*column].chars().count();
        }
        Parser {
            words,
            at: 0,
            end: 1 + text.chars().count(),
            metric: None,
        }
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(|(_, word)| *word)
    }

    /// Takes the next word if it is this one.
    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    /// The error that something else was expected in place of the next word.
    fn expected<T>(&self, what: &str) -> Result<T, QueryError> {
        let (column, found) = match self.words.get(self.at) {
            Some((column, word)) => (*column, format!("{word:?}")),
            None => (self.end, "the end".to_owned()),
        };
        let message = format!("found {found}, expected {what}");
        Err(QueryError { column, message })
    }

    /// Takes the next word, which has to be this one.
    fn need(&mut self, word: &str, what: &str) -> Result<(), QueryError> {
        match self.take(word) {
            true => Ok(()),
            false => self.expected(what),
        }
    }

    fn either(&mut self) -> Result<Node, QueryError> {
        let mut all = self.both()?;
        while self.take("or") {
            all = Node::Or(Box::new(all), Box::new(self.both()?));
        }
        Ok(all)
    }

    fn both(&mut self) -> Result<Node, QueryError> {
        let mut all = self.one()?;
        while self.take("and") {
            all = Node::And(Box::new(all), Box::new(self.one()?));
        }
        Ok(all)
    }

    fn one(&mut self) -> Result<Node, QueryError> {
        if self.take("not") {
            return Ok(Node::Not(Box::new(self.one()?)));
        }
        if self.take("(") {
            let all = self.either()?;
            self.need(")", "and, or, or )")?;
            return Ok(all);
        }
        self.set().map(Node::Set)
    }

    fn set(&mut self) -> Result<Set, QueryError> {
        for (name, set) in [("full", Set::FullZugzwang), ("half", Set::HalfZugzwang)] {
            if self.take(name) {
                self.need("zugzwang", "zugzwang")?;
                return Ok(set);
            }
        }
        for metric in [Metric::Dtz, Metric::Dtm] {
            if self.peek() != Some(metric.name()) {
                continue;
            }
            if self.metric.is_some_and(|other| other != metric) {
                return self.expected("distances of one metric");
            }
            self.at += 1;
            self.metric = Some(metric);
            let (how, plies) = self.comparison()?;
            return Ok(Set::Distance(how, plies));
        }
        for color in Color::ALL {
            if self.take(&color.to_string().to_lowercase()) {
                return self.of_side(color);
            }
        }
        match NAMES.iter().find(|(name, _)| self.take(name)) {
            Some((_, set)) => Ok(*set),
            None => {
                let names = NAMES.map(|(name, _)| name).join(", ");
                self.expected(&format!(
                    "not, (, one of {names}, full or half zugzwang, dtz or dtm, white or black"
                ))
            }
        }
    }

    /// A sign and a number of plies.
    fn comparison(&mut self) -> Result<(Comparison, u16), QueryError> {
        let Some((_, how)) = COMPARISONS.iter().find(|(sign, _)| self.take(sign)) else {
            return self.expected("one of = != < <= > >=");
        };
        let Some(plies) = self.peek().and_then(|word| word.parse().ok()) else {
            return self.expected("a number of plies");
        };
        self.at += 1;
        Ok((*how, plies))
    }

    /// The word after the name of a side.
    fn of_side(&mut self, color: Color) -> Result<Set, QueryError> {
        if self.take("to") {
            self.need("move", "move")?;
            return Ok(Set::ToMove(color));
        }
        if self.take("helpmate") {
            let (how, plies) = self.comparison()?;
            return Ok(Set::Helpmate(color, how, plies));
        }
        if self.take("unique-helpmate") {
            return Ok(Set::UniqueHelpmate(color));
        }
        let names = ["king", "queen", "rook", "bishop", "knight", "pawn"];
        let Some((_, kind)) = (names.iter().zip(PieceType::ALL)).find(|(name, _)| self.take(name))
        else {
            return self.expected(
                "to move, helpmate, unique-helpmate, king, queen, rook, bishop, knight or pawn",
            );
        };
        self.need("on", "on")?;
        let Some(squares) = self.peek().and_then(squares) else {
            return self.expected("squares such as a1-d4 or e4,e5");
        };
        self.at += 1;
        Ok(Set::On(Piece::new(color, kind), squares))
    }
}

/// The squares of a text such as `a1-d4,h8`: rectangles, by two of their corners, and single squares.
fn squares(text: &str) -> Option<Bitboard> {
    let mut all = Bitboard::EMPTY;
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let [from, to]: [Square; 2] = [from.parse().ok()?, to.parse().ok()?];
        let between = |a: usize, b: usize, x: usize| (a.min(b)..=a.max(b)).contains(&x);
        let [from, to] = [from, to].map(Square::index);
        all = Square::all()
            .filter(|square| {
                let at = square.index();
                between(from % 8, to % 8, at % 8) && between(from / 8, to / 8, at / 8)
            })
            .fold(all, |all, square| all | Bitboard::from(square));
    }
    Some(all)
}

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Query, QueryError> {
        let mut parser = Parser::new(text);
        let root = parser.either()?;
        match parser.peek() {
            None => Ok(Query {
                root,
                metric: parser.metric,
            }),
            Some(_) => parser.expected("and, or, or the end"),
        }
    }
}

impl Node {
    /// The number of sets that are combined at most one within the other.
    pub(crate) fn depth(&self) -> u64 {
        match self {
            Node::And(a, b) | Node::Or(a, b) => 1 + a.depth().max(b.depth()),
            Node::Not(a) => 1 + a.depth(),
            Node::Set(_) => 1,
        }
    }

    /// Whether this set is named in the query.
    pub(crate) fn has(&self, set: Set) -> bool {
        self.names(&|other| other == set)
    }

    /// Whether a set that passes a test is named in the query.
    pub(crate) fn names(&self, test: &dyn Fn(Set) -> bool) -> bool {
        match self {
            Node::And(a, b) | Node::Or(a, b) => a.names(test) || b.names(test),
            Node::Not(a) => a.names(test),
            Node::Set(set) => test(*set),
        }
    }
}
