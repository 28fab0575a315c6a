//! Helpmates against searches by the moves of another move generator, which share no set with the solver.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use syzygy_tables::writer::Control;
use tbgen::{
    Counting, GamePosition, HelpSearch, Letters, Library, Metric, MineOptions, Options, PackedFile,
    Shape, Stats, Table, Tables, TempFile, Value, all_up_to, check_packed, mine, needed_by, pack,
    solve_shape,
};
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile};
use tbindex::{Color, Group, Material, Piece, PieceType, Position};

use crate::mined::{class, placed};
use crate::solved::{material, quietly};
use crate::thorough::one_in;

/// The tables of some materials, each after those that it needs.
pub(crate) fn solved(materials: &[Material]) -> Library {
    let mut library = Library::default();
    for &material in materials {
        let shape = Shape::new(material).unwrap();
        for victim in Color::ALL {
            let options = quietly(Metric::help(victim), Backend::detect());
            library.insert(solve_shape(&shape, &library, options).unwrap());
        }
    }
    library
}

/// Tables that solve what is asked for.
fn solving() -> Tables {
    let pool = rayon::ThreadPoolBuilder::new().build().unwrap();
    Tables::on_demand(1 << 30, pool, Tables::solver(Backend::detect()))
}

/// The shortest helpmate of a position, if there is one.
pub(crate) fn helpmate(library: &Library, game: &GamePosition, victim: Color) -> Option<Value> {
    let value = library.probe(Metric::help(victim), game).unwrap();
    (value != Value::DRAW).then_some(value)
}

/// The same value by tables in files, or by tables that solve.
fn found_by(tables: &Tables, game: &GamePosition, victim: Color) -> Option<Value> {
    let (value, _) = tables.value(Metric::help(victim), game).unwrap();
    (value != Value::DRAW).then_some(value)
}

/// The files of tables, and the tables that answer by them.
fn in_files(library: &Library) -> (tempfile::TempDir, Tables) {
    let folder = tempfile::tempdir().unwrap();
    for table in library.iter() {
        let path = Table::path(folder.path(), table.material(), table.metric());
        table.write(&path, Overwrite::Refuse).unwrap();
    }
    let tables = Tables::open(&[folder.path()]).unwrap();
    (folder, tables)
}

/// The tables of one piece or pawn on either side, and what they lead to, which are solved once.
pub(crate) fn one_against_one() -> &'static Library {
    static TABLES: LazyLock<Library> = LazyLock::new(|| solved(&needed_by(&material("KPvKP"))));
    &TABLES
}

/// The tables that a material needs, its own included: those of all tests, or new ones.
fn needed_tables<'t>(name: &str, own: &'t mut Option<Library>) -> &'t Library {
    let material = material(name);
    match one_against_one().of(&material, Some(Color::White)) {
        Some(_) => one_against_one(),
        None => own.insert(solved(&needed_by(&material))),
    }
}

/// The helpmates of a material in which White and in which Black is checkmated, if they are there.
pub(crate) fn both<'t>(tables: &'t Library, material: &Material) -> Option<[&'t Table; 2]> {
    let [white, black] = Color::ALL.map(|victim| tables.of(material, Some(victim)));
    Some([white?, black?])
}

/// The legal positions among every so many placements of a material's pieces, like pieces in all orders.
fn games(material: Material, step: usize) -> impl Iterator<Item = GamePosition> {
    let pieces: Vec<_> = material.name_order().collect();
    let numbers = (0..2u64 << (6 * pieces.len())).step_by(step);
    numbers.filter_map(move |number| {
        let board = placed(&pieces, number >> 1)?;
        let side = Color::ALL[(number & 1) as usize];
        GamePosition::new(&Position { board, side }, None)
    })
}

/// A key of a position.
fn key(game: &GamePosition) -> u64 {
    class(&game.position(), Group::Trivial)
}

/// The value of a position with so many shortest helpmates, if there are any.
fn value_of(plies: u16, solutions: u64) -> Option<Value> {
    (solutions > 0).then_some(Value::help(plies, solutions == 1))
}

/// A breadth-first search from the mates over the moves of all positions of three pieces, with the number of solutions.
/// Of a rook, or of all materials if `TBINDEX_THOROUGH` is set.
#[test]
fn all_positions_of_three_pieces_are_those_of_a_breadth_first_search() {
    let mut materials = all_up_to(3);
    if one_in(2) > 1 {
        materials.retain(|material| material.to_string() == "KRvK");
    }
    let tables = solved(&materials);
    let all: Vec<GamePosition> = (materials.iter())
        .flat_map(|&material| games(material, 1))
        .collect();
    let numbers: HashMap<u64, u32> = all.iter().map(key).zip(0..).collect();
    let mut mated = vec![false; all.len()];
    let mut before = vec![Vec::new(); all.len()];
    for (number, game) in all.iter().enumerate() {
        let moves = game.moves();
        mated[number] = moves.is_empty() && game.in_check();
        for step in moves {
            // Two kings are left over by a capture.
            if let Some(&after) = numbers.get(&key(&step.after)) {
                before[after as usize].push(number);
            }
        }
    }
    for victim in Color::ALL {
        let mut found: Vec<Option<(u16, u64)>> = vec![None; all.len()];
        let is_first = |k: &usize| mated[*k] && all[*k].position().side == victim;
        let mut last: Vec<usize> = (0..all.len()).filter(is_first).collect();
        for &mate in &last {
            found[mate] = Some((0, 1));
        }
        for plies in 1.. {
            let mut next = Vec::new();
            for &after in &last {
                let solutions = found[after].unwrap().1;
                for &number in &before[after] {
                    match &mut found[number] {
                        Some((there, count)) if *there == plies => *count += solutions,
                        Some(_) => {}
                        none => {
                            *none = Some((plies, solutions));
                            next.push(number);
                        }
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            last = next;
        }
        for (game, found) in all.iter().zip(found) {
            let expected = found.and_then(|(plies, count)| value_of(plies, count));
            let value = helpmate(&tables, game, victim);
            assert_eq!(value, expected, "{} {victim}", game.fen());
        }
    }
}

/// The number of sequences of so many moves to a checkmate of a side.
fn count(position: &GamePosition, victim: Color, plies: u16) -> u64 {
    let side = position.position().side;
    match (side == victim) == plies.is_multiple_of(2) {
        true => count_from(&position.fen().parse().unwrap(), plies),
        false => 0,
    }
}

/// The number of sequences of so many moves to a checkmate of the side that is to move then.
fn count_from(board: &cozy_chess::Board, plies: u16) -> u64 {
    if plies == 0 {
        let mated = !board.checkers().is_empty() && !board.generate_moves(|_| true);
        return u64::from(mated);
    }
    let mut all = 0;
    board.generate_moves(|moves| {
        for step in moves {
            let mut after = board.clone();
            after.play_unchecked(step);
            all += count_from(&after, plies - 1);
        }
        false
    });
    all
}

/// A forward search through all sequences of up to three moves of each side, from samples of larger tables, en passant and
/// promotions included.
#[test]
fn samples_of_four_and_five_pieces_are_those_of_a_forward_search() {
    let mut checked = [0; 7];
    let few: [(&str, &[(usize, u16)]); 4] = [
        ("KPvKP", &[(60_013, 6)]),
        ("KRvKN", &[(240_007, 4), (4_800_011, 6)]),
        ("KRPvK", &[(160_001, 4), (1_600_033, 6)]),
        ("KNNvK", &[(2_400_007, 6)]),
    ];
    for (name, samples) in few {
        let mut own = None;
        let tables = needed_tables(name, &mut own);
        let all = samples.iter().flat_map(|&(step, most)| {
            let few = if most == 6 { one_in(3) } else { 1 };
            games(material(name), step * few).map(move |game| (game, most))
        });
        for (game, most) in all {
            for victim in Color::ALL {
                let value_in = |plies| value_of(plies, count(&game, victim, plies));
                let expected = (0..=most).find_map(value_in);
                let value = helpmate(tables, &game, victim);
                let value = value.filter(|value| value.plies <= most);
                assert_eq!(value, expected, "{}", game.fen());
                if let Some(value) = expected {
                    checked[usize::from(value.plies)] += 1;
                }
            }
        }
    }
    assert!(checked[1..].iter().all(|&count| count > 0), "{checked:?}");
}

/// A position agrees with its moves.
fn agrees_with_moves(find: impl Fn(&GamePosition, Color) -> Option<Value>, game: &GamePosition) {
    let (moves, side) = (game.moves(), game.position().side);
    for victim in Color::ALL {
        let value = |game| find(game, victim);
        let after = moves.iter().filter_map(|step| value(&step.after));
        let after: Vec<Value> = after.collect();
        let least = after.iter().map(|value| value.plies).min();
        let expected = match least {
            None if moves.is_empty() && game.in_check() && side == victim => value_of(0, 1),
            None => None,
            Some(least) => {
                let best = after.iter().filter(|value| value.plies == least);
                // Several solutions after a move are two here.
                value_of(
                    least + 1,
                    best.map(|value| 2 - u64::from(value.is_unique())).sum(),
                )
            }
        };
        assert_eq!(value(game), expected, "{} {victim}", game.fen());
    }
}

#[test]
fn samples_of_four_pieces_agree_with_their_moves() {
    for (name, step) in [
        ("KPvKP", 3001),
        ("KQvKR", 3001),
        ("KRRvK", 3001),
        ("KPPvK", 3001),
        ("KBPvK", 3001),
        ("KRRvKN", 16_000_057),
    ]
    .into_iter()
    .take(if one_in(2) == 1 { 6 } else { 4 })
    {
        let mut own = None;
        let tables = needed_tables(name, &mut own);
        for game in games(material(name), step * one_in(5)) {
            agrees_with_moves(|game, victim| helpmate(tables, game, victim), &game);
        }
    }
}

/// Positions of all tables of a folder agree with their moves, one in so many, en passant included.
#[test]
#[ignore = "takes a folder: TBGEN_FOLDER=help cargo test --release -p tbgen --test tables -- --ignored helpmates"]
fn samples_of_a_folder_agree_with_their_moves() {
    let folder = std::env::var_os("TBGEN_FOLDER").expect("TBGEN_FOLDER");
    let tables = Tables::open(&[&folder]).unwrap();
    let find = |game: &GamePosition, victim| found_by(&tables, game, victim);
    let (mut passed, mut pawns) = (0, false);
    let paths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let names = paths.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let materials = names.filter_map(|name| name.parse::<Material>().ok());
    let has = |of: &Material| tables.has(Metric::HelpWhite, (*of).into());
    let materials: BTreeSet<Material> = materials.filter(has).collect();
    for material in materials {
        // Materials of 3 to 6 pieces.
        let step = [11, 1009, 200_003, 20_000_003][material.piece_count() - 3];
        let pawns_of = |color| material.count(Piece::new(color, PieceType::Pawn));
        pawns |= Color::ALL.into_iter().all(|color| pawns_of(color) > 0);
        for game in games(material, step) {
            agrees_with_moves(find, &game);
            for step in game.moves() {
                if !step.after.fen().contains(" - - ") {
                    agrees_with_moves(find, &step.after);
                    passed += 1;
                }
            }
        }
    }
    assert!(passed > 0 || !pawns, "no pawn can be captured en passant");
}

/// Legal and dead positions of three pieces, one by one, by the smallest of their images on the board.
#[test]
fn dead_positions_are_counted_up_to_symmetry() {
    let tables = solved(&all_up_to(3));
    for name in ["KNvK", "KPvK", "KQvK"]
        .into_iter()
        .take(if one_in(2) == 1 { 3 } else { 2 })
    {
        let material = material(name);
        let mut classes = [[(); 2]; 2].map(|side| side.map(|()| HashSet::new()));
        for game in games(material, 1) {
            let position = game.position();
            let class = class(&position, material.group());
            let [legal, dead] = &mut classes[position.side as usize];
            legal.insert(class);
            if Color::ALL.map(|victim| helpmate(&tables, &game, victim)) == [None; 2] {
                dead.insert(class);
            }
        }
        let counted = classes.map(|side| side.map(|classes| classes.len() as u64));
        let (both, never) = (both(&tables, &material).unwrap(), AtomicBool::new(false));
        let options = MineOptions {
            helpmates: Some(both),
            ..MineOptions::new(Backend::detect(), &never)
        };
        let (query, none) = ("dead".parse().unwrap(), Library::default());
        let dead = mine(both[0], &none, &query, options, |_| Ok(())).unwrap();
        let stats = Stats::of(both[0], Counting::Unordered).unwrap();
        let found = [0, 1].map(|side| [stats.sides[side].total(), dead.sides[side].positions]);
        assert_eq!(found, counted, "{name}");
    }
}

/// The side that can still mate, where pieces and squares decide.
#[test]
fn dead_positions_are_told_from_others() {
    for (fen, can_mate) in [
        ("8/8/8/3k4/8/8/3KB3/8 w - - 0 1", [false, false]),
        ("8/8/8/3k4/8/8/3KP3/8 w - - 0 1", [true, false]),
        // Bishops on squares of one colour, and of two.
        ("8/8/8/3kb3/8/8/3KB3/8 w - - 0 1", [true, true]),
        ("8/8/8/3kb3/8/8/3K1B2/8 w - - 0 1", [false, false]),
        // The queen has to be captured.
        ("8/8/8/8/8/2k5/1Q6/K7 b - - 0 1", [true, false]),
        ("8/8/8/8/8/8/kQ6/3K4 b - - 0 1", [false, false]),
        ("7k/8/8/1p6/1P6/8/8/K7 w - - 0 1", [true, true]),
    ] {
        let position = GamePosition::parse(fen, &Letters::default()).unwrap();
        let tables = solving();
        assert_eq!(tables.can_mate(&position).unwrap(), can_mate, "{fen}");
    }
}

#[test]
fn solutions_are_counted_and_files_have_the_same_values() {
    let fen = "8/8/7k/6Q1/8/8/8/K7 b - - 0 1";
    let position = GamePosition::parse(fen, &Letters::default()).unwrap();
    let library = solved(&needed_by(&position.endgame().material));
    let ((_folder, files), solving) = (in_files(&library), solving());
    for game in games(position.endgame().material, 97) {
        for victim in Color::ALL {
            let expected = helpmate(&library, &game, victim);
            for tables in [&files, &solving] {
                let found = found_by(tables, &game, victim);
                assert_eq!(found, expected, "{}", game.fen());
            }
            let Some(value) = expected.filter(|value| value.plies < 4) else {
                continue;
            };
            let solutions = files.solutions(&game, victim, value.plies, 10).unwrap();
            let all = count(&game, victim, value.plies);
            assert_eq!(solutions.found.len() as u64, all.min(10));
            assert_eq!(solutions.more, all > 10);
        }
    }
    let missing =
        GamePosition::parse("8/8/8/3k4/8/8/3KR3/8 w - - 0 1", &Letters::default()).unwrap();
    let missing = files
        .value(Metric::HelpBlack, &missing)
        .unwrap_err()
        .to_string();
    let says = "there is no KRvK.tbhb, nor KRvK.tbbp, in ";
    assert!(missing.contains(says), "{missing}");
    for tables in [&files, &solving] {
        let one = tables.solutions(&position, Color::Black, 12, 10).unwrap();
        assert_eq!((one.found.len(), one.more), (1, false));
        assert_eq!(one.found[0].last().unwrap(), "Qg7#");
    }
}

/// A search of a few plies finds the values that tables have.
#[test]
fn short_helpmates_are_found_without_tables() {
    let mut found = [0; 7];
    for (name, step) in [("KPvKP", 700_001), ("KQvKR", 700_001)] {
        let mut own = None;
        let library = needed_tables(name, &mut own);
        let (_folder, tables) = in_files(library);
        for game in games(material(name), step * one_in(5)) {
            for victim in Color::ALL {
                let mut search = HelpSearch::new(victim, 1 << 30);
                let expected = helpmate(library, &game, victim);
                let expected = expected.filter(|value| value.plies <= HelpSearch::MOST_PLIES);
                assert_eq!(search.value(&game), expected, "{}", game.fen());
                let Some(value) = expected else { continue };
                found[usize::from(value.plies)] += 1;
                // Two plies more have other solutions, too.
                for plies in [value.plies, (value.plies + 2).min(HelpSearch::MOST_PLIES)] {
                    let mine = search.solutions(&game, plies, 20);
                    let theirs = tables.solutions(&game, victim, plies, 20).unwrap();
                    assert_eq!((&mine.found, mine.more), (&theirs.found, theirs.more));
                    if plies < 4 {
                        assert_eq!(mine.count, Some(count(&game, victim, plies)));
                    }
                }
            }
        }
    }
    assert!(found.iter().sum::<u32>() > 3, "{found:?}");
    // Without memory it takes longer.
    let fen = "8/8/2k5/8/1r6/8/8/2KQ4 w - - 0 1";
    let position = GamePosition::parse(fen, &Letters::default()).unwrap();
    let counts = [0, 16 << 20].map(|memory| {
        let mut search = HelpSearch::new(Color::Black, memory);
        search.count(&position, 5)
    });
    assert!(counts[0] > 0 && counts[0] == counts[1], "{counts:?}");
}

/// Parts that are read back from a temporary file while others are solved, and after.
#[test]
fn tables_in_temporary_files_have_the_same_values() {
    let material = material("KPvK");
    let tables = solved(&needed_by(&material));
    let folder = tempfile::tempdir().unwrap();
    let temp_file = Arc::new(TempFile::new(folder.path()).unwrap());
    let shape = Shape::new(material).unwrap();
    for victim in Color::ALL {
        let options = Options {
            temp_file: Some(&temp_file),
            ..quietly(Metric::help(victim), Backend::detect())
        };
        let mut in_file = solve_shape(&shape, &tables, options).unwrap();
        in_file.pack(Some(&temp_file)).unwrap();
        let table = tables.of(&material, Some(victim)).unwrap();
        for position in games(material, 7).map(|game| game.position()) {
            let expected = table.value(&position).unwrap();
            assert_eq!(in_file.value(&position).unwrap(), expected, "{position}");
        }
        let stats = |table| Stats::of(table, Counting::Unordered).unwrap();
        assert_eq!(stats(&in_file), stats(table));
    }
}

/// Packed files, those of both sides with the same pieces among them, answer as what they were made of; those of pawns of
/// both sides if `TBINDEX_THOROUGH` is set.
#[test]
fn packed_files_have_the_same_values() {
    let backend = Backend::detect();
    for (name, step) in [("KPvK", 97), ("KNvKN", 3001), ("KPvKP", 9001)]
        .into_iter()
        .take(if one_in(2) == 1 { 3 } else { 2 })
    {
        let material = material(name);
        let tables = solved(&needed_by(&material));
        let folder = tempfile::tempdir().unwrap();
        let none = Library::default();
        // The tables that it leads to are not packed.
        for table in tables.iter().filter(|of| of.material() != material) {
            let path = Table::path(folder.path(), table.material(), table.metric());
            table.write(&path, Overwrite::Refuse).unwrap();
        }
        for victim in Color::ALL {
            let table = tables.of(&material, Some(victim)).unwrap();
            let path = Table::packed_path(folder.path(), material, table.metric()).unwrap();
            let begun = PartialFile::create(&path, Overwrite::Refuse).unwrap();
            pack(table, &none, begun, backend, Control::default()).unwrap();
            let file = PackedFile::open_as(&path, material.into(), table.metric()).unwrap();
            assert!(check_packed(&file, table, &none, backend).unwrap() > 0);
        }
        let games: Vec<GamePosition> = games(material, step).collect();
        let files = Tables::open(&[folder.path()]).unwrap();
        for game in &games {
            let found = Color::ALL.map(|victim| found_by(&files, game, victim));
            let expected = Color::ALL.map(|victim| helpmate(&tables, game, victim));
            assert_eq!(found, expected, "{}", game.fen());
        }
    }
}
