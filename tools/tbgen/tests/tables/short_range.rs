//! Tables with short-range pieces: against the solver of king and piece against king, against tables of chess, and
//! against the rules.

use std::sync::Arc;

use tbgen::{
    Counting, Endgame, GamePosition, Letters, Library, Metric, Sample, Table, TableFile, Value,
    verify_moves,
};
use tbindex::fairy::Grid;
use tbindex::store::Overwrite;
use tbindex::{Color, Piece, PieceType, Position};
use tbindex_fairy::{MatePosition, MateTable};

use crate::mined::placed;
use crate::random::Random;
use crate::small::{file_of, stats_of, table as table_of_chess};
use crate::solved::all_of;
use crate::thorough::one_in;

/// The tables that an endgame needs, in its letters, and its own.
fn solved(name: &str) -> (Library, Arc<Table>) {
    let endgame: Endgame = name.parse().unwrap_or_else(|error| panic!("{error}"));
    let mut library = all_of(endgame, Metric::Dtm);
    let material = endgame.normal().material;
    let table = library.get(&material).unwrap().clone();
    library.retain(|of| *of != material);
    (library, Arc::new(table))
}

/// King and piece against king, all positions, by a solver of the library that shares nothing with this one.
#[test]
fn three_pieces_are_those_of_the_solver_of_mates() {
    // All eight symmetries, left and right, none, a mate of 446 plies, and no mate.
    for name in ["WD", "K", "ND", "WfF", "0x26425", "fWlFrDbN", "N"] {
        let (_, table) = solved(&format!("K[{name}]vK"));
        let mates = MateTable::new(&Grid::CHESS, name.parse().unwrap());
        let piece = Piece::new(Color::White, PieceType::Queen);
        let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
        let (mut legal, mut decided) = ([0; 2], [0; 2]);
        for side in Color::ALL {
            for (white_king, at, black_king) in
                (0..64).flat_map(|a| (0..64).flat_map(move |b| (0..64).map(move |c| (a, b, c))))
            {
                let of_mates = MatePosition {
                    side,
                    white_king,
                    piece: at,
                    black_king,
                };
                if !mates.is_legal(of_mates) {
                    continue;
                }
                let mut board = [None; 64];
                for (man, square) in [(kings[0], white_king), (piece, at), (kings[1], black_king)] {
                    board[usize::from(square)] = Some(man);
                }
                let value = table.value(&Position { board, side }).unwrap();
                let expected = match (mates.plies(of_mates), side) {
                    (None, _) => Value::DRAW,
                    (Some(plies), Color::White) => Value::win(plies),
                    (Some(plies), Color::Black) => Value::loss(plies),
                };
                assert_eq!(value.plies, expected.plies, "{name} {of_mates:?}");
                assert_eq!(value == Value::DRAW, expected == Value::DRAW);
                legal[side as usize] += 1;
                decided[side as usize] += u32::from(value != Value::DRAW);
            }
        }
        let power = mates.power();
        assert_eq!(legal, [power.legal_white, power.legal_black], "{name}");
        assert_eq!(decided, [power.wins_white, power.losses_black], "{name}");
    }
}

/// A leaper with the moves of a knight is a knight.
#[test]
fn a_knight_by_its_moves_is_a_knight() {
    let (_, table) = solved("KB[0x54422a]vK");
    let chess = table_of_chess("KBNvK", Metric::Dtm);
    let piece_set = table.shape().piece_set();
    let letters = Letters::for_leapers(&table.shape().endgame().leapers());
    let kinds = [PieceType::King, PieceType::Bishop, PieceType::Knight];
    let white = kinds.map(|kind| Piece::new(Color::White, kind));
    let black = Piece::new(Color::Black, PieceType::King);
    let men = [white[0], white[1], white[2], black];
    // In the table's letters the knight comes first.
    let bishop = piece_set.piece(white[1].into());
    let knight = piece_set.piece(tbindex::bitbase::Man {
        walk: tbindex::bitbase::Walk::Leaper(tbindex::Leaper::KNIGHT),
        color: Color::White,
    });
    let men_here = [white[0], bishop, knight, black];
    let mut random = Random::new(3);
    let mut compared = 0;
    while compared < 20_000 {
        let (number, side) = (random.bits(24), Color::ALL[random.bits(1) as usize]);
        let [of_chess, here] = [men, men_here].map(|men| placed(&men, number));
        let (Some(of_chess), Some(here)) = (of_chess, here) else {
            continue;
        };
        let [of_chess, here] = [of_chess, here].map(|board| Position { board, side });
        if GamePosition::parse(&letters.fen(&here, piece_set), &letters).is_ok() {
            let expected = chess.value(&of_chess).unwrap();
            assert_eq!(table.value(&here).unwrap(), expected, "{of_chess}");
            compared += 1;
        }
    }
}

/// Short-range pieces of no symmetry, on both sides and beside pieces of chess.
#[test]
fn values_are_what_the_moves_imply() {
    let one_in = |usual| match one_in(usual) {
        1 => Sample::All,
        usual => Sample::OneIn(usual as u64),
    };
    for (name, sample) in [
        ("K[WfF]vK[WfF]", one_in(1997)),
        ("K[WD]NvK", one_in(197)),
        ("K[brFfsDflAllN]vKB", one_in(9973)),
        ("KRvK[WfFflN]", one_in(9973)),
    ] {
        let (library, table) = solved(name);
        let checked = verify_moves(&table, &library, sample).unwrap();
        assert!(checked > 1000, "{name}: {checked}");
    }
}

/// This takes half a minute, and 400 MB.
#[test]
#[ignore = "five pieces: cargo test --release -p tbgen --test tables -- --ignored five_pieces_with"]
fn five_pieces_with_short_range_pieces_on_both_sides() {
    let (library, table) = solved("K[0x11880]NvK[FD]");
    let checked = verify_moves(&table, &library, Sample::OneIn(997)).unwrap();
    assert!(checked > 10_000, "{checked}");
}

#[test]
fn files_are_in_letters_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (library, table) = solved("KN[WfF]vK");
    assert_eq!(table.shape().endgame().to_string(), "K[WfF]NvK");
    for table in library.iter().chain([&*table]) {
        let endgame = table.shape().endgame();
        let path = folder.path().join(format!("{endgame}.tbm"));
        table.write(&path, Overwrite::Refuse).unwrap();
        let file = TableFile::open(&path).unwrap();
        assert_eq!(file.endgame(), endgame.own());
        let (read, expected) = (
            file.load(None, &false.into()).unwrap(),
            stats_of(table, Counting::Unordered),
        );
        let outcomes = stats_of(&read, Counting::Unordered).sides[0].outcomes;
        assert_eq!(outcomes, expected.sides[0].outcomes, "{endgame}");
        let again = read.in_letters(endgame);
        assert_eq!(stats_of(&again, Counting::Unordered), expected);
        if endgame.leapers().is_empty() {
            // A table of chess, byte by byte.
            let chess = file_of(&endgame.to_string(), Metric::Dtm);
            assert_eq!(std::fs::read(&path).unwrap(), chess);
        }
    }
}

#[test]
fn positions_are_read_and_printed_in_letters() {
    let letters = Letters::parse(&["L=WD", "g=WfF"]).unwrap();
    let fen = "8/8/4k3/8/3g4/8/1L6/K6N b - - 0 1";
    let board = GamePosition::parse(fen, &letters).unwrap();
    assert_eq!(board.endgame().to_string(), "K[WD]NvK[WfF]");
    assert_eq!(board.fen(), fen);
    // The black gold general on d4 goes down the board: c3, d3 and e3 before it, c4 and e4 beside it, and d5 behind it.
    let moves = board.moves();
    let gold = (0..moves.len()).filter(|&number| moves[number].uci().starts_with("d4"));
    let mut gold: Vec<String> = gold.map(|number| board.san(&moves, number)).collect();
    gold.sort();
    assert_eq!(gold, ["Gc3", "Gc4", "Gd3", "Gd5", "Ge3", "Ge4"]);
    for (fen, says) in [
        ("8/8/4k3/8/8/8/1L6/K7 b - - 0 1", "no piece G"),
        ("8/8/4k3/8/3g4/8/1L6/K6X b - - 0 1", "'X'"),
        ("8/8/4k3/8/3g4/8/1L6/K6P b - - 0 1", "pawns"),
        ("8/8/8/8/3g4/8/kL6/K6N b - - 0 1", "not legal"),
    ] {
        let error = GamePosition::parse(fen, &letters).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}
