//! Betza's notation for moves, as far as the 5×5 grid goes: [`Leaper::betza`] explains it.

use std::sync::LazyLock;

use super::notation_error::{NotationError, first_of};
use crate::board::{Leaper, Step};

/// The atoms in the order in which they are written, with their moves.
const ATOMS: [(char, Leaper); 5] = [
    ('W', Leaper::by(1, 0)),
    ('F', Leaper::by(1, 1)),
    ('D', Leaper::by(2, 0)),
    ('A', Leaper::by(2, 2)),
    ('N', Leaper::KNIGHT),
];

/// The pairs of letters that an N may have, in the order in which they are written: four moves,
/// two, one.
const PAIRS: [&str; 22] = [
    "fh", "bh", "lh", "rh", "hl", "hr", "ff", "fs", "bb", "bs", "ll", "lv", "rr", "rv", "lf", "rf",
    "fl", "fr", "bl", "br", "lb", "rb",
];

/// Reads Betza notation.
///
/// # Errors
/// If the text is no Betza notation, or goes beyond the 5×5 grid; the error points at the character.
pub(super) fn read(text: &str) -> Result<Leaper, NotationError> {
    let error = |at, problem: String| Err(NotationError::new(text, at, problem));
    let end = text.trim_end().len();
    let mut rest = text[..end]
        .char_indices()
        .skip_while(|(_, c)| c.is_whitespace())
        .peekable();
    let mut piece = Leaper::EMPTY;
    if rest.peek().is_none() {
        return error(0, "no piece".to_owned());
    }
    while let Some(&(start, _)) = rest.peek() {
        let mut stop = start;
        while let Some((at, letter)) = rest.next_if(|(_, c)| c.is_lowercase()) {
            match letter {
                'f' | 'b' | 'l' | 'r' | 'v' | 's' | 'h' => stop = at + 1,
                'm' | 'c' | 'i' | 'j' | 'n' | 'o' | 'p' | 'g' | 'q' | 'z' | 't' | 'a' | 'y'
                | 'u' | 'e' | 'd' | 'k' => {
                    let problem = format!(
                        "{letter:?} says how a piece moves, not where to: a short-range piece has directions only"
                    );
                    return error(at, problem);
                }
                _ => {
                    let expected = "expected f, b, l, r, v, s or h before an atom";
                    return error(at, format!("{letter:?} is not a direction: {expected}"));
                }
            }
        }
        let directions = &text[start..stop];
        let Some((at, atom)) = rest.next() else {
            return error(end, no_atom_after_directions(""));
        };
        let moves = match atom {
            'K' => ['W', 'F']
                .into_iter()
                .try_fold(Leaper::EMPTY, |moves, part| {
                    Ok(moves | directed(part, directions)?)
                }),
            'W' | 'F' | 'D' | 'A' | 'N' => directed(atom, directions),
            _ => return error(at, no_atom(atom, directions)),
        };
        match moves {
            Ok(moves) => piece |= moves,
            Err((offset, length, hint)) => {
                let directions = &directions[offset..offset + length];
                let problem = format!("{directions:?} is not a direction of {atom}: {hint}");
                return error(start + offset, problem);
            }
        }
        match rest.peek() {
            Some(&(at, again)) if again == atom => {
                let atoms = format!("{atom}{atom}");
                return error(at, beyond_range(&atoms, "a doubled atom is a rider"));
            }
            Some(&(at, digit)) if digit.is_ascii_digit() => {
                let atom = format!("{atom}{digit}");
                let why = "a number behind an atom repeats the step";
                return error(at, beyond_range(&atom, why));
            }
            _ => {}
        }
    }
    Ok(piece)
}

fn beyond_range(atom: &str, why: &str) -> String {
    format!("{atom} goes beyond the 5x5 range: {why}")
}

fn no_atom_after_directions(rest: &str) -> String {
    let found = first_of(rest);
    format!("expected an atom, W, F, D, A, N or K, after the directions, found {found}")
}

/// The message about a character in an atom's place.
fn no_atom(atom: char, directions: &str) -> String {
    let name = atom.to_string();
    match atom {
        'R' | 'B' | 'Q' => beyond_range(&name, "it slides"),
        'H' | 'C' | 'L' | 'Z' | 'J' | 'G' => beyond_range(&name, "it leaps three squares"),
        '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' => format!(
            "{atom:?}: brackets describe moves of several legs, beyond the 5x5 range of single leaps"
        ),
        _ if !directions.is_empty() => no_atom_after_directions(&name),
        _ => format!("{atom:?} is not an atom: expected W, F, D, A, N or K"),
    }
}

/// A run of letters that an atom doesn't have: its offset, its length, and the letters that could be written instead.
type NoDirection = (usize, usize, &'static str);

/// The moves of an atom, W, F, D, A or N, in these directions, or all its moves if none are given.
fn directed(atom: char, directions: &str) -> Result<Leaper, NoDirection> {
    let all = ATOMS
        .into_iter()
        .find(|&(letter, _)| letter == atom)
        .map_or(Leaper::EMPTY, |(_, moves)| moves);
    if directions.is_empty() {
        return Ok(all);
    }
    let letters = directions.as_bytes();
    let mut moves = Leaper::EMPTY;
    let mut at = 0;
    while at < letters.len() {
        let (length, meant) = match atom {
            'N' => pair(letters, at)?,
            'W' | 'D' => (1, side(single(letters, at)?)),
            _ => group(letters, at)?,
        };
        moves |= all & meant;
        at += length;
    }
    Ok(moves)
}

/// The number of letters that belong together, and the steps that they mean.
type Meaning = (usize, Leaper);

/// All steps to the side that a letter names.
fn side(letter: u8) -> Leaper {
    let goes = |step: &Step| match letter {
        b'f' => step.ranks > 0,
        b'b' => step.ranks < 0,
        b'l' => step.files < 0,
        b'r' => step.files > 0,
        b'v' => step.ranks != 0,
        _ => step.files != 0,
    };
    Step::ALL.into_iter().filter(goes).collect()
}

/// The steps of a knight to that side whose long leg goes there.
fn long(letter: u8) -> Leaper {
    let is_long = |step: &Step| (step.ranks.abs() == 2) == is_vertical(letter);
    side(letter).steps().filter(is_long).collect()
}

const fn is_vertical(letter: u8) -> bool {
    matches!(letter, b'f' | b'b' | b'v')
}

/// The letter at `at`, if it is not `h` and not the same as the next.
fn single(letters: &[u8], at: usize) -> Result<u8, NoDirection> {
    let letter = letters[at];
    if letter == b'h' {
        return Err((at, 1, "h makes halves of a knight's moves, such as fhN"));
    }
    if letters.get(at + 1) == Some(&letter) {
        return Err((at, 2, "doubled letters pick among a knight's moves"));
    }
    Ok(letter)
}

/// Reads directions of F and A: some letters of one axis, then some of the other.
fn group(letters: &[u8], at: usize) -> Result<Meaning, NoDirection> {
    let mut end = at;
    let mut axes = [Leaper::EMPTY; 2];
    let first_axis = is_vertical(letters[at]);
    while end < letters.len() {
        let second = is_vertical(letters[end]) != first_axis;
        if !second && !axes[1].is_empty() {
            break;
        }
        axes[usize::from(second)] |= side(single(letters, end)?);
        end += 1;
    }
    let [first, second] = axes;
    let meant = if second.is_empty() {
        first
    } else {
        first & second
    };
    Ok((end - at, meant))
}

/// Reads directions of N: a pair of letters, or one letter, which stands for itself twice.
fn pair(letters: &[u8], at: usize) -> Result<Meaning, NoDirection> {
    let (first, second) = (letters[at], letters.get(at + 1).copied());
    match (first, second) {
        // Two ranks up and then one file right is a turn to the right; the other long legs are alike.
        (b'h', Some(turn @ (b'l' | b'r'))) => {
            let turns = |step: &Step| {
                let long_by_files = step.files.abs() == 2;
                let same_signs = (step.files > 0) == (step.ranks > 0);
                (long_by_files == same_signs) == (turn == b'l')
            };
            Ok((2, Step::ALL.into_iter().filter(turns).collect()))
        }
        (b'h', _) => Err((at, 1, "h goes after f, b, l or r, or before l or r")),
        (b'v' | b's', Some(b'h')) => Err((at, 2, "there is a half of each of f, b, l and r")),
        (_, Some(b'h')) => Ok((2, side(first))),
        (_, Some(second)) if second == first || is_vertical(first) != is_vertical(second) => {
            Ok((2, side(first) & long(second)))
        }
        _ => Ok((1, long(first))),
    }
}

impl Leaper {
    /// The shortest common Betza notation, or `None` for the empty piece, which has none.
    ///
    /// Only combinations that every dialect reads alike are written, W before F, D, A and N.
    ///
    /// # The notation
    ///
    /// A piece is a word of *atoms*. `W` goes one square along a file or rank, and `D` two; `F` goes one square
    /// diagonally, and `A` two; `N` is the knight's leap, and `K` is short for `WF`. A word of several atoms
    /// has the moves of all of them. Small letters before an atom keep only the moves in these directions: `f`
    /// forward, `b` backward, `l` left, `r` right, `v` for `f` and `b`, `s` for `l` and `r`. They belong to the
    /// one atom after them. Before `K` they restrict both its `W` and its `F`.
    ///
    /// The combination of several letters depends on the atom. These readings come from the notation's
    /// inventor, and from the chess programs that made it exact (XBoard among them):
    ///
    /// - `W`, `D`: every letter adds one move: `fsW` is forward, left and right.
    /// - `F`, `A`: one letter keeps the two moves on that side. Neighbouring letters of the two axes intersect:
    ///   `flF` is one move, `fsF` is the same as `fF`, and `rlbF` is both backward moves. When an axis appears
    ///   again, a new group begins: `flbrF` is a whole diagonal.
    /// - `N`: letters come in pairs, and the *last* letter of a pair is the direction of the long leg. `ffN`
    ///   (or `fN`) is the two moves two ranks forward, `fsN` the two forward moves that go two files to the
    ///   side, `rfN` the single move two forward and one right, `frN` one forward and two right. `fhN` is the
    ///   forward half, that is all four forward moves; `bh`, `lh` and `rh` are halves likewise. `hrN` and `hlN`
    ///   are the two pinwheels: the four moves that turn right, or left, after their long leg.
    ///
    /// Letters for *how* a piece moves (`m`, `c`, `j`, …), sliders and riders, brackets, and atoms of three
    /// squares and more describe no short-range pieces, and the errors say so.
    #[must_use]
    pub fn betza(self) -> Option<String> {
        let mut text = String::with_capacity(32);
        let is_king = Leaper::KING.is_within(self);
        if is_king {
            text.push('K');
        }
        for ((atom, all), words) in ATOMS.into_iter().zip(&*WORDS) {
            if !(is_king && matches!(atom, 'W' | 'F')) {
                text += &words[subset(all, self)];
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

/// For each atom the words of all subsets of its moves, by the [numbers](subset) of the subsets.
static WORDS: LazyLock<[Vec<String>; 5]> = LazyLock::new(|| {
    ATOMS.map(|(atom, all)| {
        let subsets = 0..1usize << all.len();
        let moves = subsets.map(|number| {
            let steps = all.steps().enumerate();
            let chosen = steps.filter(|(bit, _)| number >> bit & 1 != 0);
            chosen.map(|(_, step)| step).collect()
        });
        moves.map(|moves| words(atom, all, moves)).collect()
    })
});

/// The number of the subset of an atom's moves that a piece has.
fn subset(all: Leaper, piece: Leaper) -> usize {
    let steps = all.steps().enumerate();
    steps.fold(0, |number, (bit, step)| {
        number | usize::from(piece.contains(step)) << bit
    })
}

/// Some moves of an atom in words.
fn words(atom: char, all: Leaper, moves: Leaper) -> String {
    let mut text = String::new();
    if moves == all {
        text.push(atom);
    } else if !moves.is_empty() {
        for directions in cover(atom, moves) {
            text += &directions;
            text.push(atom);
        }
    }
    text
}

/// Returns the fewest words of directions whose moves together are these. One atom is written for each
/// entry.
fn cover(atom: char, moves: Leaper) -> Vec<String> {
    // On their own these two words are clearest; beside others their letters would form pairs.
    if let Some(word) = ["v", "s"]
        .into_iter()
        .find(|word| atom == 'N' && directed(atom, word) == Ok(moves))
    {
        return vec![word.to_owned()];
    }
    let words: &[&str] = match atom {
        'W' | 'D' => &["v", "f", "b", "s", "l", "r"],
        'N' => &PAIRS,
        _ => &["f", "b", "l", "r", "fl", "fr", "bl", "br"],
    };
    let within: Vec<(&str, Leaper)> = words
        .iter()
        .filter_map(|&word| Some((word, directed(atom, word).ok()?)))
        .filter(|(_, covered)| covered.is_within(moves))
        .collect();
    let chosen = (1..=within.len())
        .find_map(|count| choose(&within, moves, count))
        .unwrap_or_default();
    match atom {
        // A single letter of F or A would intersect with the letters that follow it.
        'F' | 'A' if chosen.iter().any(|word| word.len() == 1) => {
            chosen.into_iter().map(str::to_owned).collect()
        }
        _ => vec![chosen.concat()],
    }
}

/// Returns the first choice of `count` of these words, in their order, that together cover the moves.
fn choose<'a>(words: &[(&'a str, Leaper)], moves: Leaper, count: usize) -> Option<Vec<&'a str>> {
    if moves.is_empty() {
        return Some(Vec::new());
    }
    if count == 0 {
        return None;
    }
    words.iter().enumerate().find_map(|(at, &(word, covered))| {
        if (covered & moves).is_empty() {
            return None;
        }
        let mut chosen = choose(&words[at + 1..], moves - covered, count - 1)?;
        chosen.insert(0, word);
        Some(chosen)
    })
}
