//! The C++ interface answers as the library does.

use std::fmt::Write;

use tbindex::{
    Color, Compact, Conversion, Dense, Diagonal, Enumeration, Kings, Layout, Material, MaterialMap,
    Moves, Numbering, Orbit, Piece, PieceType, Rules, Square, Stage, Triangle,
};

use crate::building::{Language, Linked, has, installed, output};

/// Fowler, Noll and Vo's sum of words.
pub(crate) struct Sum(pub(crate) u64);

impl Sum {
    pub(crate) fn new() -> Sum {
        Sum(14_695_981_039_346_656_037)
    }

    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(1_099_511_628_211);
    }

    pub(crate) fn add_all(&mut self, words: impl IntoIterator<Item = u64>) {
        for word in words {
            self.add(word);
        }
    }

    /// Adds the words of a bitmap of these truths.
    fn add_bits(&mut self, truths: &[bool]) {
        let word = |block: &[bool]| {
            block
                .iter()
                .rev()
                .fold(0, |word, &truth| word << 1 | u64::from(truth))
        };
        self.add_all(truths.chunks(64).map(word));
    }
}

fn told_of_scheme(dense: &impl Dense<u64>) -> Sum {
    let mut told = Sum::new();
    let slots = || 0..dense.size();
    told.add_all(slots().map(|slot| dense.weight(slot).into()));
    told.add_all(slots().map(|slot| dense.twin(slot).unwrap_or(u64::MAX)));
    told
}

/// Every word that `tests/c/answers.cpp` prints of a material.
fn answers(material: Material, numbering: Numbering, text: &mut String) {
    let layout = Layout::<u64>::try_new(material.piece_count(), numbering).unwrap();
    let all = Enumeration::<u64>::try_new(material, numbering)
        .unwrap()
        .stage(Stage::Legal, Color::White)
        .canonical_only();
    let mut sum = Sum::new();
    let mut indices = Vec::new();
    for chunk in 0..all.chunk_count() {
        let counts = all.chunk(chunk, &mut indices);
        sum.add_all(Stage::ALL.map(|stage| counts[stage] as u64));
    }
    sum.add_all(indices.iter().copied());
    let mut line = |line: String| writeln!(text, "{material} {line}").unwrap();
    line(format!("enumeration {}", sum.0));

    let group = material.group();
    let compact = Compact::try_new(material, numbering, Rules::Distinct, Diagonal::Both).unwrap();
    let schemes = [
        told_of_scheme(&Orbit::new(layout, group)),
        told_of_scheme(&Triangle::new(layout, group)),
        told_of_scheme(&Kings::new(layout, group)),
        told_of_scheme(&compact),
    ];
    for told in schemes {
        line(format!("scheme {}", told.0));
    }

    let moves = Moves::try_new(material, numbering).unwrap();
    let (mut forth, mut back, mut ends) = (Sum::new(), Sum::new(), Sum::new());
    for side in Color::ALL {
        let of_all = |holds: &dyn Fn(u64) -> bool| -> Vec<bool> {
            indices.iter().map(|&index| holds(index)).collect()
        };
        let legal = of_all(&|index| moves.is_legal(index, side));
        let is_over = |index, in_check: bool| {
            moves.is_check(index, side) == in_check
                && moves.moves(index, side, None).next().is_none()
                && moves.is_legal(index, side)
        };
        ends.add_bits(&legal);
        ends.add_bits(&of_all(&|index| moves.is_check(index, side)));
        ends.add_bits(&of_all(&|index| is_over(index, true)));
        ends.add_bits(&of_all(&|index| is_over(index, false)));
        for (&index, _) in indices
            .iter()
            .zip(&legal)
            .step_by(37)
            .filter(|&(_, &legal)| legal)
        {
            for made in moves.moves(index, side, None) {
                let none = |number: Option<u8>| number.unwrap_or(u8::MAX);
                let promotion = made
                    .promotion
                    .map_or(0, |kind| Piece::new(side, kind).code());
                forth.add(made.after.index);
                forth.add_all(
                    [
                        made.after.side as u8,
                        made.piece as u8,
                        made.from.number(),
                        made.to.number(),
                        none(made.captured.map(|piece| piece as u8)),
                        promotion,
                        none(made.en_passant.map(Square::number)),
                    ]
                    .map(u64::from),
                );
                forth.add_all(made.after.material.to_string().bytes().map(u64::from));
            }
            back.add_all(moves.unmoves(index, side));
        }
    }
    line(format!("moves {} back {} ends {}", forth.0, back.0, ends.0));
    for (conversion, after) in material.conversions() {
        let normal = after.normal();
        let left = Enumeration::<u64>::try_new(normal, numbering)
            .unwrap()
            .stage(Stage::KingsApart, Color::White)
            .canonical_only();
        let mut some = Vec::new();
        left.chunk(0, &mut some);
        let mut before = Sum::new();
        for &index in some.iter().step_by(91) {
            before.add_all(moves.unconversions(conversion, index));
        }
        let takes = conversion.captured().map_or(0, Piece::code);
        let makes = match conversion {
            Conversion::Capture { .. } => 0,
            Conversion::Promotion { by, to, .. } => Piece::new(by, to).code(),
        };
        line(format!(
            "takes {takes} makes {makes}: {after} {normal} {}, before {}",
            u8::from(after.normal() == after),
            before.0
        ));
    }
    let pieces: Vec<Piece> = material.index_order().collect();
    for (number, piece) in pieces[..pieces.len() - 2].iter().enumerate() {
        let promoted =
            (piece.kind == PieceType::Pawn).then_some((None, Some((number, PieceType::Queen))));
        for (captured, promoted) in [(Some(number), None)].into_iter().chain(promoted) {
            let map = MaterialMap::<u64>::try_new(material, numbering, captured, promoted);
            let map = map.unwrap().unwrap();
            let mut sum = Sum::new();
            sum.add_all(indices.iter().map(|&index| map.map(index)));
            sum.add_all(indices.iter().map(|&index| map.unmap(map.map(index))));
            let swaps = u8::from(map.color(Color::White) == Color::Black);
            line(format!(
                "piece {number} to {} {swaps}: {}",
                map.target(),
                sum.0
            ));
        }
    }
    for below in material.below() {
        write!(text, "{below} ").unwrap();
    }
    text.push('\n');
}

#[test]
fn cpp_programs_are_told_what_the_library_says() {
    if installed().is_none() || !has("c++") {
        return;
    }
    let mut expected = String::new();
    answers("KQvK".parse().unwrap(), Numbering::Natural, &mut expected);
    answers("KvKP".parse().unwrap(), Numbering::Alternate, &mut expected);
    expected.push_str("0 wrong\n");
    let temp = tempfile::tempdir().unwrap();
    let way = (Language::Cpp17, Linked::Shared);
    assert_eq!(output("tests/c/answers.cpp", way, temp.path()), expected);
}
