//! Values of positions, and what their distances count.

use std::fmt;

use tbindex::Color;

pub use syzygy_tables::Wdl as Outcome;

/// All outcomes, the best for the side to move first.
pub(crate) const BEST_FIRST: [Outcome; 5] = [
    Outcome::Win,
    Outcome::CursedWin,
    Outcome::Draw,
    Outcome::BlessedLoss,
    Outcome::Loss,
];

/// The metric of a value's distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// The plies to the next capture, move of a pawn, or mate, under the fifty-move rule.
    #[default]
    Dtz,
    /// The plies to mate, without the fifty-move rule.
    Dtm,
    /// The plies until White is checkmated, if both sides help.
    HelpWhite,
    /// The plies until Black is checkmated, if both sides help.
    HelpBlack,
}

impl Metric {
    /// All metrics, in the order of their numbers in files.
    pub const ALL: [Metric; 4] = [
        Metric::Dtz,
        Metric::Dtm,
        Metric::HelpWhite,
        Metric::HelpBlack,
    ];

    /// The metric of helpmates in which a side is checkmated.
    #[must_use]
    pub const fn help(victim: Color) -> Metric {
        [Metric::HelpWhite, Metric::HelpBlack][victim as usize]
    }

    /// The side that is checkmated in helpmates, if this is a metric of them.
    #[must_use]
    pub const fn victim(self) -> Option<Color> {
        match self {
            Metric::Dtz | Metric::Dtm => None,
            Metric::HelpWhite => Some(Color::White),
            Metric::HelpBlack => Some(Color::Black),
        }
    }

    /// The metrics of the smaller tables that one by this metric is solved from: of helpmates, those of both victims, as colours
    /// may be exchanged in a smaller table.
    #[must_use]
    pub const fn of_smaller(self) -> &'static [Metric] {
        match self {
            Metric::Dtz => &[Metric::Dtz],
            Metric::Dtm => &[Metric::Dtm],
            Metric::HelpWhite | Metric::HelpBlack => &[Metric::HelpWhite, Metric::HelpBlack],
        }
    }

    /// The extension of a table file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        ["tbg", "tbm", "tbhw", "tbhb"][self as usize]
    }

    /// The extension of a packed file's name: by the distance to zeroing there are none.
    #[must_use]
    pub const fn packed_extension(self) -> Option<&'static str> {
        [None, Some("tbmp"), Some("tbwp"), Some("tbbp")][self as usize]
    }

    /// The metric of tables in which the colours are exchanged.
    pub(crate) fn exchanged(self) -> Metric {
        self.victim().map_or(self, |victim| Metric::help(!victim))
    }

    /// The name: `dtz`, `dtm`, `help-white` or `help-black`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["dtz", "dtm", "help-white", "help-black"][self as usize]
    }

    /// A position won in that many plies.
    #[must_use]
    pub const fn win(self, plies: u16) -> Value {
        let outcome = match (self, plies) {
            (Metric::Dtz, 101..) => Outcome::CursedWin,
            _ => Outcome::Win,
        };
        Value { outcome, plies }
    }

    /// A position lost in that many plies.
    #[must_use]
    pub const fn loss(self, plies: u16) -> Value {
        let outcome = match (self, plies) {
            (Metric::Dtz, 101..) => Outcome::BlessedLoss,
            _ => Outcome::Loss,
        };
        Value { outcome, plies }
    }

    /// The worth of a move for the side that makes it, if it leads to a position with this value for the other
    /// side. A *zeroing* move is a capture or a move of a pawn; the distance to mate does not ask. Of helpmates, it is the
    /// same for both sides, and a ply longer.
    #[must_use]
    pub const fn after_move(self, value: Value, zeroing: bool) -> Value {
        let counted = !zeroing || matches!(self, Metric::Dtm);
        match (value.outcome, counted) {
            (Outcome::Draw, _) => Value::DRAW,
            _ if self.victim().is_some() => Value::help(value.plies + 1, value.is_unique()),
            (Outcome::Loss, false) => Value::win(1),
            (Outcome::BlessedLoss, false) => Value::win(101),
            (Outcome::Loss | Outcome::BlessedLoss, true) => self.win(value.plies + 1),
            (Outcome::Win, false) => Value::loss(1),
            (Outcome::CursedWin, false) => Value::loss(101),
            (Outcome::Win | Outcome::CursedWin, true) => self.loss(value.plies + 1),
        }
    }

    /// The better of two moves for the side to move; of helpmates the shorter one, and if both are as short, there are several.
    pub(crate) fn better(self, one: Value, other: Value) -> Value {
        match (self.victim(), one, other) {
            (None, ..) => one.better(other),
            (_, value, Value::DRAW) | (_, Value::DRAW, value) => value,
            _ if one.plies == other.plies => Value::help(one.plies, false),
            _ if one.plies < other.plies => one,
            _ => other,
        }
    }

    /// The value of a position by the worths of all its moves.
    pub(crate) fn of_moves<E>(
        self,
        side: Color,
        in_check: bool,
        worths: impl IntoIterator<Item = Result<Value, E>>,
    ) -> Result<Value, E> {
        let best = worths
            .into_iter()
            .reduce(|best, worth| Ok(self.better(best?, worth?)));
        best.unwrap_or_else(|| {
            Ok(match self.victim() {
                None if in_check => self.loss(0),
                Some(victim) if in_check && victim == side => Value::help(0, true),
                _ => Value::DRAW,
            })
        })
    }

    /// A value as errors have it.
    pub(crate) fn text(self, value: Value) -> String {
        match (self.victim(), value, value.is_unique()) {
            (None, ..) => value.to_string(),
            (_, Value::DRAW, _) => "no helpmate".to_owned(),
            (.., true) => format!("helpmate in {} plies with one solution", value.plies),
            (.., false) => format!("helpmate in {} plies with several", value.plies),
        }
    }
}

/// The value of a position for the side to move.
///
/// By the distance to zeroing, [`Metric::Dtz`]:
/// the distance is the number of plies to the next *zeroing* move, which is a capture or a move of a pawn, or to
/// mate, when the winner hurries and the loser delays, and neither gives away the outcome. It is 1 if the winner
/// can at once mate or zero into a position lost for the other side, and 0 if the side to move is checkmated.
/// Above 100 the fifty-move rule interferes, and the win is cursed. A zeroing move into a cursed win counts as
/// 101.
///
/// By the distance to mate, [`Metric::Dtm`], it is the number of plies to mate, whatever moves lead there, and no
/// win is cursed.
///
/// By helpmates, [`Metric::HelpWhite`] and [`Metric::HelpBlack`], it is the least number of plies to a checkmate of that
/// side, and the outcome is a draw if there is none. Otherwise it is a win if exactly one sequence of so many moves leads
/// to any, and a loss if there are several: [`Value::is_unique`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value {
    /// The outcome.
    pub outcome: Outcome,
    /// The plies to the next zeroing move or mate, or 0 for a draw.
    pub plies: u16,
}

impl Value {
    /// The most plies of a value. The longest known way to mate has 1098.
    pub const MOST_PLIES: u16 = 0x7fff;

    /// A drawn position.
    pub const DRAW: Value = Value {
        outcome: Outcome::Draw,
        plies: 0,
    };

    /// By the distance to zeroing, the values of a table of which the outcomes alone are kept.
    pub(crate) const OUTCOMES: [Value; 5] = [
        Value::DRAW,
        Value::win(1),
        Value::loss(1),
        Value::win(101),
        Value::loss(101),
    ];

    /// A position with a helpmate in that many plies, and whether there is only one.
    #[must_use]
    pub const fn help(plies: u16, unique: bool) -> Value {
        let outcome = if unique { Outcome::Win } else { Outcome::Loss };
        Value { outcome, plies }
    }

    /// By helpmates, whether there is exactly one.
    #[must_use]
    pub const fn is_unique(self) -> bool {
        matches!(self.outcome, Outcome::Win)
    }

    /// A position won in that many plies, under the fifty-move rule.
    #[must_use]
    pub const fn win(plies: u16) -> Value {
        Metric::Dtz.win(plies)
    }

    /// A position lost in that many plies, under the fifty-move rule.
    #[must_use]
    pub const fn loss(plies: u16) -> Value {
        Metric::Dtz.loss(plies)
    }

    /// The outcome if so many plies were made since the last zeroing move, by a value with the distance to zeroing: the
    /// outcome of the value, or that it would be this one if there were no fifty-move rule. A checkmate on the board stands,
    /// whatever the counter is.
    #[must_use]
    pub const fn with_counter(self, counter: u16) -> Outcome {
        match self.outcome {
            Outcome::Win if !self.is_in_time(counter) => Outcome::CursedWin,
            Outcome::Loss if !self.is_in_time(counter) => Outcome::BlessedLoss,
            outcome => outcome,
        }
    }

    /// Whether the counter is at most 100 after these plies, or there are none.
    pub(crate) const fn is_in_time(self, counter: u16) -> bool {
        self.plies == 0 || counter.saturating_add(self.plies) <= 100
    }

    /// The plies with the sign that the program, the server and the bindings give them: negative for the loser, and 0 for a draw.
    /// As Syzygy files have it, a checkmated side is one ply from its end by the distance to zeroing.
    ///
    /// ```
    /// use tbgen::{Metric, Value};
    /// assert_eq!([Value::win(3), Value::loss(4)].map(|of| of.signed(Metric::Dtz)), [3, -4]);
    /// assert_eq!([Metric::Dtz, Metric::Dtm].map(|metric| Value::loss(0).signed(metric)), [-1, 0]);
    /// ```
    #[must_use]
    pub const fn signed(self, metric: Metric) -> i16 {
        match (self.kind(), metric) {
            (0, _) => 0,
            (1, _) => self.plies as i16,
            (_, Metric::Dtz) if self.plies == 0 => -1,
            _ => -(self.plies as i16),
        }
    }

    /// The better one for the side to move.
    pub(crate) const fn better(self, other: Value) -> Value {
        if other.preference() > self.preference() {
            other
        } else {
            self
        }
    }

    /// A number that is greater for better values of the side to move: winners hurry, losers delay.
    #[must_use]
    pub const fn preference(self) -> i32 {
        match self.kind() {
            0 => 0,
            1 => 100_000 - self.plies as i32,
            _ => self.plies as i32 - 100_000,
        }
    }

    /// The number of its kind in files: 0 for a draw, 1 for a win, 2 for a loss.
    pub(crate) const fn kind(self) -> u16 {
        match self.outcome {
            Outcome::Draw => 0,
            Outcome::Win | Outcome::CursedWin => 1,
            Outcome::Loss | Outcome::BlessedLoss => 2,
        }
    }
}

/// `win in 5`, `cursed win in 103`, `draw`, `blessed loss in 104`, `loss in 6`, `checkmate`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.outcome, self.plies) {
            (Outcome::Draw, _) => f.write_str("draw"),
            (Outcome::Loss, 0) => f.write_str("checkmate"),
            (Outcome::Win, plies) => write!(f, "win in {plies}"),
            (Outcome::CursedWin, plies) => write!(f, "cursed win in {plies}"),
            (Outcome::BlessedLoss, plies) => write!(f, "blessed loss in {plies}"),
            (Outcome::Loss, plies) => write!(f, "loss in {plies}"),
        }
    }
}
