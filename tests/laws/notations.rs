//! Laws of texts that are read as short-range pieces.

use tbindex::Leaper;

/// A text as a short-range piece: an error, or something that reads back as it prints.
pub fn laws_of_bytes(bytes: &[u8]) {
    piece_reads_back(&String::from_utf8_lossy(bytes));
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
        format!("{:#b}", piece.bits()),
        piece.list().to_string(),
        diagram.replace('\n', "/"),
        diagram.replace(' ', ""),
        diagram,
    ];
    texts.extend(piece.betza());
    for text in texts {
        assert_eq!(text.parse(), Ok(piece), "{text}");
    }
    assert_eq!(piece.betza().is_none(), piece == Leaper::EMPTY);
}
