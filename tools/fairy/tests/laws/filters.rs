//! Laws of texts that are read as filters of short-range pieces.

use std::sync::LazyLock;

use tbindex::Leaper;
use tbindex::fairy::{Classifier, Grid, PieceFacts};
use tbindex_fairy::{Filter, MatingPower};

/// A text as a filter: an error, or the conjunction of its conditions.
pub fn laws_of_bytes(bytes: &[u8]) {
    filter_is_its_conditions(&String::from_utf8_lossy(bytes));
}

/// A filter that parses equals the conjunction of its conditions, and `!` before a condition turns it round; all else is
/// an error that points into the text.
pub fn filter_is_its_conditions(text: &str) {
    static CLASSIFIER: LazyLock<Classifier> = LazyLock::new(|| Classifier::new(Grid::CHESS));
    let whole: Filter = match text.parse() {
        Ok(whole) => whole,
        Err(error) => {
            assert!(text.is_char_boundary(error.at()), "{error}");
            return assert!(error.to_string().ends_with('^'), "{error}");
        }
    };
    let parse = |condition: &str| -> Filter { condition.parse().expect("a condition") };
    let conditions: Vec<&str> = text.split(',').map(str::trim).collect();
    let together = conditions.iter().map(|condition| parse(condition));
    assert_eq!(together.collect::<Filter>(), whole);
    let power = MatingPower {
        mates: 36,
        legal_white: 205_896,
        wins_white: 189_792,
        legal_black: 223_944,
        losses_black: 175_050,
        longest: 74,
    };
    let pieces = [Leaper::EMPTY, Leaper::KING, Leaper::KNIGHT, !Leaper::EMPTY];
    let mut facts = [PieceFacts::default(); 4];
    CLASSIFIER.classify_into(&pieces, &mut facts);
    for condition in conditions {
        let (met, turned) = (parse(condition), parse(&format!("!{condition}")));
        let of_mates = met.asks_for_mates();
        for (&piece, facts) in pieces.iter().zip(&facts) {
            let accept = |power| [&met, &turned].map(|filter| filter.accepts(piece, facts, power));
            let [yes, no] = accept(Some(&power));
            assert!(yes != no);
            let expected = if of_mates { [true; 2] } else { [yes, no] };
            assert_eq!(accept(None), expected);
        }
    }
}
