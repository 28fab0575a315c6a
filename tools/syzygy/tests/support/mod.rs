//! The needs of several tests: the folder of the published files, and another prober.
#![allow(dead_code, reason = "no test needs all of it")]

pub(crate) mod reference;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cozy_chess::{Board, BoardBuilder, Color, File, Move, Piece, Rank, Square};
use shakmaty::{CastlingMode, Chess, fen::Fen};
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{MaybeRounded, SyzygyError, Tablebase};
use syzygy_tables::batch::{BatchProber, Positions};
use syzygy_tables::numbering::square_of;
use syzygy_tables::writer::{DtzEntry, WdlEntry};
use syzygy_tables::{Error, Kind, Material, Tables, Wdl};

/// The folder of published files, or `None` if it is missing; then a line says so.
pub(crate) fn published() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
    let folder = std::env::var_os("SYZYGY_TABLES").map_or(shared, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!(
        "SKIPPED: there are no published tables in {}",
        folder.display()
    );
    None
}

/// The table files of a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|e| e == "rtbw" || e == "rtbz"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Files that are read whole: a probe takes many small reads, and as system calls these take nearly all the time.
struct InMemory(OsFilesystem);

struct Bytes(Vec<u8>);

impl Filesystem for InMemory {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(Bytes(std::fs::read(path)?)))
    }
}

impl RandomAccessFile for Bytes {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.0.get(offset..));
        let rest = rest.unwrap_or(&[]);
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// The other prober, with the tables of a folder in memory.
pub(crate) fn other_prober(folder: &Path) -> Tablebase<Chess> {
    let mut tables = Tablebase::with_filesystem(Arc::new(InMemory(OsFilesystem::new())));
    tables.add_directory(folder).unwrap();
    tables
}

/// Numbers below a limit that look random.
fn random_numbers() -> impl FnMut(u64) -> u64 {
    let mut state = 1u64;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 31) % below
    }
}

/// Calls a function with random legal positions of materials, mirrored and in both colours, many of them with a pawn that
/// may be captured en passant where there can be one.
pub(crate) fn random_boards(
    tables: &Tables,
    materials: &[Material],
    count: usize,
    mut each: impl FnMut(Board),
) {
    let files = materials
        .iter()
        .map(|&material| tables.file(material, Kind::Wdl).unwrap());
    let files: Vec<_> = files.collect();
    let mut random = random_numbers();
    let mut found = 0;
    while found < count {
        let file = files[random(files.len() as u64) as usize];
        let sub_table = &file.sub_tables()[random(file.sub_tables().len() as u64) as usize];
        let numbering = sub_table.numbering();
        let place = random(1 << 32) << 24 ^ random(1 << 32);
        let position = numbering.positions(place % numbering.len()).next();
        let position = position.expect("there is such a place");
        let (mirror, exchange) = ([0, 7][random(2) as usize], random(2) == 1);
        let mut builder = BoardBuilder::empty();
        builder.side_to_move = if exchange {
            !sub_table.side()
        } else {
            sub_table.side()
        };
        for (slot, piece) in file.material().pieces().enumerate() {
            let square = square_of(position, slot) ^ mirror ^ if exchange { 56 } else { 0 };
            let color = if exchange {
                !piece.color()
            } else {
                piece.color()
            };
            *builder.square_mut(Square::index(square.into())) = Some((piece.piece(), color));
        }
        if random(2) == 1 {
            let mover = !builder.side_to_move;
            let on = |file: File, rank: Rank| Square::new(file, rank.relative_to(mover));
            let is_pawn =
                |file| builder.square(on(file, Rank::Fourth)) == Some((Piece::Pawn, mover));
            let file = File::ALL.into_iter().find(|&file| is_pawn(file));
            builder.en_passant = file.map(|file| on(file, Rank::Third));
        }
        if let Some(board) = builder.build().ok().filter(kings_apart) {
            each(board);
            found += 1;
        }
    }
}

/// Random legal positions of a material, white to move.
pub(crate) fn random_squares(tables: &Tables, material: Material, count: usize) -> Vec<u64> {
    let prober = BatchProber::new(tables, 0);
    let mut random = random_numbers();
    let mut all = Vec::with_capacity(count);
    while all.len() < count {
        let positions = (0..1 << 16).map(|_| {
            (0..material.len()).fold(0, |position, slot| position | random(64) << (8 * slot))
        });
        let positions: Vec<u64> = positions.collect();
        let answers = prober.probe_wdl(Positions::Squares(material, Color::White, &positions));
        let legal = positions
            .into_iter()
            .zip(answers)
            .filter(|(_, answer)| answer.is_ok());
        all.extend(legal.map(|(position, _)| position));
    }
    all.truncate(count);
    all
}

fn kings_apart(board: &Board) -> bool {
    let kings = [Color::White, Color::Black].map(|color| board.king(color));
    !cozy_chess::get_king_moves(kings[0]).has(kings[1])
}

/// The position as the chess library has it, or `None` if it is illegal.
pub(crate) fn board(material: Material, side: Color, position: u64) -> Option<Board> {
    let mut builder = BoardBuilder::empty();
    builder.side_to_move = side;
    for (slot, piece) in material.pieces().enumerate() {
        let square = square_of(position, slot);
        let file = File::index(usize::from(square & 7));
        let rank = Rank::index(usize::from(square >> 3));
        *builder.square_mut(Square::new(file, rank)) = Some((piece.piece(), piece.color()));
    }
    builder.build().ok().filter(kings_apart)
}

/// Compares our answers about a position with the other prober's, and says whether both had all tables they needed.
pub(crate) fn compare(ours: &Tables, other: &Tablebase<Chess>, board: &Board) -> bool {
    let fen = board.to_string();
    let setup = fen.parse::<Fen>().unwrap();
    let chess = setup
        .into_position(CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_impossible_check);
    let Ok(chess): Result<Chess, _> = chess else {
        return false;
    };
    let wdl = ours
        .probe_wdl(board)
        .unwrap_or_else(|error| panic!("{fen}: {error}"));
    let expected = other.probe_wdl_after_zeroing(&chess).unwrap();
    assert_eq!(wdl as i32, expected as i32, "{fen}");
    let (dtz, expected) = match (ours.probe_dtz(board), other.probe_dtz(&chess)) {
        // Not all tables that promotions lead to are there, and the two may try moves in another order.
        (Err(Error::Missing { .. }), _) | (_, Err(SyzygyError::MissingTable { .. })) => {
            return false;
        }
        (ours, other) => (
            ours.unwrap_or_else(|error| panic!("{fen}: {error}")),
            other.unwrap(),
        ),
    };
    let (MaybeRounded::Precise(plies) | MaybeRounded::Rounded(plies)) = expected;
    assert_eq!(dtz.plies, i32::from(plies), "{fen}: {dtz:?}, {expected:?}");
    true
}

/// The entries of a position without en passant, by the values in other files.
pub(crate) fn entries(tables: &Tables, board: &Board) -> (WdlEntry, DtzEntry) {
    let value = tables.probe_wdl(board).unwrap();
    let theirs = board.colors(!board.side_to_move());
    let (mut best_capture, mut keeps) = (None::<Wdl>, false);
    board.generate_moves(|moves| {
        for to in moves.to {
            let capture = theirs.has(to);
            if !capture && moves.piece != Piece::Pawn {
                continue;
            }
            let promotes =
                moves.piece == Piece::Pawn && [Rank::First, Rank::Eighth].contains(&to.rank());
            let promotions: &[Option<Piece>] = match promotes {
                true => &[
                    Some(Piece::Queen),
                    Some(Piece::Rook),
                    Some(Piece::Bishop),
                    Some(Piece::Knight),
                ],
                false => &[None],
            };
            for &promotion in promotions {
                let mut child = board.clone();
                child.play_unchecked(Move {
                    from: moves.from,
                    to,
                    promotion,
                });
                let after = -tables.probe_wdl(&child).unwrap();
                keeps |= after == value;
                if capture {
                    best_capture = Some(best_capture.map_or(after, |best| best.max(after)));
                }
            }
        }
        false
    });
    let wdl = WdlEntry::new(value, best_capture);
    if value > Wdl::Draw && keeps {
        return (wdl, DtzEntry::ANY);
    }
    let plies = tables.probe_dtz(board).unwrap().plies.unsigned_abs();
    (wdl, DtzEntry::new(value, plies as u16))
}
