//! What several tests need: where the published files are, and another prober.
#![allow(dead_code, reason = "no test needs all of it")]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cozy_chess::{Board, BoardBuilder, Color, File, Rank, Square};
use shakmaty::Chess;
use shakmaty_syzygy::Tablebase;
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use syzygy_tables::Material;
use syzygy_tables::numbering::square_of;

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
    let board = builder.build().ok()?;
    let kings = [Color::White, Color::Black].map(|color| board.king(color));
    (!cozy_chess::get_king_moves(kings[0]).has(kings[1])).then_some(board)
}
