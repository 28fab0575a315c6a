//! The short-range pieces that can give mate: king and piece against king.
//!
//! White has a king and the piece, Black a king. The piece leaps, so nothing blocks it; it may not land on its own
//! king's square. The black king may take it unless the white king guards it. That is a draw, and so is stalemate
//! of either side. A piece need not have any symmetry, so all placements count. There are 223 944 legal ones on the
//! chessboard with Black to move.
//!
//! [`MateSolver`] answers for slices of pieces how many positions are won and how long the longest mate takes,
//! [`MateCensus`] for all pieces. [`MateTable`] has the distances of all positions of one piece, and lines of
//! play.
//!
//! # The census
//!
//! This is `tbindex fairy census --mates`, for all pieces on the chessboard. "Wins" is meant with White to move,
//! and from all legal positions: from all of them, from more than half of them. The notation is Betza's: W is the
//! wazir, F the ferz, D the dabbaba, A the alfil, N the knight, and K = WF the commoner. The length of a mate is that of the
//! longest with either side to move, where nothing else is said.
//!
//! | | pieces | share |
//! |---|--:|--:|
//! | all | 16 777 216 | |
//! | with a checkmate | 16 734 976 | 99.75 % |
//! | winning from more than half | 15 647 868 | 93.27 % |
//! | winning from everywhere | 514 772 | 3.07 % |
//! | with checkmates of which only a mate in one can be forced | 113 548 | 0.68 % |
//!
//! - **The commoner is the smallest piece that wins from everywhere, and the only one with eight moves.** None has
//!   fewer. With nine moves there are 84, among them `KfD`, `KflA`, `bsWFfsN` and `fWFD`; with ten 1168. But many
//!   moves are not enough: of the 24 pieces with 23 moves four fail, the images of `WfFlFDAN`, which lacks one move
//!   of the ferz.
//! - **Five moves win from nearly everywhere**: `blWlFfrA` wins 96.5 % of the positions. With six moves
//!   `rWfrblFrDlA` wins 99.5 %, and with seven `sWrFrDllN` 99.9 %. No piece with four moves wins more than 4.1 %.
//! - **Two moves can give mate**: five pieces up to symmetry. Among these, only `fWfD`, which goes up its file by one
//!   square or two and never comes back, can do more than mate in one: it wins in 68 positions.
//! - **More moves never take a checkmate away**: they only cover more squares. So it is enough to know the largest
//!   pieces without one. WN and FDA have none, with twelve moves each. Every piece with 13 moves or more has one, and
//!   every piece with 15 moves or more wins from more than half of the positions.
//! - **A piece that is bound to one colour of the checkerboard can't give mate**, as it is a part of FDA. **Pieces
//!   bound to every other file or rank can**: 26 552, and no other pieces that are bound to one colour and not
//!   confined can. The smallest have four moves, such as `rDflAllN` and `fWfrDblN`. The best, `vWsDAsN` with its 12 moves,
//!   wins from 42 % of the positions. With three colours or more there is no checkmate.
//! - **Pieces that are confined to a half-plane** nearly all have checkmates (126 776 of 130 960), and win from less
//!   than half of the positions: `flWfFlFfrblArfblN` from 42 %. Even on a line, 14 pieces can give mate, all of them
//!   images of parts of `sWsD`.
//! - So no bound piece wins from more than half of the positions. Among the pieces that are free on the plane but trapped in a
//!   corner, 62 876 win from more than half, `rWfrblFfrblArfblN` from 67 %, and none from everywhere.
//! - **The longest mate takes 446 plies**, 223 moves of each side. The piece is `brFfsDflAllN` (`0x26425`), with seven
//!   moves, and wins 99.3 % of the positions. The next ones take 424, 418 and 416. Among the pieces that win from
//!   everywhere `FfDAbsN` takes longest, 100 plies, and the piece with all 24 moves mates in 10.
//!
//! By the number of moves:
//!
//! | moves | pieces | with a mate | > half | everywhere | most won | longest, Black to move |
//! |--:|--:|--:|--:|--:|---|---|
//! | 2 | 276 | 36 | | | 0.03 % `fWfD` | 4 `fWfD` |
//! | 3 | 2 024 | 716 | | | 0.4 % `flWfD` | 30 `fWflFflA` |
//! | 4 | 10 626 | 6 346 | | | 4.0 % `flWfrFfrN` | 78 `rWfrFrfblN` |
//! | 5 | 42 504 | 33 736 | 204 | | 96.5 % `blWlFfrA` | 282 `bWblFlffrblN` |
//! | 6 | 134 596 | 123 170 | 9 678 | | 99.5 % `rWfrblFrDlA` | 338 `sWbrFrDrfblN` |
//! | 7 | 346 104 | 336 644 | 95 260 | | 99.9 % `sWrFrDllN` | 446 `brFfsDflAllN` |
//! | 8 | 735 471 | 730 578 | 416 436 | 1 | all K | 424 `brFfsDfAllN` |
//! | 9 | 1 307 504 | 1 305 972 | 1 070 580 | 84 | | 402 `rFfsDfAllN` |
//! | 10 | 1 961 256 | 1 960 978 | 1 856 706 | 1 168 | | 324 `blFDfrblAfslfN` |
//! | 11 | 2 496 144 | 2 496 116 | 2 465 720 | 7 236 | | 264 `frFDfAlAflbrrbN` |
//! | 12 | 2 704 156 | 2 704 154 | 2 697 786 | 25 487 | | 218 `vrWflDfAfhllN` |
//! | 13 | 2 496 144 | all | 2 495 188 | 57 988 | | 206 |
//! | 14 | 1 961 256 | all | 1 961 180 | 92 622 | | 156 |
//! | 15 | 1 307 504 | all | all | 108 868 | | 96 |
//! | 16 | 735 471 | all | all | 97 148 | | 60 |
//! | 18 | 134 596 | all | all | 35 994 | | 42 |
//! | 20 | 10 626 | all | all | 4 805 | | 28 |
//! | 22 | 276 | all | all | 190 | | 20 |
//! | 24 | 1 | all | all | 1 | | 10 |
//!
//! By the symmetries of the piece:
//!
//! | symmetries | pieces | with a mate | > half | everywhere | smallest of these |
//! |---|--:|--:|--:|--:|---|
//! | all eight | 32 | 20 | 20 | 12 | K |
//! | left–right, or forwards–backwards | 32 256 | 31 136 | 26 072 | 5 104 | `KfD`, `bsWFfA`, `bsWFfsN`, `fWFD` |
//! | both of these | 224 | 194 | 150 | 80 | `KsD`, `sWFD`, `sWFA` |
//! | one diagonal | 32 256 | 30 944 | 26 140 | 2 612 | `KflA` |
//! | both diagonals | 224 | 186 | 140 | 28 | `KfrblA` |
//! | half a turn | 3 584 | 3 460 | 2 852 | 500 | `KfrblN` |
//! | quarter turns | 32 | 28 | 22 | 12 | `KhrN`, `FAhrN` |
//! | none | 16 708 608 | 16 669 008 | 15 592 472 | 506 424 | |
//!
//! The 32 pieces with all eight symmetries are the sums of W, F, D, A and N. W, F, D, A, N, FD, FA, WA, DA, WN, FDA
//! and the piece without moves have no checkmate. The others, with the length of their longest mate in plies:
//!
//! | win from everywhere | plies | | all but few | plies | not won |
//! |---|--:|---|---|--:|--:|
//! | K | 36 | | WD | 58 | 7 860 |
//! | KD, KA, KDA | 30, 30, 26 | | WDA | 52 | 700 |
//! | FN | 44 | | DN, WDN | 62, 34 | 196 |
//! | KN, FDN, FAN | 26, 28, 34 | | AN, WAN, DAN | 70, 44, 38 | 192 |
//! | KDN, KAN, FDAN, KDAN | 12, 20, 22, 10 | | WDAN | 28 | 196 |

mod census;
mod fast;
mod histogram;
mod plain;
mod power;
mod solver;
mod table;

pub use census::{MateCensus, MateClass, MateClasses, MateTally};
pub use histogram::longest_mates_picture;
pub use power::MatingPower;
pub use solver::MateSolver;
pub use table::{MatePosition, MateTable};
