//! Laws of every text that is read as a material or a position.

use tbindex::{Fen, Material, Numbering, PlacementCodec};

/// A text as a FEN and as a material: an error, or something that reads back as it prints.
pub fn laws_of_bytes(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    material_reads_back(&text);
    fen_reads_back_and_encodes(&text);
}

/// A material that parses prints as it was written; all else is an error that says what was expected.
pub fn material_reads_back(text: &str) {
    match text.parse::<Material>() {
        Ok(material) => {
            assert_eq!(material.to_string(), text);
            assert_eq!(material.swap_colors().swap_colors(), material);
            assert_eq!(material.index_order().count(), material.piece_count());
        }
        Err(error) => assert!(error.to_string().contains("expected"), "{error}"),
    }
}

/// A position that parses prints as a FEN of the same position, and survives encoding in both
/// numberings.
pub fn fen_reads_back_and_encodes(text: &str) {
    let fen = match text.parse::<Fen>() {
        Ok(fen) => fen,
        Err(error) => return assert!(error.to_string().contains("expected"), "{error}"),
    };
    let again: Fen = fen.position.to_string().parse().expect("own FEN");
    assert_eq!(again.position, fen.position);
    assert_eq!(fen.position.swap_colors().swap_colors(), fen.position);
    let Ok(material) = fen.position.material() else {
        return;
    };
    for numbering in Numbering::ALL {
        let codec =
            PlacementCodec::<u128>::try_new(material, numbering).expect("at most 21 pieces");
        let index = codec
            .encode(&fen.position)
            .expect("the position's own material");
        assert_eq!(codec.decode(index, fen.position.side), Ok(fen.position));
        assert_eq!(codec.equivalence().sort_like(index), index);
    }
}
