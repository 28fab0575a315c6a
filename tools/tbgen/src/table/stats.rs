//! Counts of positions by their values.

use std::array::from_fn;
use std::collections::BTreeMap;
use std::io;

use rayon::prelude::*;
use serde_json::{Value as Json, json};
use tbindex::batch::Backend;
use tbindex::bitbase::{self, LikeMen, Row};
use tbindex::{Color, Position};

use crate::table::shape::Shape;
use crate::table::slab::{Slab, for_each_code};
use crate::table::slices::illegal_in;
use crate::table::slots::Slot;
use crate::table::solved::{Part, Table};
use crate::table::value::{Outcome, Value};

/// A way to count positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Up to symmetry and the exchange of like pieces.
    Unordered,
    /// Up to symmetry, with like pieces told apart.
    Ordered,
}

/// The values with one side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideStats {
    /// The numbers of wins, cursed wins, draws, blessed losses and losses, in this order.
    pub outcomes: [u64; 5],
    /// The number of wins, cursed or not, by their plies.
    pub win_in: BTreeMap<u16, u64>,
    /// The number of losses, blessed or not, by their plies.
    pub loss_in: BTreeMap<u16, u64>,
    /// The longest win and the longest loss, each with its first position.
    pub longest: [Option<(u16, Position)>; 2],
}

/// The counts of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// The counts with white to move, and with black to move.
    pub sides: [SideStats; 2],
}

/// The slots of a slice that each stand for a class of positions, for slices without twins and with them.
pub(crate) fn representatives(shape: &Shape, counting: Counting) -> [Vec<Row>; 2] {
    let like = match counting {
        Counting::Unordered => LikeMen::Together,
        Counting::Ordered => LikeMen::Apart,
    };
    // The last slice has twins, the first one has none.
    let domain = shape.any_domain();
    [0, domain.slices() - 1].map(|slice| domain.representatives(slice, like))
}

impl Stats {
    /// Counts the positions of a table.
    ///
    /// # Errors
    /// If the table was put into a temporary file, and that can't be read.
    pub fn of(table: &Table, counting: Counting) -> io::Result<Stats> {
        let [white, black] = Color::ALL.map(|side| side_stats(table, side, counting));
        Ok(Stats {
            sides: [white?, black?],
        })
    }

    /// The counts as a JSON object with keys `white` and `black`, with positions written by a function.
    #[must_use]
    pub fn to_json(&self, fen: &dyn Fn(&Position) -> String) -> Json {
        let [white, black] = &self.sides;
        json!({ "white": white.to_json(fen), "black": black.to_json(fen) })
    }
}

fn count(these: &Slab) -> u64 {
    these.iter().map(|row| u64::from(row.len())).sum()
}

/// How many positions have a value, and the first of them.
type Counts = BTreeMap<Value, (u64, Option<Slot>)>;

/// Counts the positions of a slice of a part with a side to move that a mask has.
fn count_slice(
    table: &Table,
    (part, slice, side): (usize, usize, Color),
    mask: &[Row],
) -> io::Result<Counts> {
    let Part { domain, sides } = &table.parts[part];
    let this = &sides[side as usize];
    let mut counts = vec![(0, None); this.values.len()];
    let planes = this.slices[slice].open()?;
    let illegal = illegal_in(domain, slice, side, Backend::detect());
    for slab in 0..domain.slabs() {
        let (planes, bits) = planes.slabs_at(slab);
        let these = from_fn(|r| mask[slab * 8 + r] & !illegal[slab * 8 + r]);
        let mut draws = count(&these);
        for_each_code(&planes[..bits], &these, |code, these| {
            let (sum, first) = &mut counts[usize::from(code)];
            *sum += count(these);
            draws -= count(these);
            first.get_or_insert_with(|| {
                let words = these.iter().flat_map(|row| row.0);
                let mut words = words.zip(slab as u64 * 64..);
                let (word, at) = words.find(|(word, _)| *word != 0).expect("some of these");
                let offset = at * 64 + u64::from(word.trailing_zeros());
                let at = bitbase::Slot { slice, offset };
                Slot { side, part, at }
            });
        });
        counts[0].0 += draws;
    }
    let counts = this.values.iter().copied().zip(counts);
    Ok(counts.filter(|(_, (count, _))| *count > 0).collect())
}

/// The counts with a side to move, from those of all slices.
fn side_stats(table: &Table, side: Color, counting: Counting) -> io::Result<SideStats> {
    let shape = &table.shape;
    let domain = shape.any_domain();
    let masks = representatives(shape, counting);
    let slices = (0..shape.parts() * domain.slices()).into_par_iter();
    let counts = slices.map(|number| {
        let (part, slice) = (number / domain.slices(), number % domain.slices());
        let mask = &masks[usize::from(domain.has_twins(slice))];
        let mut counts = count_slice(table, (part, slice, side), mask)?;
        let (times, twice) = shape.pawn_weight(part, counting == Counting::Ordered);
        for (count, _) in counts.values_mut() {
            // Twice as many: those of a slice alone may not be there in pairs.
            *count = *count * times * 2 / twice;
        }
        Ok::<_, io::Error>(counts)
    });
    let counts = counts.try_reduce(Counts::new, |mut all, more| {
        for (value, (count, slot)) in more {
            let (sum, first) = all.entry(value).or_default();
            *sum += count;
            *first = first.or(slot);
        }
        Ok(all)
    })?;
    let mut stats = SideStats::default();
    for (Value { outcome, plies }, (twice, slot)) in counts {
        let count = twice / 2;
        stats.outcomes[(2 - outcome as i8) as usize] += count;
        let (by_plies, longest) = match outcome {
            Outcome::Draw => continue,
            Outcome::Win | Outcome::CursedWin => (&mut stats.win_in, 0),
            Outcome::Loss | Outcome::BlessedLoss => (&mut stats.loss_in, 1),
        };
        *by_plies.entry(plies).or_default() += count;
        let position = slot.and_then(|slot| shape.position(slot));
        if let Some(position) = position
            && stats.longest[longest].is_none_or(|(before, _)| before < plies)
        {
            stats.longest[longest] = Some((plies, position));
        }
    }
    Ok(stats)
}

impl SideStats {
    /// The number of positions with an outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes[(2 - outcome as i8) as usize]
    }

    /// The number of legal positions.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    fn to_json(&self, fen: &dyn Fn(&Position) -> String) -> Json {
        let longest = |longest: &Option<(u16, Position)>| {
            let longest = longest.as_ref();
            longest.map(|(plies, position)| json!({ "plies": plies, "position": fen(position) }))
        };
        json!({
            "wins": self.count(Outcome::Win),
            "cursed_wins": self.count(Outcome::CursedWin),
            "draws": self.count(Outcome::Draw),
            "cursed_losses": self.count(Outcome::BlessedLoss),
            "losses": self.count(Outcome::Loss),
            "win_in": self.win_in,
            "loss_in": self.loss_in,
            "longest_win": longest(&self.longest[0]),
            "longest_loss": longest(&self.longest[1]),
        })
    }
}
