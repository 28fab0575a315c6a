//! Boards and their moves against those of `cozy-chess`.

use cozy_chess::{Board, BoardBuilder, Color, File, Piece as Kind, Square as Place};
use tbgen::{GamePosition, Letters};
use tbindex::{Fen, Rights};

use crate::random::Random;
use crate::thorough::one_in;

/// The fields of a FEN but for the counters, without a right to capture en passant that no move uses.
fn fields(board: &Board) -> String {
    let mut usable = false;
    board.generate_moves(|moves| {
        usable |= moves
            .into_iter()
            .any(|step| captures_en_passant(board, step));
        usable
    });
    let fen = board.to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let passed = if usable { fields[3] } else { "-" };
    [fields[0], fields[1], fields[2], passed].join(" ")
}

fn captures_en_passant(board: &Board, step: cozy_chess::Move) -> bool {
    board.piece_on(step.from) == Some(Kind::Pawn)
        && step.from.file() != step.to.file()
        && board.piece_on(step.to).is_none()
}

/// Each move as engines write it, and the position after it, in order.
fn moves_of(board: &Board) -> Vec<[String; 2]> {
    let mut all = Vec::new();
    board.generate_moves(|moves| {
        for step in moves {
            let mut after = board.clone();
            after.play_unchecked(step);
            let mut written = step;
            // There a king that castles takes its rook.
            if board.colors(board.side_to_move()).has(step.to) {
                written.to = after.king(board.side_to_move());
            }
            all.push([written.to_string(), fields(&after)]);
        }
        false
    });
    all.sort();
    all
}

/// A FEN of two to seven men on random squares, often with kings, rooks and pawns where they may have rights.
fn random_fen(random: &mut Random) -> String {
    let mut below = |end: u64| random.below(end.into()) as usize;
    let mut board = [None; 64];
    let castles = below(2) == 0;
    for king in ['K', 'k'] {
        let first = if king == 'K' { 0 } else { 56 };
        let square = if castles { first + 4 } else { below(64) };
        board[square] = Some(king);
        if castles && below(2) == 0 {
            let rook = if king == 'K' { 'R' } else { 'r' };
            board[first + 7 * below(2)] = Some(rook);
        }
    }
    let pawns = below(2) == 0;
    for _ in 0..below(6) {
        let letter = b"QRBNPqrbnp"[below(10)];
        let (letter, square) = match pawns {
            true => (b"Pp"[below(2)], 24 + below(16)),
            false => (letter, below(64)),
        };
        if board[square].is_none() && board.iter().flatten().count() < 7 {
            board[square] = Some(char::from(letter));
        }
    }
    let ranks = board.chunks(8).rev().map(|rank| {
        let rank = rank.iter().map(|man| man.unwrap_or('1'));
        let rank: String = rank.collect();
        (2..=8).rev().fold(rank, |rank, empty| {
            rank.replace(&"1".repeat(empty), &empty.to_string())
        })
    });
    let ranks: Vec<String> = ranks.collect();
    let side = ["w", "b"][below(2)];
    let castling = if castles { "KQkq" } else { "-" };
    let rank = if side == "w" { 6 } else { 3 };
    let passed = match below(3) {
        0 => "-".to_owned(),
        _ => format!("{}{rank}", char::from(b'a' + below(8) as u8)),
    };
    format!("{} {side} {castling} {passed} 0 1", ranks.join("/"))
}

/// The board of the other crate, if the position is legal, with the rights that can be.
fn cozy_board(fen: &str) -> Option<Board> {
    let Fen {
        position,
        castling,
        en_passant,
    } = fen.parse::<Fen>().ok()?.with_rights(Rights::Keep).ok()?;
    // A text of more than two checkers is refused, and a board is not.
    let mut builder = BoardBuilder::empty();
    builder.side_to_move = color_of(position.side);
    for (piece, square) in position.occupied() {
        let kind = Kind::try_from(char::from(piece.kind).to_ascii_lowercase()).unwrap();
        builder.board[square.index()] = Some((kind, color_of(piece.color)));
    }
    for color in tbindex::Color::ALL {
        let rights = builder.castle_rights_mut(color_of(color));
        rights.short = castling.king_side[color as usize].then_some(File::H);
        rights.long = castling.queen_side[color as usize].then_some(File::A);
    }
    let without_right = builder.build().ok();
    builder.en_passant = en_passant.map(|square| Place::index(square.index()));
    builder.build().ok().or(without_right).filter(|board| {
        let [white, black] = Color::ALL.map(|color| board.king(color));
        !cozy_chess::get_king_moves(white).has(black)
    })
}

fn color_of(color: tbindex::Color) -> Color {
    Color::ALL[color as usize]
}

/// A random position of 20 000 in the quick form, of a million with `TBINDEX_THOROUGH`.
#[test]
fn boards_have_the_moves_of_another_crate() {
    let (mut random, letters) = (Random::new(1), Letters::default());
    let (mut legal, mut en_passant, mut castled) = (0, 0, 0);
    // A rook gave check before the pawn passed, so nobody can have let it pass.
    let refuted = ["4k3/8/r5K1/3pP3/8/8/8/8 w - d6 0 1".to_owned()];
    let all = (0..1_000_000 / one_in(50)).map(|_| random_fen(&mut random));
    for fen in refuted.into_iter().chain(all) {
        let own = GamePosition::parse(&fen, &letters).ok();
        let expected = cozy_board(&fen);
        assert_eq!(own.is_some(), expected.is_some(), "{fen}");
        let Some((own, expected)) = own.zip(expected) else {
            continue;
        };
        let without_counters = |position: &GamePosition| {
            let fen = position.fen();
            fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(without_counters(&own), fields(&expected), "{fen}");
        let moves = own.moves();
        let mut all: Vec<[String; 2]> = (moves.iter())
            .map(|step| [step.uci(), without_counters(&step.after)])
            .collect();
        all.sort();
        assert_eq!(all, moves_of(&expected), "{fen}");
        assert_eq!(own.in_check(), !expected.checkers().is_empty(), "{fen}");
        assert_eq!(own.can_move(), !moves.is_empty(), "{fen}");
        let captures = moves.iter().filter(|step| step.capture).count();
        let mut expected_captures = 0;
        expected.generate_moves(|steps| {
            let captures = steps.into_iter().filter(|&step| {
                let to: Place = step.to;
                expected.colors(!expected.side_to_move()).has(to)
                    || captures_en_passant(&expected, step)
            });
            expected_captures += captures.count();
            false
        });
        assert_eq!(captures, expected_captures, "{fen}");
        legal += 1;
        en_passant += usize::from(!own.fen().contains(" - 0 1"));
        castled += usize::from(
            moves
                .iter()
                .any(|step| ["e1g1", "e8c8"].contains(&&*step.uci())),
        );
    }
    let each = [legal, 50 * en_passant, 50 * castled];
    assert!(each.into_iter().all(|count| count > 2000), "{each:?}");
}
