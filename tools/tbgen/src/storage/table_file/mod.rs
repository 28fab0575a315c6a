//! Table files. This comment is their specification, from which a reader can be written.
//!
//! All numbers are unsigned and little-endian. All checksums are CRC-32 as in zlib. Bytes without a meaning
//! are zero. A file has four parts:
//!
//! | part | begins at | length in bytes |
//! |---|---|---|
//! | header | 0 | 256 |
//! | values | 256 | 4 × (white values + black values), padded to a multiple of 64 |
//! | block table | `table offset` | 16 × `block count` |
//! | payload: the blocks without gaps | `payload offset` | `payload length`, up to the file's end |
//!
//! | at | bytes | header field | value |
//! |---|---|---|---|
//! | 0 | 8 | magic | `89 54 42 47 0d 0a 1a 0a`: as an index file's, with `TBG` |
//! | 8 | 2 | version | 3; or 2, and then the revision is 0 |
//! | 10 | 1 | compression | 1: LZ4 block format |
//! | 11 | 1 | pieces | n, 3 to 7 |
//! | 12 | 4 | placements | how many there are of the pawns, mirror images counted once; 1 without pawns |
//! | 16 | 8 | piece codes | white king, black king, the other pieces in the order of their squares in a slot's number, then white pawns and black pawns; codes as in index files |
//! | 24 | 4 | block slots | 64 with 3 pieces and no pawns, else 4096 |
//! | 28 | 2 | white values | how many codes there are with white to move |
//! | 30 | 2 | black values | the same with black to move |
//! | 32 | 8 | slots | of each side to move, see below |
//! | 40 | 8 | block count | 2 · slots / block slots |
//! | 48 | 8 | table offset | |
//! | 56 | 8 | payload offset | table offset + 16 × block count |
//! | 64 | 8 | payload length | |
//! | 72 | 4 | values checksum | of the values without their padding |
//! | 76 | 4 | table checksum | of the block table |
//! | 80 | 1 | metric | what the plies count: 0 to the next capture, move of a pawn, or mate; 1 to mate |
//! | 81 | 3 | | zero |
//! | 84 | 16 | piece_set | 4 for each of queen, rook, bishop and knight: what the letter stands for, see below |
//! | 100 | 2 | revision | of the solver that made the table; 0 before there were revisions |
//! | 102 | 150 | | zero |
//! | 252 | 4 | header checksum | of the bytes 0 to 251 |
//!
//! A *value* is 4 bytes: 2 for the kind, which is 0 for a draw, 1 for a win and 2 for a loss of the side to
//! move, and 2 for the plies, at most 32767. By the distance to zeroing, a win above 100 plies is cursed and a loss
//! blessed; by the distance to mate, wins are in an odd number of plies and losses in an even one. The first value of each
//! side is a draw, and no value is there twice.
//!
//! The *slots* of a side are numbered, without pawns, by the slice of the two kings (in the order of
//! `tbindex::KingPairs` under D4), and then by the squares of the other pieces, of which the last one's
//! changes fastest. With pawns they are numbered by the placement of the pawns, the squares of the white king and
//! the black king, and those of the others. Squares are a1 = 0, b1 = 1 … h8 = 63.
//!
//! With short-range pieces the piece codes are letters that stand for other pieces. A field of the *piece_set* is 0 if its
//! letter stands for itself, `2³¹ + m` for the short-range piece of White with the moves `m` (24 bits, as in
//! `tbindex::Leaper`; Black's is mirrored), and else the code of a white piece of chess. Letters are given out in the
//! order queen, rook, bishop, knight: first to short-range pieces, those with more moves before others and then
//! those with greater numbers, and then to the pieces of chess. The kings are numbered under the largest group that
//! keeps all pieces: D4, the mirror of files, or none.
//!
//! A placement of pawns is a pair of sets of squares, white's and black's. Read as two numbers of 64 bits (a1 the
//! lowest bit), white's first, it is greater than its mirror image, left and right, or is its own; the mirror
//! image is not kept, and positions with it are looked up in the mirror. Placements are in descending order of
//! the sum of ranks that the pawns have gone (a white pawn on rank r counts r − 1, a black one 8 − r), and where
//! that is equal in ascending order of the pairs.
//!
//! Each slot has a code, which is the number of its value: of one byte if its side has at most 256 values, else of two,
//! and then a block has the low bytes of all its codes first and the high bytes behind them. Like pieces are kept once: only slots in
//! which they stand in ascending order of their squares are in the file (two on one square included), the others
//! are left out. The code of an illegal position means nothing.
//!
//! A *block* has the codes of `block slots` slots, less those left out; it may be empty. White's blocks come
//! first. An entry of the block table is the block's offset from the start of the payload (8 bytes), its length
//! (4) and the checksum of its bytes as they lie in the file (4). If its length is that of its codes, a block is
//! not compressed.

mod kept;
mod reader;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

use tbindex::store::StoreError;
use tbindex::{Color, Material, Piece, PieceType};

use crate::chess::error::ProbeError;
use crate::chess::piece_set::{Endgame, PieceSet};
use crate::table::codes::MOST_CODES;
use crate::table::revision::distrust;
use crate::table::shape::Shape;
use crate::table::value::Metric;

pub(crate) use reader::KEPT_BYTES;
pub use reader::TableFile;
pub(crate) use writer::slices_at_once;

const MAGIC: [u8; 8] = *b"\x89TBG\r\n\x1a\n";
const VERSION: u16 = 3;
/// The version of files without a revision.
const BEFORE_REVISIONS: u16 = 2;
const LZ4: u8 = 1;
const HEADER_BYTES: usize = 256;
const VALUE_BYTES: usize = 4;
const ENTRY_BYTES: usize = 16;

/// The bytes of a code of one of so many values.
fn code_bytes(values: usize) -> usize {
    if values > 256 { 2 } else { 1 }
}

impl Metric {
    /// The extension of a table file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Metric::Dtz => "tbg",
            Metric::Dtm => "tbm",
        }
    }
}

/// The reason why a table file can't be read, written or trusted.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file can't be opened, mapped or published.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused something.
    #[error("{}: can't {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The action that failed.
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The file is of another kind.
    #[error("{}: not a table file: it begins with {found:02x?}, expected {MAGIC:02x?}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The bytes at its beginning.
        found: Vec<u8>,
    },
    /// The file is of another table than its name says.
    #[error("{}: this is {found}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The table that it is.
        found: String,
    },
    /// A checksum is wrong.
    #[error("{}: {part} is damaged: its checksum is {found:#010x}, expected {expected:#010x}: remove the file and generate it again", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The part of the file.
        part: String,
        /// The checksum of the bytes that are there.
        found: u32,
        /// The checksum that was stored.
        expected: u32,
    },
    /// A field of the file has an impossible value.
    #[error("{}: {what} is {found}: expected {expected}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The name of the field.
        what: String,
        /// The value found.
        found: String,
        /// The value expected.
        expected: String,
    },
    /// There are more different values on a side than codes.
    #[error("{}: there are {values} different values with {side} to move, a file has room for 2048", path.display())]
    Values {
        /// The file.
        path: PathBuf,
        /// The side to move.
        side: Color,
        /// The number of values.
        values: usize,
    },
    /// The revision of the solver that made the table is known to have been wrong about it.
    #[error("{}: the table can't be trusted, for {why}: remove the file and generate it again", path.display())]
    Distrusted {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The position isn't in the table.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The caller stopped the work.
    #[error("interrupted")]
    Interrupted,
}

/// The contents of a header, and the facts that follow from the material.
#[derive(Clone, Debug)]
struct Header {
    shape: Shape,
    metric: Metric,
    values: [usize; 2],
    payload_bytes: u64,
    values_checksum: u32,
    table_checksum: u32,
    /// The revision of the solver that made the table, or 0 before there were revisions.
    revision: u16,
}

impl Header {
    fn block_slots(&self) -> usize {
        if self.shape.any_domain().men().len() > 1 {
            4096
        } else {
            64
        }
    }

    /// The number of blocks of a part for one side to move.
    fn blocks_per_part(&self) -> usize {
        self.shape.any_domain().slices() * self.shape.any_domain().slabs()
    }

    fn blocks_per_side(&self) -> usize {
        self.shape.parts() * self.blocks_per_part()
    }

    fn table_offset(&self) -> u64 {
        let values = self.values.iter().sum::<usize>() * VALUE_BYTES;
        (HEADER_BYTES + values).next_multiple_of(64) as u64
    }

    fn payload_offset(&self) -> u64 {
        self.table_offset() + (2 * self.blocks_per_side() * ENTRY_BYTES) as u64
    }

    fn pieces(&self) -> Vec<Piece> {
        let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
        let domain = self.shape.any_domain();
        let men = domain.men().iter().filter(|man| !man.is_king());
        let pawns = domain.fixed().iter().map(|&(piece, _)| piece);
        kings
            .into_iter()
            .chain(men.map(|&man| self.shape.piece_of(man)))
            .chain(pawns)
            .collect()
    }

    fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0u8; HEADER_BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        let pieces = self.pieces();
        put(0, &MAGIC);
        let version = match self.revision {
            0 => BEFORE_REVISIONS,
            _ => VERSION,
        };
        put(8, &version.to_le_bytes());
        put(10, &[LZ4, pieces.len() as u8]);
        put(12, &(self.shape.parts() as u32).to_le_bytes());
        for (k, piece) in pieces.iter().enumerate() {
            put(16 + k, &[piece.code()]);
        }
        put(24, &(self.block_slots() as u32).to_le_bytes());
        put(28, &(self.values[0] as u16).to_le_bytes());
        put(30, &(self.values[1] as u16).to_le_bytes());
        put(32, &self.shape.slots().to_le_bytes());
        put(40, &(2 * self.blocks_per_side() as u64).to_le_bytes());
        put(48, &self.table_offset().to_le_bytes());
        put(56, &self.payload_offset().to_le_bytes());
        put(64, &self.payload_bytes.to_le_bytes());
        put(72, &self.values_checksum.to_le_bytes());
        put(76, &self.table_checksum.to_le_bytes());
        put(80, &[self.metric as u8]);
        for (k, field) in self.shape.piece_set().fields().into_iter().enumerate() {
            put(84 + 4 * k, &field.to_le_bytes());
        }
        put(100, &self.revision.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..252]);
        bytes[252..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header, and checks that it agrees with itself and with the file's length.
    fn decode(path: &Path, bytes: &[u8], file_bytes: u64) -> Result<Header, FileError> {
        let begins = &bytes[..bytes.len().min(MAGIC.len())];
        if begins != MAGIC {
            return Err(FileError::Foreign {
                path: path.to_owned(),
                found: begins.to_vec(),
            });
        }
        let field = |what: &str, found: String, expected: String| FileError::Field {
            path: path.to_owned(),
            what: what.to_owned(),
            found,
            expected,
        };
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            let expected = format!("at least {HEADER_BYTES} bytes");
            return Err(field("the file's length", file_bytes.to_string(), expected));
        };
        let u16_at = |at: usize| u16::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        let u32_at = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        let u64_at = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        if !(BEFORE_REVISIONS..=VERSION).contains(&u16_at(8)) {
            let expected =
                format!("{BEFORE_REVISIONS} or {VERSION}; make the table again with this tbgen");
            return Err(field(
                "the format's version",
                u16_at(8).to_string(),
                expected,
            ));
        }
        check(path, "the header", &bytes[..252], u32_at(252))?;
        let count = usize::from(bytes[11]);
        let pieces: Option<Vec<Piece>> = (bytes[16..24].iter().take(count))
            .map(|&code| Piece::from_code(code))
            .collect();
        let piece_set = PieceSet::from_fields([84, 88, 92, 96].map(u32_at));
        let shape = pieces
            .filter(|pieces| pieces.len() == count)
            .and_then(|pieces| Material::from_pieces(pieces).ok())
            .filter(|material| material.is_normal())
            .zip(piece_set)
            .map(|(material, piece_set)| Endgame {
                material,
                piece_set,
            })
            .filter(|endgame| endgame.own() == *endgame || endgame.piece_set.is_chess())
            .and_then(|endgame| Shape::of_endgame(endgame).ok());
        let Some(shape) = shape else {
            let found = format!("{:02x?}", &bytes[16..24]);
            let expected =
                "the codes of 3 to 7 pieces, the stronger side white, and what they stand for";
            return Err(field("the list of pieces", found, expected.to_owned()));
        };
        let metric = match bytes[80] {
            0 => Metric::Dtz,
            1 => Metric::Dtm,
            other => return Err(field("the metric", other.to_string(), "0 or 1".to_owned())),
        };
        let header = Header {
            shape,
            metric,
            values: [usize::from(u16_at(28)), usize::from(u16_at(30))],
            payload_bytes: u64_at(64),
            values_checksum: u32_at(72),
            table_checksum: u32_at(76),
            revision: u16_at(100),
        };
        let possible = |count: &&usize| !(1..=MOST_CODES).contains(*count);
        if let Some(values) = header.values.iter().find(possible) {
            return Err(field(
                "the number of values",
                values.to_string(),
                format!("1 to {MOST_CODES}"),
            ));
        }
        // The fields known by now determine all others.
        let expected = header.encode();
        if let Some(at) = (0..252).find(|&at| bytes[at] != expected[at]) {
            let what = format!("byte {at} of the header");
            return Err(field(
                &what,
                bytes[at].to_string(),
                expected[at].to_string(),
            ));
        }
        let length = header.payload_offset().checked_add(header.payload_bytes);
        if length != Some(file_bytes) {
            let expected = length.map_or_else(|| "a sensible number".to_owned(), |n| n.to_string());
            return Err(field("the file's length", file_bytes.to_string(), expected));
        }
        let distrusted = distrust(&header.shape.material(), metric, header.revision);
        if let Some(why) = distrusted.filter(|_| header.shape.piece_set().is_chess()) {
            return Err(FileError::Distrusted {
                path: path.to_owned(),
                why,
            });
        }
        Ok(header)
    }
}

fn check(path: &Path, part: &str, bytes: &[u8], expected: u32) -> Result<(), FileError> {
    check_sum(path, part, crc32fast::hash(bytes), expected)
}

fn check_sum(path: &Path, part: &str, found: u32, expected: u32) -> Result<(), FileError> {
    if found == expected {
        return Ok(());
    }
    Err(FileError::Checksum {
        path: path.to_owned(),
        part: part.to_owned(),
        found,
        expected,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tbindex::Square;
    use tbindex::batch::Backend;
    use tbindex::bitbase::{Bitbase, Row, Slice, Slot};
    use tbindex::store::Overwrite;

    use super::*;
    use crate::table::planes::Planes;
    use crate::table::shape::Slot as Place;
    use crate::table::solved::{Part, Side, Table};
    use crate::table::value::Value;

    #[test]
    fn a_table_of_a_revision_that_was_wrong_is_refused() {
        let path = Path::new("KPPvKP.tbm");
        let opened = |revision| {
            let header = Header {
                shape: Shape::new("KPPvKP".parse().unwrap()).unwrap(),
                metric: Metric::Dtm,
                values: [1, 1],
                payload_bytes: 0,
                values_checksum: 0,
                table_checksum: 0,
                revision,
            };
            Header::decode(path, &header.encode(), header.payload_offset()).map(|_| ())
        };
        opened(1).unwrap();
        let error = opened(0).unwrap_err();
        assert!(matches!(error, FileError::Distrusted { .. }), "{error}");
        let error = error.to_string();
        assert!(
            error.starts_with("KPPvKP.tbm: ") && error.contains("revision 0"),
            "{error}"
        );
    }

    #[test]
    fn threads_share_a_table() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<TableFile>();
    }

    #[test]
    fn more_values_than_a_byte_tells_apart_come_back() {
        comes_back([MOST_CODES, 257], MOST_CODES as u16);
    }

    #[test]
    fn more_codes_than_values_come_back() {
        comes_back([MOST_CODES, 257], 100);
    }

    /// Of a part of a table, what is read with a rook on a square are just the positions that have one there, like men in
    /// any order included.
    #[test]
    fn positions_with_a_man_on_a_square_are_read_alone() {
        let shape = Shape::new("KRRPvK".parse().unwrap()).unwrap();
        let (part, side) = (7, Color::Black);
        let domain = shape.domain(part);
        let illegal = {
            let mut rows = vec![Row::EMPTY; domain.rows()];
            Slice::new(&domain, 0).illegal_into(side, &mut rows, Backend::detect());
            rows
        };
        let codes = 300;
        let mut positions = std::collections::BTreeMap::new();
        let mut planes = Planes::default();
        let mut put = |offset: u64, code: u16| {
            let word = (offset / 64) as usize;
            let mut these = [Row::EMPTY; 8];
            these[word / 8 % 8].0[word % 8] = 1 << (offset % 64);
            let legal = (illegal[word / 8].0[word % 8] >> (offset % 64)) & 1 == 0;
            if legal && !positions.contains_key(&offset) {
                planes.add(word / 64, &these, domain.rows(), code);
                positions.insert(offset, code);
            }
        };
        let mut random = 1u64;
        for _ in 0..40_000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let offset = random >> 40;
            let [first, second] = [offset >> 6 & 63, offset & 63];
            let code = (random >> 20 & 0xffff) as u16 % codes;
            put(offset, code);
            put(offset & !0xfff | second << 6 | first, code);
        }
        let none = |_| Part {
            domain: domain.clone(),
            sides: [(); 2].map(|()| Side {
                values: Arc::new(vec![Value::DRAW]),
                slices: vec![Planes::default()],
            }),
        };
        let mut parts: Vec<Part> = (0..shape.parts()).map(none).collect();
        parts[part].sides[side as usize] = Side {
            values: Arc::new(
                (0..codes)
                    .map(|plies| match plies {
                        0 => Value::DRAW,
                        plies => Value::win(plies),
                    })
                    .collect(),
            ),
            slices: vec![planes],
        };
        let table = Table {
            metric: Metric::Dtz,
            parts,
            shape,
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        table.write(&path, Overwrite::Refuse).unwrap();
        let table = TableFile::open(&path).unwrap().as_it_is();
        for square in [0, 27, 56, 63].map(Square::new) {
            let found = table.parts[part].with_fixed(side, 2, square).unwrap();
            let found = found.expect("free kings");
            let mut count = 0;
            for offset in 0..found.domain.slice_slots() {
                let before = (offset >> 6) << 12 | (square.index() as u64) << 6 | offset & 63;
                let code = positions.get(&before).copied().unwrap_or(0);
                let words = found.sides[side as usize].slices[0].words((offset / 64) as usize);
                let there = words.iter().enumerate().fold(0, |code, (bit, word)| {
                    code | ((word >> (offset % 64) & 1) as u16) << bit
                });
                assert_eq!(there, code, "{square} {offset:o}");
                count += usize::from(code > 0);
            }
            assert!(count > 300, "{count}");
        }
    }

    /// A table with so many codes on each side, and so many plies, survives being written and read.
    fn comes_back(counts: [usize; 2], different: u16) {
        let shape = Shape::new("KRRvK".parse().unwrap()).unwrap();
        let domain = shape.domain(0);
        // Like men are told apart by no code.
        let code = |slot: Slot, count: usize| {
            let offset = shape.in_order(slot.offset) as usize;
            (slot.slice * 31 + offset * 7 + offset / 64) % count
        };
        let sides = Color::ALL.map(|side| {
            let count = counts[side as usize];
            let mut slices = vec![Planes::default(); domain.slices()];
            let legal = Bitbase::legal(&domain, side, Backend::detect()).unwrap();
            for slot in legal.slots() {
                let mut rows = [Row::EMPTY; 8];
                let word = (slot.offset / 64) as usize;
                rows[word / 8 % 8].0[word % 8] = 1 << (slot.offset % 64);
                let code = code(slot, count) as u16;
                slices[slot.slice].add(word / 64, &rows, domain.rows(), code);
            }
            let values = (1..count as u16).map(|code| match code % different {
                plies if plies % 2 == 0 => Value::loss(plies),
                plies => Value::win(plies),
            });
            Side {
                values: Arc::new([Value::DRAW].into_iter().chain(values).collect()),
                slices,
            }
        });
        let table = Table {
            shape: shape.clone(),
            metric: Metric::Dtz,
            parts: vec![Part {
                domain: domain.clone(),
                sides,
            }],
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        table.write(&path, Overwrite::Refuse).unwrap();
        let file = TableFile::open(&path).unwrap();
        let loaded = file.load().unwrap();
        for side in Color::ALL {
            let legal = Bitbase::legal(&domain, side, Backend::detect()).unwrap();
            for (k, at) in legal.slots().enumerate() {
                let place = Place { side, part: 0, at };
                let expected = table.value_at(place).unwrap();
                assert_eq!(loaded.value_at(place).unwrap(), expected);
                if k % 10_007 == 0 {
                    let position = shape.position(place).unwrap();
                    assert_eq!(file.value(&position).unwrap(), expected);
                }
            }
        }
        let again = folder.path().join("again");
        loaded.write(&again, Overwrite::Refuse).unwrap();
        assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap());
    }
}
