//! Sets of positions, one bit for each, and moves as operations on whole sets.
//!
//! # One ply of retrograde analysis
//!
//! ```
//! use tbindex::batch::Backend;
//! use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, Frontier, Slice};
//! use tbindex::{Color, Fen};
//! let (domain, backend) = (Domain::try_new("KRvK".parse()?, &[])?, Backend::detect());
//! let mate: Fen = "R5k1/8/6K1/8/8/8/8/8 b - -".parse()?;
//! let mut lost = Bitbase::try_new(&domain)?;
//! lost.insert(domain.slot(&mate.position)?);
//! // The known positions are those that can't be; the new ones are won.
//! let mut known = Bitbase::illegal(&domain, Color::White, backend)?;
//! let mut won = Frontier::try_new(&domain)?;
//! let mut found = Accumulator::new(&domain, backend);
//! for (number, (known, mut won)) in known.slices_mut().zip(won.slices_mut()).enumerate() {
//!     let slice = Slice::new(&domain, number);
//!     found.moves(&slice, Color::White, Direction::Backward, &lost);
//!     found.take_new(known, &mut won);
//! }
//! // The rook has come along the file.
//! assert_eq!(won.rows().map(|(_, row)| row.len()).sum::<u32>(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A generator of endgame tables works backwards from the checkmates: a position is won if a move leads to a
//! lost one, and lost if all moves lead to won ones. A *bitbase* lets it do so for many positions at once.
//! The squares of one piece are the bits of a word, and the squares of the next are the words of a block. So
//! one instruction moves a piece on 64 boards, or with vectors on 512. No position is ever decoded, looked up
//! or branched on by itself.
//!
//! This layer has the sets and the moves. The order of the work, the values, and the files are the
//! generator's. `examples/solve.rs` solves all materials without pawns in a page, and `tools/tbgen` is a complete
//! generator.
//!
//! # The number of a position
//!
//! A [`Domain`] says which pieces there are, and numbers their placements. The two kings come first. A pair
//! of their squares is a *slice*; [`KingPairs`](crate::KingPairs) numbers the pairs, 462 under D4, 1806 under
//! the file mirror, and 3612 without symmetries. The other pieces that move are the domain's *men*, in an
//! order. Their squares (a1 = 0, h8 = 63) are the digits, to base 64, of a number within the slice. The last
//! man's digit is the lowest. (The kings can also be [digits themselves](#free-kings).)
//!
//! ```text
//! slice  K, k                  462 under D4; with three men 32 KiB each
//! └─ slab   all men but two       64 to a slice for each of them; 64 words, 512 bytes
//!    └─ row    the last man but one, on a rank; 8 words, the bits of one vector register
//!       └─ word   the last man but one, on a square
//!          └─ bit    the last man, on a8 … h8
//!                                    …
//!                                   a1 … h1
//!
//! row of rank r    a_r        b_r        c_r        …       h_r      ← squares of the last man but one
//!               ┌──────────┬──────────┬──────────┬─────┬──────────┐
//!               │ 64 bits  │ 64 bits  │ 64 bits  │     │ 64 bits  │  ← squares of the last man
//!               └──────────┴──────────┴──────────┴─────┴──────────┘
//! ```
//!
//! The place of a position is its [`Slot`]: the slice and the number within it. A [`Bitbase`] has a bit for
//! each slot. The side to move is no part of a slot, so a generator has sets for each side to move. With one
//! man only the first word of a slice is in use, and without men only the first bit of that word.
//!
//! Every placement of the men has a slot. So pieces may share a square, and the king of the side that is not
//! to move may be in check. These slots stand for no positions, but they keep the numbers simple, and two
//! methods below use them: they limit the moves, and captures go through them.
//!
//! # Moves
//!
//! [`Accumulator::moves`] takes a set. It accumulates, for one slice, the positions that moves of one side lead to
//! ([`Direction::Forward`]) or come from ([`Direction::Backward`]). How a piece is moved depends on where its square is in the
//! number:
//!
//! - **The last man** moves within words. A Kogge–Stone fill takes a ray from all squares at once to where it
//!   is blocked, in three doublings, for the eight words of a row at a time. The free squares of all words of
//!   a slab are the same, but for the one square of the last man but one.
//!
//!   ```text
//!   north:   x |= free & x <<  8     free &= free <<  8
//!            x |= free & x << 16     free &= free << 16
//!            x |= free & x << 32     result: x << 8, the first square that is not free included
//!   ```
//!
//! - **The last man but one** moves within slabs: along files from row to row, along ranks from lane to lane,
//!   and along diagonals both at once. A ray through square s loses bit s, as the last man on s
//!   would block it.
//!
//!   ```text
//!   row of rank 3    a3  b3  c3  d3  e3  f3  g3  h3
//!                           ↗   ↗   ↗                   north-east: one row up and one lane on;
//!   row of rank 2    a2  b2  c2  d2  e2  f2  g2  h2     in each row, new positions join
//!                       ↗   ↗   ↗
//!   row of rank 1    a1  b1  c1  d1  e1  f1  g1  h1
//!   ```
//!
//! - **All other men** move from slab to slab. A running set goes along each line of the board, once in each
//!   direction. On every square it is added to the result, it loses the positions that the square blocks,
//!   and the positions that start there join it. So a queen takes 6.6 additions a square instead of one for
//!   each of its 22.8 moves (means on the empty board).
//!
//! - **Kings** move from slice to slice, unless they are [free](#free-kings) and move as men do. Where the group
//!   does not have the new pair of squares, a symmetry takes the kings to the equivalent pair that it has, and
//!   all other pieces along: slabs, rows and lanes change places, and words are flipped as bitboards.
//!   [`KingPairs::neighbours`](crate::KingPairs::neighbours) lists the pairs.
//!
//! An operation reads whole sets and writes to one slice. Threads take slices, from [`Bitbase::slices_mut`]
//! and [`Frontier::slices_mut`], and each has an [`Accumulator`] to work in. The results depend neither on the number of
//! threads nor on the [`Backend`](crate::batch::Backend).
//!
//! # Masks
//!
//! Moves keep men from jumping over pieces, and nothing more. They ask neither whether the square of arrival
//! is free nor whether a king is in check, for a generator has to remove the known positions from the results,
//! and removes the illegal placements in the same instruction. A placement is *illegal* with a side
//! to move if two pieces share a square or if the king of the other side is in check
//! ([`Slice::illegal_into`], [`Bitbase::illegal`]).
//!
//! | operation | its input | mask of its result |
//! |---|---|---|
//! | moves of a side, forth | legal with this side to move | illegal with the other side to move |
//! | moves of a side, back | legal with the other side to move | illegal with this side to move |
//! | captures by a side, back | legal with the other side to move, without the captured piece | illegal with this side to move |
//!
//! If both ends are legal positions, then the move is legal, too. The simplest way is to begin a set of known
//! positions with the illegal placements: [`Accumulator::take_new`] removes the known positions from the
//! accumulated ones, and adds the rest to the known ones.
//!
//! A king is in check exactly if it would be illegal for the other side to be to move (pieces on shared
//! squares aside). So the illegal placements also answer where a side is in check.
//!
//! # Losses
//!
//! A position is lost if all moves lead to positions that the opponent has won. To count the moves of each
//! position would take numbers, not bits. Instead, [`Accumulator::take_confined`] tests a few candidates, the
//! positions that reach a newly won position by some move. A position is *confined* to a set if no move leaves
//! the set. For each move of the side, its targets are read from the set, row by row, and the candidates that
//! leave the set are removed. [`Slice::confine`] does the same for any rows.
//!
//! No move leads to an illegal placement, so the set has to have all illegal placements. If it was begun with
//! them, it has. Checkmates and stalemates are the positions that are confined to the illegal placements
//! and have no capture.
//!
//! # Captures
//!
//! A capture leads to a smaller domain, which is solved before. Played backwards it is a move like any other.
//! In the position after the capture, the captured piece is put on the square of the capturing one. This is
//! an impossible placement of the larger domain. From there the capturing piece moves back to all squares
//! that it may have come from:
//!
//! ```text
//! after Q×r             the rook comes back     the queen moves away
//! .  .  .  .  .         .  .  .  .  .           .  Q  Q  Q  .
//! .  .  Q  .  .         .  . Qr  .  .           Q  Q  r  Q  Q
//! .  .  .  .  .         .  .  .  .  .           .  Q  Q  Q  .
//! ```
//!
//! [`Captures`] holds a set of the smaller domain, and [`Accumulator::captures`] plays the captures that lead
//! into it. The set decides which captures are accumulated: captures that win, captures that save, or all. Confinement
//! leaves captures out. So before losses are looked for, a generator adds the positions with a saving capture
//! to the set of positions that are not lost.
//!
//! # Fixed pieces and pawns
//!
//! Pieces can be *fixed* on squares. They block, guard, give check and can be captured, but they never move.
//! Pawns are always fixed. So a material with pawns falls into one domain for each placement of its pawns.
//! [`Domain::with_others_fixed`] goes from one placement to the next. The moves of pawns, their captures and
//! promotions lead from one domain to another, and are the generator's to make:
//!
//! - Domains have the same slots for the same squares if they have the same men in the same order and the same
//!   group. So where a pawn steps, [`Bitbase::with_same_squares`] takes the slots from one to the other as they
//!   are. [`Bitbase::remove_on`] removes the positions in which a piece is in the way.
//! - [`WithMan`] takes a pawn's captures of men back.
//! - [`Bitbase::convert`] takes a set to another order of the men, another group, exchanged colours, or pawns
//!   on the mirrored squares. It can also fix men: after a promotion on e8, only the positions of the larger
//!   domain with the queen on e8 count.
//!
//! The group is the largest that leaves the fixed pieces in place, and at most the file mirror with pawns.
//! [`Domain::in_group`] takes a smaller one.
//!
//! # Free kings
//!
//! With pawns there is hardly ever a symmetry, and often no other piece. Then each of 3612 slices would have a
//! word or only a bit in use. [`Domain::with_free_kings`] has the kings among the men instead. They are the first
//! two, and their squares are digits like all others. There is one slice, and with nothing but kings and pawns it
//! is one slab of 512 bytes:
//!
//! ```text
//! KPvK, the pawn fixed                      KRPvK, the pawn fixed
//! └─ row   white king on a rank             └─ slab  white king on a square
//!    └─ word  white king on a square           └─ word  black king on a square
//!       └─ bit   black king                       └─ bit   rook
//! ```
//!
//! All operations are the same, and their descriptions of men hold for free kings, too, which move and capture
//! as men do. Four things differ. There is no group but the trivial one. Slots in which the kings touch are
//! there, and are illegal with either side to move. Items that come in pairs of kings are not there:
//! [`Domain::king_pairs`] returns `None`. And as there is one slice,
//! threads can't share it; each has placements of pawns of its own instead.
//!
//! # Leapers
//!
//! A man can also be a [`Leaper`](crate::Leaper), with any steps of at most two files and two ranks. Nothing
//! blocks these. They need not have any symmetry. The group is then the largest that leaves the steps as they
//! are, and moves back differ from moves forth. Domains with leapers have no [`Material`](crate::Material);
//! [`Domain::slot_of_squares`] and [`Domain::squares`] convert their positions.
//!
//! # Sparse sets
//!
//! In most plies little is new. A [`Frontier`] notes which slabs and rows have positions, and moves from a
//! frontier visit no others. An [`Accumulator`] has notes, too. So the work of a ply is in proportion to its new
//! positions, but for a look at the notes, a bit and a byte for each slab.
//!
//! # Counting
//!
//! The same position can have two slots or more. Under D4, 21 of the slices have both kings on the long
//! diagonal; there a position and its mirror image both have slots, and are [*twins*](Domain::has_twins).
//! Like men are told apart, so that a position of KRRvK has two slots. This does no harm as long as sets have
//! all slots of a position or none, and all operations keep it so. But there are two kinds of counts:
//!
//! | function | counts |
//! |---|---|
//! | [`Bitbase::count`] | slots |
//! | [`Bitbase::count_classes`] | positions up to symmetry, with like men told apart or not ([`LikeMen`]) |
//!
//! # Memory
//!
//! A set of m men under D4 takes 462 · 64ᵐ bits: 15 MB for five pieces, kings included, 0.97 GB for six and
//! 62 GB for seven. With two men or fewer it takes 237 kB. Without symmetries, as for most placements of
//! pawns, it takes 3612 · 64ᵐ bits: 1.8 MB for two men, 118 MB for three. With
//! [free kings](#free-kings) it takes 64ᵐ bits, kings counted. [`Domain::bytes`] calculates it.
//!
//! White's wins and black's can be found one after the other. This takes two dense sets (won; lost or safe)
//! and three frontiers at a time. The distances need not be kept meanwhile: a generator may write the positions
//! of each ply to a log. Memory is taken when it is first written to. With the feature `store`, large sets have
//! pages of their own, and give them back to the system when they are dropped or [shrink](Frontier::shrink).
//!
//! # The order of the men
//!
//! The results do not depend on the order of the men, but the time does: a man costs most in the first places
//! and least in the last but one. All moves back of a queen among three men cost 248, 73 and 153 ns a slab in the
//! first, the last but one and the last place, the moves of a knight 95, 34 and 43 (AVX-512 on an Intel Xeon, Emerald
//! Rapids, one thread). In a whole solution, where sets are sparse, the slowest order of KQRvKN took a tenth more
//! processor time than the fastest. [`Domain::try_new`] has queens first and knights last; [`Domain::of_men`]
//! takes any order.
//!
//! # Where this comes from
//!
//! Retrograde analysis of whole sets, bit by bit, is old. L. Stiller solved endgames so from 1989 on. B.
//! Wendroff, T. Warnock and others described it for parallel and vector machines ("Bits and pieces:
//! constructing chess endgame databases on parallel and vector architectures", 1993).

mod accumulator;
pub(crate) mod add_moves;
mod captures;
mod classes;
pub(crate) mod confine;
mod convert;
mod counts;
mod domain;
pub(crate) mod eight_boards;
mod frontier;
mod image;
mod legal;
mod lines;
mod man;
mod moves;
pub(crate) mod notes;
pub(crate) mod pages;
mod row;
mod set;
mod slice;
mod slots;
mod squares;

pub use accumulator::Accumulator;
pub use add_moves::Positions;
pub use captures::{Captured, Capturer, Captures};
pub use classes::LikeMen;
pub use convert::Seen;
pub use domain::{Domain, DomainError, MOST_PIECES};
pub use frontier::{Frontier, FrontierSlice};
pub use man::{Direction, Man, Walk};
pub use row::Row;
pub use set::Bitbase;
pub use slice::Slice;
pub use slots::Slot;
pub use squares::WithMan;
