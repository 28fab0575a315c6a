//! Laws of texts that are read as short-range pieces or as filters of pieces.

use std::sync::LazyLock;

use tbindex::Leaper;
use tbindex::fairy::{Classifier, Filter, Grid, MatingPower, PieceFacts};

/// A text as a short-range piece and as a filter: an error, or something that reads back as it prints.
pub fn laws_of_bytes(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    piece_reads_back(&text);
    filter_is_its_conditions(&text);
}

/// A piece that parses reads back from every notation; all else is an error that points into the text.
pub fn piece_reads_back(text: &str) {
    match text.parse::<Leaper>() {
        Ok(piece) => notations_read_back(piece),
        Err(error) => {
            assert!(text.is_char_boundary(error.at()), "{error}");
            assert!(error.to_string().ends_with('^'), "{error}");
        }
    }
}

/// A piece reads back from every notation in which it is written.
pub fn notations_read_back(piece: Leaper) {
    let diagram = piece.diagram().to_string();
    let mut texts = vec![
        piece.to_string(),
        format!("{piece:#x}"),
        format!("{piece:#b}"),
        piece.list().to_string(),
        diagram.replace('\n', "/"),
        diagram.replace(' ', ""),
        diagram,
    ];
    texts.extend(piece.betza());
    for text in texts {
        assert_eq!(text.parse(), Ok(piece), "{text}");
    }
    assert_eq!(piece.betza().is_none(), piece.is_empty());
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
    let pieces = [Leaper::EMPTY, Leaper::KING, Leaper::KNIGHT, Leaper::ALL];
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
