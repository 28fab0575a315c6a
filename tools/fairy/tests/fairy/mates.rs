//! King and piece against king: known values, the fast solver against the plain one, the plain one against a
//! solver that knows positions only, symmetry, and lines of play.

use std::convert::Infallible;

use tbindex::batch::Backend;
use tbindex::fairy::Grid;
use tbindex::{Color, Leaper};
use tbindex_fairy::{
    MateCensus, MateClass, MateClasses, MatePosition, MateSolver, MateTable, MatingPower,
};

use crate::naive::{Game, Next};
use crate::piece;
use crate::random::Random;
use crate::thorough::one_in;

fn solve(backend: Backend, grid: Grid, pieces: &[Leaper]) -> Vec<MatingPower> {
    let mut powers = vec![MatingPower::default(); pieces.len()];
    MateSolver::new(grid, backend).solve_into(pieces, &mut powers);
    powers
}

/// Pieces of any number of moves, most of them with few: those have the long mates and the strange draws.
fn random_pieces(count: usize) -> Vec<Leaper> {
    let mut random = Random::new(21);
    let mut bits = || random.bits(24) as u32;
    let thinned = (0..count).map(|k| match k % 4 {
        0 => bits(),
        1 => bits() & bits(),
        2 => bits() & bits() & bits(),
        _ => bits() | bits(),
    });
    thinned.map(Leaper::new).collect()
}

/// Values of an independent brute force: mates, legal positions and wins with White to move, losses with Black
/// to move of 223 944, and the longest mate in plies.
const KNOWN: [(&str, u32, u32, u32, u32, u16); 8] = [
    ("K", 108, 200_424, 200_424, 201_736, 36),
    ("WD", 16, 200_768, 192_908, 176_460, 58),
    ("NF", 16, 194_552, 194_552, 201_356, 44),
    ("ND", 16, 194_896, 194_700, 200_744, 62),
    ("NWF", 172, 181_976, 181_976, 199_452, 26),
    ("WfF", 36, 205_896, 189_792, 175_050, 74),
    ("0xffffff", 7_108, 163_460, 163_460, 201_720, 10),
    ("none", 0, 223_944, 0, 0, 0),
];

#[test]
fn known_pieces_have_their_values() {
    for backend in Backend::available() {
        for (name, mates, legal_white, wins_white, losses_black, longest) in KNOWN {
            let expected = MatingPower {
                mates,
                legal_white,
                wins_white,
                legal_black: 223_944,
                losses_black,
                longest,
            };
            let powers = solve(backend, Grid::CHESS, &[piece(name)]);
            assert_eq!(powers, [expected], "{name}, {backend}");
            assert_eq!(MateSolver::plain(&Grid::CHESS, piece(name)), expected);
        }
        // White to move takes longer than Black.
        let powers = solve(backend, Grid::CHESS, &["fWF", "0x18100"].map(piece));
        assert_eq!([7, 1], [powers[0].longest, powers[1].longest]);
        for name in ["N", "W", "F", "D", "A", "FA", "WA", "FD", "FAD", "NW"] {
            let power = solve(backend, Grid::CHESS, &[piece(name)])[0];
            let won = (power.mates, power.wins_white, power.losses_black);
            assert_eq!(won, (0, 0, 0), "{name}");
        }
    }
}

/// Some hundreds of pieces on the chessboard, and one in 101 of those with at most four moves; with `TBINDEX_THOROUGH`
/// 20 000 and all of these. A dozen on boards of other sizes.
#[test]
fn the_fast_solver_agrees_with_the_plain_one() {
    let agrees = |grid: Grid, pieces: &[Leaper]| {
        let plain = |&piece: &Leaper| MateSolver::plain(&grid, piece);
        let plain: Vec<MatingPower> = pieces.iter().map(plain).collect();
        for backend in Backend::available() {
            assert!(solve(backend, grid, pieces) == plain, "{grid}, {backend}");
        }
    };
    let few = (0..Leaper::COUNT)
        .map(Leaper::new)
        .filter(|piece| piece.steps().len() <= 4);
    let mut pieces = random_pieces(240 * if one_in(2) == 1 { 83 } else { 1 });
    pieces.extend(few.step_by(one_in(101)));
    agrees(Grid::CHESS, &pieces);
    for size in ["7x8", "8x5", "4x4", "1x8", "3x6", "1x1", "10x6", "2x3"] {
        agrees(size.parse().unwrap(), &random_pieces(12));
    }
}

#[test]
fn every_move_gives_the_largest_pieces_without_a_checkmate_one() {
    for largest in ["WN", "FDA"].map(piece) {
        let more = (0..24).map(|bit| largest | Leaper::new(1 << bit));
        let more: Vec<Leaper> = more.filter(|&more| more != largest).collect();
        let powers = solve(Backend::detect(), Grid::CHESS, &more);
        assert!(powers.iter().all(|power| power.mates > 0), "{largest}");
    }
}

/// The totals and the records that the docs of `mates` name. Counts of images of other pieces than the
/// first of each class must be the same.
#[test]
#[ignore = "all pieces, some minutes: cargo test --release -p tbindex-fairy -- --ignored the_whole_census"]
fn the_whole_census_of_mates() {
    let solver = MateSolver::new(Grid::CHESS, Backend::detect());
    let classes = MateClasses::of(&Grid::CHESS, (0..Leaper::COUNT).map(Leaper::new));
    let census = MateCensus::try_new::<Infallible>(&solver, classes, &|_| Ok(())).unwrap();
    let all = census.pieces();
    assert_eq!((all.pieces, all.mates), (16_777_216, 16_734_976));
    assert_eq!(all.won_more_than_half, 15_647_868);
    assert_eq!(all.won_everywhere, 514_772);
    assert_eq!(all.longest.values().sum::<u64>(), 16_777_216);
    assert_eq!(all.longest.last_key_value(), Some((&446, &8)));
    assert_eq!(all.longest.get(&1), Some(&113_548));
    let pieces = |is_in: fn(&MateClass) -> bool| -> u32 {
        let classes = census.classes().filter(is_in);
        classes.map(|class| u32::from(class.images)).sum()
    };
    let few = pieces(|class| class.piece.steps().len() <= 8 && class.power.wins_everywhere());
    let many = pieces(|class| class.piece.steps().len() >= 12 && class.power.mates == 0);
    assert_eq!((few, many), (1, 2));
    // A sample of all pieces, each counted once, by the plain solver.
    let (mut random, mut everywhere) = (Random::new(5), 0);
    const SAMPLE: u32 = 4000;
    for _ in 0..SAMPLE {
        let piece = Leaper::new(random.bits(24) as u32);
        let plain = MateSolver::plain(&Grid::CHESS, piece);
        assert_eq!(census.power(piece), Some(plain), "{piece}");
        everywhere += u32::from(plain.wins_everywhere());
    }
    // The share is 3.07 %, and the standard deviation of the sample's 0.27 %.
    let share = f64::from(everywhere) / f64::from(SAMPLE);
    assert!((share - 0.0307).abs() < 4.0 * 0.0027, "{share}");
}

/// All distances and moves, on small boards for many pieces, on narrow ones and on the chessboard for one; and the longest
/// line, move by move.
#[test]
fn tables_are_those_of_a_solver_that_knows_positions_only() {
    let small = random_pieces(30).into_iter().map(|piece| (piece, 5, 4));
    let narrow = random_pieces(8).into_iter().map(|piece| (piece, 3, 6));
    let large = [
        (piece("NWF"), 8, 8),
        (piece("fWF"), 8, 8),
        (piece("fKbN"), 6, 6),
        (piece("sWsD"), 24, 1),
        (piece("vWvD"), 1, 24),
        (piece("K"), 10, 2),
        (piece("K"), 2, 12),
    ];
    for (piece, width, height) in small.chain(narrow).chain(large) {
        let table = MateTable::new(&Grid::new(width, height), piece);
        let game = Game::new(width.into(), height.into(), piece.bits());
        let solution = game.solve();
        let mut power = MatingPower::default();
        for position in Color::ALL.into_iter().flat_map(|side| game.positions(side)) {
            let plies = solution.plies(position);
            assert_eq!(table.plies(position), plies, "{piece} {position:?}");
            let mut ours = table.moves(position);
            let theirs = game.moves(position).into_iter();
            let mut theirs: Vec<MatePosition> = theirs.filter_map(Next::position).collect();
            ours.sort_unstable();
            theirs.sort_unstable();
            assert_eq!(ours, theirs, "{piece} {position:?}");
            if position.side == Color::White {
                power.legal_white += 1;
                power.wins_white += u32::from(plies.is_some());
            } else {
                power.legal_black += 1;
                power.losses_black += u32::from(plies.is_some());
                power.mates += u32::from(plies == Some(0));
            }
            power.longest = power.longest.max(plies.unwrap_or(0));
        }
        assert_eq!(*table.power(), power, "{piece} on {width}x{height}");
        let Some(start) = table.longest() else {
            assert_eq!(power.mates, 0, "{piece}");
            continue;
        };
        let line = table.line(start);
        let plies = line.iter().map(|&position| solution.plies(position));
        assert!(plies.eq((0..=power.longest).rev().map(Some)), "{piece}");
        for pair in line.windows(2) {
            let next = Next::To(pair[1]);
            assert!(game.moves(pair[0]).contains(&next), "{piece} {pair:?}");
        }
    }
}

#[test]
fn a_census_of_some_pieces_counts_their_classes() {
    let solver = MateSolver::new(Grid::CHESS, Backend::detect());
    let some = ["K", "WfF", "WbF", "N", "lWrF"].map(piece);
    let classes = || MateClasses::of(&Grid::CHESS, some);
    let census = MateCensus::try_new::<Infallible>(&solver, classes(), &|_| Ok(())).unwrap();
    let sizes = census.classes().map(|class| u32::from(class.images));
    assert_eq!(sizes.sum::<u32>(), 1 + 4 + 1 + 4);
    let powers = solve(Backend::detect(), Grid::CHESS, &some);
    for (piece, power) in some.into_iter().zip(powers) {
        assert_eq!(census.power(piece), Some(power));
    }
    assert_eq!(census.power(piece("W")), None);
    let tally = census.pieces();
    assert_eq!((tally.pieces, tally.won_everywhere), (10, 1));
    assert_eq!(tally.longest.get(&74), Some(&4));
    let stopped = MateCensus::try_new(&solver, classes(), &|_| Err("enough"));
    assert_eq!(stopped, Err("enough"));
}
