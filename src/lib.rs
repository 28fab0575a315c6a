//! The index layer of chess endgame tablebases.
//!
//! # Turn a position into a number, and mirror it
//!
//! ```
//! use tbindex::{Fen, Numbering, PlacementCodec, Symmetry};
//! let fen: Fen = "8/8/2k5/1r6/8/8/8/2KQ4 b - -".parse()?;
//! let codec = PlacementCodec::<u32>::try_new("KQvKR".parse()?, Numbering::Natural)?;
//! let index = codec.encode(&fen.position)?;
//! let image = codec.equivalence().layout().flip(Symmetry::FlipHorizontal, index);
//! assert_eq!(codec.decode(image, fen.position.side)?.placement(), "8/8/5k2/6r1/8/8/8/4QK2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A chess position of n known pieces can be one number: six bits for each piece's square, the three
//! high bits of every square grouped together and then the three low bits. On such an index a flip of
//! the whole board is one XOR or one swap of halves, for all pieces at once. Under a second,
//! *alternate* numbering of the squares the high half never changes under any symmetry, and every flip
//! is a few bit operations on the low half.
//!
//! # Find the one number of equivalent positions
//!
//! Equivalent positions have one canonical index, the smallest of all.
//!
//! ```
//! use tbindex::{Equivalence, Material, Numbering, Symmetry};
//! let material: Material = "KRRvK".parse()?;
//! let same = Equivalence::<u32>::try_new(material, Numbering::Alternate)?;
//! let index = 0o1234_5670;
//! let image = same.layout().flip(Symmetry::Rotate90, index);
//! assert_eq!(same.canonical(image), same.canonical(index));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Enumerate a material into a file
//!
#![cfg_attr(feature = "store", doc = "```")]
#![cfg_attr(not(feature = "store"), doc = "```ignore")]
//! use tbindex::batch::Backend;
//! use tbindex::store::{Contents, IndexFile, IndexWriter, Overwrite, Target, enumerate, unwatched};
//! use tbindex::{Color, Enumeration, Material, Numbering, Stage};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("KRvK.tbi");
//! let material: Material = "KRvK".parse()?;
//! let all = Enumeration::<u32>::try_new(material, Numbering::Natural)?
//!     .stage(Stage::Legal, Color::White)
//!     .canonical_only();
//! let contents = Contents::new(material, Numbering::Natural).with_side(Some(Color::White));
//! let (backend, threads) = (Backend::detect(), 2);
//! let target = Target::plain(&path, Overwrite::Refuse);
//! let mut writer = IndexWriter::create(&target, contents.reduced(), backend)?;
//! enumerate(&all, &mut |indices| writer.write(indices), threads, &mut unwatched)?;
//! assert_eq!(writer.finish()?.count, 21_959);
//! IndexFile::open(&path, backend)?.verify(threads, &mut unwatched)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The layers
//!
//! The names of the first two layers are at the root. Each layer uses only layers above it.
//!
//! - The board: squares, sets of squares, symmetries, pieces, leapers, materials, positions. Nothing there knows of
//!   indices. Squares are numbered rank by rank from a1 = 0 to h8 = 63.
//! - One [index](Layout) at a time, without loops over the pieces and without tables; [dense numbers](Dense).
//! - [`batch`]: the same operations on slices of indices, with SIMD and run-time dispatch.
//! - [`bitbase`]: sets of positions, one bit for each, and moves as operations on whole sets.
//! - [`order`]: the orders of whole tables, among them those of dense numbers and of bitbases, and tables moved from one
//!   order to another.
//! - [`store`]: index files.
//! - [`fairy`]: short-range pieces of the 5×5 grid; it uses only the board.
//! - [`reference`](mod@reference): the operations on an index by table look-up, to test against.
//!
//! # Features
//!
//! Both are defaults.
//!
//! | feature | adds |
//! |---|---|
//! | none | the board, indices, batches, dense numbers, bitbases, short-range pieces, the reference; also for WebAssembly |
//! | `rayon` | operations on several threads |
//! | `store` | index files; pages of their own for bitbases, which go back to the system |
//!
#![cfg_attr(
    not(feature = "store"),
    doc = "[`store`]: https://docs.rs/tbindex/latest/tbindex/store"
)]

pub mod batch;
pub mod bitbase;
mod board;
mod checks;
mod debug;
#[cfg(feature = "failpoints")]
#[doc(hidden)]
pub mod fail_points;
pub mod fairy;
mod index;
pub mod order;
/// Nothing: only test builds have points at which tests hold the program.
#[cfg(not(feature = "failpoints"))]
#[macro_export]
#[doc(hidden)]
macro_rules! fail_point {
    ($name:literal) => {};
}
#[doc(hidden)]
pub mod proofs;
pub mod reference;
mod simd;
#[cfg(feature = "store")]
pub mod store;
mod word;

/// The examples of README, run as tests.
#[cfg(all(doctest, feature = "store"))]
#[doc = include_str!("../README.md")]
struct Readme;

pub use board::{
    Bitboard, CastlingRights, Color, Conversion, EpdLine, Fen, FenError, File, Group, Leaper,
    Lines, Material, MaterialError, NameError, Piece, PieceType, Position, Rank, Rights, Square,
    Step, Symmetry, attacks,
};
#[doc(hidden)]
pub use board::{Squares, bits};
pub use index::{
    Compact, Dense, Diagonal, Enumeration, Equivalence, Estimate, KingDistance, KingPairs, Kings,
    Layout, LayoutError, LikePieces, MaterialMap, Move, Moves, Numbering, Orbit, PlacementCodec,
    PlacementError, Reached, Rules, Stage, StageCounts, Triangle, Word,
};
#[doc(hidden)]
pub use index::{LeadingPieces, Masks};
