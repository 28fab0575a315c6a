//! Bitbases written to index files and read back.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, SlotCodec};
use tbindex::store::{
    Contents, IndexFile, IndexWriter, Overwrite, Reduction, StoreErrorKind, Target, bitbase_into,
    bitbase_of, unwatched,
};
use tbindex::{Color, Material, Numbering, Piece, PieceType, Square};

use crate::support::contents::write;

fn domain(name: &str, fixed: &[(Piece, &str)]) -> (Material, Domain) {
    let material: Material = name.parse().unwrap();
    let fixed: Vec<(Piece, Square)> = fixed
        .iter()
        .map(|&(piece, square)| (piece, square.parse().unwrap()))
        .collect();
    (material, Domain::with_fixed(material, &fixed).unwrap())
}

#[test]
fn what_is_written_is_read_back_for_every_class() {
    let pawn = |color| Piece::new(color, PieceType::Pawn);
    let (white, black) = (pawn(Color::White), pawn(Color::Black));
    let rook = Piece::new(Color::Black, PieceType::Rook);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.tbi");
    for (name, fixed, free_kings) in [
        ("KRvK", &[][..], false),
        ("KRvK", &[], true),
        ("KBBvK", &[], false),
        ("KNNvK", &[], false),
        ("KQvKR", &[], false),
        ("KPvK", &[(white, "e4")], false),
        ("KPvK", &[(white, "e4")], true),
        ("KRPvK", &[(white, "a7")], false),
        ("KPPvK", &[(white, "b2"), (white, "g2")], false),
        ("KPPvK", &[(white, "b2"), (white, "g2")], true),
        ("KQPvKP", &[(white, "c6"), (black, "c7")], false),
        ("KQPvKP", &[(white, "c6"), (black, "c7")], true),
        ("KRvKR", &[(rook, "d5")], false),
    ] {
        let (material, mut domain) = domain(name, fixed);
        if free_kings {
            domain = domain.with_free_kings();
        }
        for numbering in Numbering::ALL {
            let codec = SlotCodec::<u32>::try_new(&domain, numbering).unwrap();
            // A set without a pattern that has all slots of a class or none: each slot's index is added with
            // its equivalents.
            let legal = Bitbase::legal(&domain, Color::White, Backend::detect()).unwrap();
            let mut set = Bitbase::new(&domain).unwrap();
            for (k, slot) in legal.slots().enumerate() {
                if (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 == 0 {
                    assert_eq!(set.insert_indices(&codec, &[codec.index(slot)]), 0);
                }
            }
            let contents = Contents::new(material, numbering).with_side(Some(Color::White));
            let writer = IndexWriter::create(
                &Target::plain(&path, Overwrite::Replace),
                contents.reduced(),
                Backend::detect(),
            )
            .unwrap();
            let header =
                bitbase_into(&set, &codec, writer, &Reduction::default(), unwatched).unwrap();
            let file = IndexFile::open(&path, Backend::detect()).unwrap();
            file.verify(1, unwatched).unwrap();
            assert!(header.count > 0 && header.count <= set.count(), "{name}");
            let back = bitbase_of(&file, &codec, unwatched).unwrap();
            assert!(back.rows() == set.rows(), "{name}, {numbering}");
        }
    }
}

#[test]
fn files_that_do_not_go_with_a_domain_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.tbi");
    let file = |material, numbering, indices: &[u32]| {
        write(&path, Contents::new(material, numbering), indices).unwrap();
        IndexFile::open(&path, Backend::detect()).unwrap()
    };
    let (material, rooks) = domain("KRvK", &[]);
    let codec = SlotCodec::<u32>::try_new(&rooks, Numbering::Natural).unwrap();
    let other: Material = "KQvK".parse().unwrap();
    // The last file has a king on the other's square.
    for (material, numbering, indices, what) in [
        (other, Numbering::Natural, &[0o123_456][..], "material"),
        (material, Numbering::Alternate, &[0o123_456], "numbering"),
        (material, Numbering::Natural, &[0o123_456, 0], "index"),
    ] {
        let file = file(material, numbering, indices);
        let error = bitbase_of(&file, &codec, unwatched).unwrap_err();
        let expected = (StoreErrorKind::Unsuitable, Some(path.as_path()));
        assert_eq!((error.kind(), error.path()), expected);
        let is_told = error.message().starts_with(&format!("its {what} is"));
        assert!(is_told, "{error}");
    }
    let contents = Contents::new(other, Numbering::Natural).reduced();
    let writer = IndexWriter::create(
        &Target::plain(&path, Overwrite::Replace),
        contents,
        Backend::detect(),
    )
    .unwrap();
    let set = Bitbase::new(&rooks).unwrap();
    let refused = bitbase_into(&set, &codec, writer, &Reduction::default(), unwatched);
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Unsuitable);
}
