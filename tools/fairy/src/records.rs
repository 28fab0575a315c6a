//! A census of mates in groups of pieces, and the pieces that hold its records.

use std::collections::BTreeMap;

use tbindex::fairy::{Classifier, Grid, PieceFacts};
use tbindex::{Leaper, Symmetry};

use crate::{MateCensus, MateClass, MateTally};

/// A census of mates, with the facts of the plain census about the same classes.
#[derive(Debug)]
pub struct MateRecords {
    mates: MateCensus,
    facts: Vec<PieceFacts>,
    symmetric: bool,
}

/// A group of pieces in a table: its place, and its name.
pub type Group = (u32, String);

impl MateRecords {
    /// The records of a census on a board; `symmetric` counts each class once, in place of its pieces.
    ///
    /// # Panics
    /// If the board has more than 64 squares.
    #[must_use]
    pub fn new(mates: MateCensus, grid: Grid, symmetric: bool) -> MateRecords {
        let pieces: Vec<Leaper> = mates.classes().map(|class| class.piece).collect();
        let mut facts = vec![PieceFacts::default(); pieces.len()];
        Classifier::new(grid).classify_into(&pieces, &mut facts);
        MateRecords {
            mates,
            facts,
            symmetric,
        }
    }

    /// The classes in the order of their smallest pieces, with the facts about these.
    pub fn classes(&self) -> impl Iterator<Item = (MateClass, &PieceFacts)> {
        self.mates.classes().zip(&self.facts)
    }

    /// The tally of all pieces, or of all classes.
    #[must_use]
    pub fn all(&self) -> MateTally {
        self.by(|_, _| ()).remove(&()).unwrap_or_default()
    }

    /// The tallies of groups of pieces, by the keys of the groups.
    fn by<K: Ord>(&self, key: impl Fn(&MateClass, &PieceFacts) -> K) -> BTreeMap<K, MateTally> {
        let mut tallies: BTreeMap<K, MateTally> = BTreeMap::new();
        for (class, facts) in self.classes() {
            let times = if self.symmetric {
                1
            } else {
                class.images.into()
            };
            let tally = tallies.entry(key(&class, facts)).or_default();
            tally.add(&class.power, times);
        }
        tallies
    }

    /// The tables of groups, each with its key and its heading.
    #[must_use]
    pub fn tables(&self) -> [(&'static str, &'static str, BTreeMap<Group, MateTally>); 3] {
        let by_moves = self.by(|class, _| {
            (
                class.piece.bits().count_ones(),
                class.piece.steps().len().to_string(),
            )
        });
        let by_symmetry = self.by(|class, _| (0, symmetry_name(class.piece).to_owned()));
        let by_verdict = self.by(|_, facts| (0, verdict(facts)));
        [
            ("by_moves", "moves", by_moves),
            ("by_symmetry", "symmetry", by_symmetry),
            ("by_verdict", "plain census", by_verdict),
        ]
    }

    /// The classes with the greatest value, among the classes that have one.
    fn record(&self, value: impl Fn(&MateClass) -> Option<i64>) -> Vec<MateClass> {
        let best = self.mates.classes().filter_map(|class| value(&class)).max();
        let holds = |class: &MateClass| best.is_some() && value(class) == best;
        self.mates.classes().filter(holds).collect()
    }

    /// The records, each with its key, its words, and the classes that hold it.
    #[must_use]
    pub fn records(&self) -> [(&'static str, &'static str, Vec<MateClass>); 5] {
        let moves = |class: &MateClass| class.piece.steps().len() as i64;
        [
            (
                "longest",
                "the longest mate of all",
                self.record(|class| (class.power.mates > 0).then_some(class.power.longest.into())),
            ),
            (
                "fewest_moves_with_a_mate",
                "fewest moves that can give mate",
                self.record(|class| (class.power.mates > 0).then_some(-moves(class))),
            ),
            (
                "fewest_moves_won_more_than_half",
                "fewest moves that win more than half",
                self.record(|class| (class.power.share() > 0.5).then_some(-moves(class))),
            ),
            (
                "fewest_moves_won_everywhere",
                "fewest moves that win from everywhere",
                self.record(|class| class.power.wins_everywhere().then_some(-moves(class))),
            ),
            (
                "most_moves_without_a_mate",
                "most moves that can't give mate",
                self.record(|class| (class.power.mates == 0).then_some(moves(class))),
            ),
        ]
    }
}

/// The symmetries of a piece, in words.
#[must_use]
pub fn symmetry_name(piece: Leaper) -> &'static str {
    let is_kept = |symmetry: Symmetry| piece.image(symmetry) == piece;
    let files = is_kept(Symmetry::FlipHorizontal);
    let ranks = is_kept(Symmetry::FlipVertical);
    let diagonal = is_kept(Symmetry::FlipDiagonal);
    let other_diagonal = is_kept(Symmetry::FlipAntiDiagonal);
    if files && diagonal {
        "all eight"
    } else if is_kept(Symmetry::Rotate90) {
        "quarter turns"
    } else if files && ranks {
        "left-right and forwards-backwards"
    } else if diagonal && other_diagonal {
        "both diagonals"
    } else if is_kept(Symmetry::Rotate180) {
        "half turn"
    } else if files || ranks {
        "left-right"
    } else if diagonal || other_diagonal {
        "one diagonal"
    } else {
        "none"
    }
}

/// The plain census's verdict on a piece, in words.
fn verdict(facts: &PieceFacts) -> String {
    match facts.lattice_index {
        _ if facts.free && facts.board_connected => "free, connected on the board".to_owned(),
        _ if facts.free => "free, not connected on the board".to_owned(),
        None => "bound: on a point or a line".to_owned(),
        Some(_) if facts.half_plane => "bound: confined to a half-plane".to_owned(),
        Some(index) => format!("bound: to one colour of {index}"),
    }
}
