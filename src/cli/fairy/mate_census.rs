//! `tbindex fairy census --mates`: counts all pieces by what they achieve with their king.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use tbindex::batch::Backend;
use tbindex::fairy::{
    Classifier, Grid, MateCensus, MateClass, MateClasses, MateSolver, MateTally, PieceFacts,
    VerdictWord, longest_mates_picture,
};
use tbindex::store::{Overwrite, PartialFile};
use tbindex::{Leaper, Symmetry};

use super::solved;
use crate::cli::output::{grouped, print, print_json, write_text};

/// What is asked for.
pub(super) struct Wanted<'a> {
    pub(super) grid: Grid,
    /// Count classes instead of pieces.
    pub(super) symmetric: bool,
    pub(super) json: bool,
    pub(super) csv: Option<&'a Path>,
    pub(super) svg: Option<&'a Path>,
    pub(super) overwrite: Overwrite,
    pub(super) backend: Backend,
    pub(super) pool: rayon::ThreadPool,
}

pub(super) fn run(wanted: &Wanted<'_>) -> Result<()> {
    // A file that can't be written is better known before the work than after it.
    let csv = match wanted.csv {
        Some(path) if path != Path::new("-") => {
            Some((path, PartialFile::create(path, wanted.overwrite)?))
        }
        _ => None,
    };
    let to_print = Path::new("-");
    if let Some(path) = wanted.svg.filter(|&path| path != to_print) {
        drop(PartialFile::create(path, wanted.overwrite)?);
    }
    let solver = MateSolver::new(wanted.grid, wanted.backend);
    let census = solved(&solver, MateClasses::all(&wanted.grid), &wanted.pool)?;
    let facts = facts(wanted.grid, &census);
    if let Some((path, mut file)) = csv {
        let written = write_classes(
            &census,
            &facts,
            BufWriter::with_capacity(1 << 16, &mut file),
        );
        written.with_context(|| format!("{}: can't write to the file", path.display()))?;
        file.finish()?;
    }
    let count = Counter {
        census: &census,
        facts: &facts,
        symmetric: wanted.symmetric,
    };
    let all = count.all(|_, _| true);
    if let Some(path) = wanted.svg {
        let text = longest_mates_picture(&all, &title(wanted));
        if path == to_print {
            return print(&text);
        }
        write_text(path, &text, wanted.overwrite)?;
    }
    if wanted.csv == Some(to_print) {
        return write_classes(&census, &facts, BufWriter::new(io::stdout().lock()));
    }
    match wanted.json {
        true => print_json(&object(&count, &all)),
        false => print(&text(wanted, &count, &all)),
    }
}

/// What the plain census counts of the first pieces of the classes.
fn facts(grid: Grid, census: &MateCensus) -> Vec<PieceFacts> {
    let pieces: Vec<Leaper> = census.classes().map(|class| class.piece).collect();
    let mut verdicts = vec![VerdictWord::default(); pieces.len()];
    Classifier::new(grid).classify_into(&pieces, &mut verdicts);
    let pieces = verdicts.into_iter().zip(pieces);
    pieces
        .map(|(verdict, piece)| verdict.facts(piece))
        .collect()
}

/// A census with the facts of the plain one, and whether pieces or classes are counted.
struct Counter<'a> {
    census: &'a MateCensus,
    facts: &'a [PieceFacts],
    symmetric: bool,
}

impl Counter<'_> {
    fn classes(&self) -> impl Iterator<Item = (MateClass, PieceFacts)> {
        self.census.classes().zip(self.facts.iter().copied())
    }

    fn times(&self, class: &MateClass) -> u64 {
        match self.symmetric {
            true => 1,
            false => class.images.into(),
        }
    }

    fn all(&self, is_in: impl Fn(&MateClass, PieceFacts) -> bool) -> MateTally {
        let mut tally = MateTally::default();
        for (class, facts) in self.classes() {
            if is_in(&class, facts) {
                tally.add(&class.power, self.times(&class));
            }
        }
        tally
    }

    /// The tallies of groups of pieces, by the keys of the groups.
    fn by<K: Ord>(&self, key: impl Fn(&MateClass, PieceFacts) -> K) -> BTreeMap<K, MateTally> {
        let mut tallies: BTreeMap<K, MateTally> = BTreeMap::new();
        for (class, facts) in self.classes() {
            let tally = tallies.entry(key(&class, facts)).or_default();
            tally.add(&class.power, self.times(&class));
        }
        tallies
    }

    /// The classes for which the value is the greatest among those that have one.
    fn record(&self, value: impl Fn(&MateClass) -> Option<i64>) -> Vec<MateClass> {
        let mut best = i64::MIN;
        let mut holders = Vec::new();
        for class in self.census.classes() {
            match value(&class) {
                Some(value) if value > best => {
                    best = value;
                    holders = vec![class];
                }
                Some(value) if value == best => holders.push(class),
                _ => {}
            }
        }
        holders
    }

    fn records(&self) -> [(&'static str, &'static str, Vec<MateClass>); 5] {
        let moves = |class: &MateClass| i64::from(class.piece.len());
        [
            (
                "longest",
                "the longest mate of all",
                self.record(|class| class.power.can_mate().then_some(class.power.longest.into())),
            ),
            (
                "fewest_moves_with_a_mate",
                "fewest moves that can give mate",
                self.record(|class| class.power.can_mate().then_some(-moves(class))),
            ),
            (
                "fewest_moves_won_more_than_half",
                "fewest moves that win more than half",
                self.record(|class| class.power.wins_more_than_half().then_some(-moves(class))),
            ),
            (
                "fewest_moves_won_everywhere",
                "fewest moves that win from everywhere",
                self.record(|class| class.power.wins_everywhere().then_some(-moves(class))),
            ),
            (
                "most_moves_without_a_mate",
                "most moves that can't give mate",
                self.record(|class| (!class.power.can_mate()).then_some(moves(class))),
            ),
        ]
    }
}

/// The symmetries of a piece, in words.
fn symmetry(piece: Leaper) -> &'static str {
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

/// What the plain census says of a piece, in words.
fn verdict(facts: PieceFacts) -> String {
    match facts.lattice_index {
        _ if facts.free && facts.board_connected => "free, connected on the board".to_owned(),
        _ if facts.free => "free, not connected on the board".to_owned(),
        None => "bound: on a point or a line".to_owned(),
        Some(_) if facts.half_plane => "bound: confined to a half-plane".to_owned(),
        Some(index) => format!("bound: to one colour of {index}"),
    }
}

fn counts(tally: &MateTally) -> [(&'static str, &'static str, u64); 4] {
    [
        ("pieces", "pieces", tally.pieces),
        ("mates", "mate", tally.mates),
        ("won_more_than_half", "> half", tally.won_more_than_half),
        ("won_everywhere", "everywhere", tally.won_everywhere),
    ]
}

fn object(count: &Counter<'_>, all: &MateTally) -> Value {
    let group = |tally: &MateTally| -> Map<String, Value> {
        let counts = counts(tally).into_iter();
        counts
            .map(|(key, _, value)| (key.to_owned(), json!(value)))
            .collect()
    };
    let longest: Map<String, Value> = all
        .longest
        .iter()
        .map(|(plies, count)| (plies.to_string(), json!(count)))
        .collect();
    let mut object = group(all);
    object.insert("longest".to_owned(), longest.into());
    let by = |groups: BTreeMap<String, MateTally>| -> Value {
        groups
            .iter()
            .map(|(key, tally)| (key.clone(), Value::Object(group(tally))))
            .collect::<Map<_, _>>()
            .into()
    };
    object.insert(
        "by_moves".to_owned(),
        by_moves(count)
            .iter()
            .map(|(moves, tally)| (moves.to_string(), Value::Object(group(tally))))
            .collect::<Map<_, _>>()
            .into(),
    );
    object.insert(
        "by_symmetry".to_owned(),
        by(count.by(|class, _| symmetry(class.piece).to_owned())),
    );
    object.insert(
        "by_verdict".to_owned(),
        by(count.by(|_, facts| verdict(facts))),
    );
    let records: Map<String, Value> = count
        .records()
        .into_iter()
        .map(|(key, _, classes)| {
            let classes: Vec<Value> = classes
                .into_iter()
                .map(|class| {
                    json!({
                        "piece": class.piece.to_string(),
                        "betza": class.piece.betza(),
                        "moves": class.piece.len(),
                        "images": class.images,
                        "mates": class.power.mates,
                        "wins_white": class.power.wins_white,
                        "legal_white": class.power.legal_white,
                        "longest": class.power.longest,
                    })
                })
                .collect();
            (key.to_owned(), json!(classes))
        })
        .collect();
    object.insert("records".to_owned(), records.into());
    Value::Object(object)
}

fn by_moves(count: &Counter<'_>) -> BTreeMap<u32, MateTally> {
    count.by(|class, _| class.piece.len())
}

fn title(wanted: &Wanted<'_>) -> String {
    let what = match (wanted.symmetric, wanted.grid.symmetries().len()) {
        (false, _) => "",
        (true, 8) => ", counted up to the eight symmetries",
        (true, _) => ", counted up to the four symmetries of the board",
    };
    format!(
        "King and short-range piece against king on the {} board{what}",
        wanted.grid
    )
}

/// The census as tables for people to read.
fn text(wanted: &Wanted<'_>, count: &Counter<'_>, all: &MateTally) -> String {
    let mut text = format!("{}\n\n", title(wanted));
    let share = |part: u64| 100.0 * part as f64 / all.pieces.max(1) as f64;
    for (words, value) in [
        ("pieces", all.pieces),
        ("that have a checkmate", all.mates),
        (
            "that win more than half, White to move",
            all.won_more_than_half,
        ),
        (
            "that win from everywhere, White to move",
            all.won_everywhere,
        ),
    ] {
        text += &format!(
            "{words:<42} {:>10}  {:>6.2} %\n",
            grouped(value.into()),
            share(value)
        );
    }
    let mut table = |title: &str, rows: Vec<(String, &MateTally)>| {
        let width = 36;
        text += &format!("\n{title:<width$}");
        for (_, words, _) in counts(all) {
            text += &format!(" {words:>11}");
        }
        text.push('\n');
        for (name, tally) in rows {
            text += &format!("{name:<width$}");
            for (_, _, value) in counts(tally) {
                text += &format!(" {:>11}", grouped(value.into()));
            }
            text.push('\n');
        }
    };
    let moves = by_moves(count);
    table(
        "moves",
        moves
            .iter()
            .map(|(moves, tally)| (moves.to_string(), tally))
            .collect(),
    );
    let symmetries = count.by(|class, _| symmetry(class.piece));
    table(
        "symmetry",
        symmetries
            .iter()
            .map(|(name, tally)| ((*name).to_owned(), tally))
            .collect(),
    );
    let verdicts = count.by(|_, facts| verdict(facts));
    table(
        "plain census",
        verdicts
            .iter()
            .map(|(name, tally)| (name.clone(), tally))
            .collect(),
    );
    text += "\nlongest mate, plies (0: can't force one)\n";
    let wide = 20;
    let mut groups: BTreeMap<u16, u64> = BTreeMap::new();
    for (&plies, count) in &all.longest {
        *groups.entry(plies.div_ceil(wide) * wide).or_default() += count;
    }
    for (last, count) in groups {
        let range = match last {
            0 => "0".to_owned(),
            _ => format!("{}-{last}", last + 2 - wide),
        };
        text += &format!("{range:<36} {:>11}\n", grouped(count.into()));
    }
    for (_, words, classes) in count.records() {
        const SHOWN: usize = 8;
        text += &format!(
            "\n{words}: {} up to symmetry\n",
            grouped(classes.len() as u128)
        );
        for class in classes.iter().take(SHOWN) {
            text += &format!(
                "  {:<8} {:>2} moves  {:>6.2} % won, longest {:>3} plies  {}\n",
                class.piece.to_string(),
                class.piece.len(),
                100.0 * class.power.share(),
                class.power.longest,
                class.piece.betza().as_deref().unwrap_or("none"),
            );
        }
        if classes.len() > SHOWN {
            text += "  ...\n";
        }
    }
    text
}

/// Writes a line for each class.
fn write_classes(census: &MateCensus, facts: &[PieceFacts], mut out: impl Write) -> Result<()> {
    writeln!(
        out,
        "piece,images,moves,symmetry,free,connected,confined,lattice_index,\
         mates,legal_white,wins_white,legal_black,losses_black,longest"
    )?;
    for (class, facts) in census.classes().zip(facts) {
        let power = class.power;
        let index = facts.lattice_index.unwrap_or(0);
        writeln!(
            out,
            "{},{},{},{},{},{},{},{index},{},{},{},{},{},{}",
            class.piece,
            class.images,
            class.piece.len(),
            symmetry(class.piece),
            u8::from(facts.free),
            u8::from(facts.board_connected),
            u8::from(facts.half_plane),
            power.mates,
            power.legal_white,
            power.wins_white,
            power.legal_black,
            power.losses_black,
            power.longest,
        )?;
    }
    out.flush()?;
    Ok(())
}
