//! Texts that are read as materials and positions.

use proptest::prelude::*;

use crate::text_laws as text;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn anything_is_a_material_or_an_error(line in ".*") {
        text::material_reads_back(&line);
        text::fen_reads_back_and_encodes(&line);
    }

    #[test]
    fn letters_of_materials_read_back(line in "K[QRBNP]{0,4}vK[QRBNP]{0,4}") {
        text::material_reads_back(&line);
    }

    #[test]
    fn boards_of_kings_and_more_read_back(
        squares in prop::collection::vec((0usize..64, 0usize..12), 0..12),
        white_king in 0usize..64,
        black_king in 0usize..64,
        white_moves: bool,
    ) {
        let mut board = vec!['1'; 64];
        for (square, piece) in squares {
            board[square] = b"QRBNPqrbnpQq"[piece] as char;
        }
        board[white_king] = 'K';
        board[black_king] = 'k';
        let rows: Vec<String> = board.chunks(8).map(|row| row.iter().collect()).collect();
        let side = if white_moves { 'w' } else { 'b' };
        text::fen_reads_back_and_encodes(&format!("{} {side} - - 0 1", rows.join("/")));
    }
}
