#!/usr/bin/env python3
"""Compares this crate's answers, and files written by it, with python-chess, Stockfish and shakmaty-syzygy.

    cargo build --release -p syzygy-tables --examples
    tests/compare.py FOLDER [--positions 1000] [--tables KRBvKR KBNvKN] [--stockfish /usr/games/stockfish]
        [--tbgen target/release/tbgen [--own TABLES]] [--seed 1]

The folder's tables may be published ones or ours. Random legal positions of every table, on all of the board, with both
sides to move, colours exchanged or not, with en passant where it can be, and half of them with a fifty-move counter, are
probed by all; every difference is printed, and the exit status is 1 if there is one. Needs python-chess
(`pip install chess`), and says so if it is missing. The programs are looked for in target/release/examples.

A million positions of all 145 tables of 3 to 5 pieces, by single probes, batches, shakmaty-syzygy and python-chess:

    cargo build --release -p syzygy-tables --examples && cargo build --release -p tbgen-cli
    tests/compare.py FOLDER --all --positions 5000 --tbgen target/release/tbgen

`--all` fails if one of the 145 is not in the folder, and says which.
"""

import argparse
import csv
import itertools
import pathlib
import random
import subprocess
import sys

try:
    import chess
    import chess.syzygy
except ImportError:
    print("SKIPPED: python-chess is not installed (pip install chess)")
    sys.exit(0)

HERE = pathlib.Path(__file__).resolve()
EXAMPLES = HERE.parents[3] / "target/release/examples"

OUTCOMES = {"loss": -2, "blessed loss": -1, "draw": 0, "cursed win": 1, "win": 2}


def missing(folder):
    """The names of the tables of 3 to 5 pieces that a folder does not have, in the order of their pieces."""
    sides = ["".join(side) for count in range(4) for side in itertools.combinations_with_replacement("QRBNP", count)]
    pairs = itertools.combinations_with_replacement(sides, 2)
    names = [(f"K{a}vK{b}", f"K{b}vK{a}") for a, b in pairs if 1 <= len(a + b) <= 3]
    has = lambda name: all((folder / name).with_suffix(kind).exists() for kind in (".rtbw", ".rtbz"))
    missing_pairs = ((a, b) for a, b in names if not has(a) and not has(b))
    return [a if a.index("v") * 2 == len(a) - 1 else b for a, b in missing_pairs]


def with_counter(answer, counter):
    """The outcome with a fifty-move counter, or None where a distance in moves leaves it open."""
    wdl, dtz = answer
    if abs(wdl) != 2 or counter + abs(dtz) < 100 or counter == 0:
        return wdl
    return None if counter + abs(dtz) == 100 else wdl // 2


def random_position(name, rng):
    """A legal position of a material, or None."""
    board = chess.Board(None)
    swap = rng.random() < 0.5
    squares = rng.sample(range(64), len(name) - 1)
    for side, pieces in enumerate(name.split("v")):
        for letter in pieces:
            square = squares.pop()
            if letter == "P" and not 8 <= square < 56:
                return None
            piece = chess.PIECE_SYMBOLS.index(letter.lower())
            board.set_piece_at(square, chess.Piece(piece, (side == 0) != swap))
    board.turn = rng.random() < 0.5
    # A pawn that has just moved two squares, if it stands so.
    rank, behind, start = (4, 5, 6) if board.turn else (3, 2, 1)
    for square in board.pieces(chess.PAWN, not board.turn):
        file = chess.square_file(square)
        free = all(board.piece_at(chess.square(file, r)) is None for r in (behind, start))
        if chess.square_rank(square) == rank and free and rng.random() < 0.7:
            board.ep_square = chess.square(file, behind)
    if not board.is_valid():
        board.ep_square = None
    board.halfmove_clock = rng.choice([0, rng.randrange(100)])
    return board if board.is_valid() else None


def stockfish_answers(path, folder, fens):
    """The WDL and DTZ that Stockfish prints for each position, or None where it prints none."""
    commands = ["setoption name SyzygyPath value " + str(folder)]
    for fen in fens:
        commands += ["position fen " + fen, "d"]
    commands.append("quit")
    run = subprocess.run([path], input="\n".join(commands), capture_output=True, text=True, check=True)
    answers = {}
    fen = wdl = None
    for line in run.stdout.splitlines():
        if line.startswith("Fen: "):
            fen, wdl = line[5:], None
        elif line.startswith("Tablebases") and "fail" in line.lower():
            wdl = None
        elif line.startswith("Tablebases WDL:"):
            wdl = OUTCOMES[line.split(":")[1].split("(")[0].strip().lower()]
        elif line.startswith("Tablebases DTZ:") and wdl is not None:
            answers[fen] = (wdl, int(line.split()[2]))
    return [answers.get(fen) for fen in fens]


def answers_of(program, folder, fens):
    """The WDL and DTZ that an example of this package prints for each position, or None where it has an error."""
    run = subprocess.run([program, folder], input="\n".join(fens), capture_output=True, text=True, check=True)
    answers = {}
    for line in run.stdout.splitlines():
        fen, *answer = line.split("; ")
        answers[fen] = tuple(map(int, answer)) if len(answer) == 2 else None
    return answers


def tbgen_answers(program, folder, fens):
    """The WDL, DTZ and WDL with the counter that `tbgen probe` prints for each position, all of which it has as a batch."""
    command = [program, "probe", "--tables", folder, "-", "--values-only", "--format", "csv"]
    run = subprocess.run(command, input="\n".join(fens), capture_output=True, text=True)
    answers = {}
    for row in csv.DictReader(run.stdout.splitlines()):
        answer = int(row["wdl_at_zero"]), int(row["dtz"])
        answers[row["fen"]] = answer, int(row["wdl"]) if row["wdl"] else None
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--positions", type=int, default=1000, help="of each table")
    parser.add_argument("--tables", nargs="*", help="names; all of the folder by default")
    parser.add_argument("--all", action="store_true", help="all 145 tables of 3 to 5 pieces have to be there")
    parser.add_argument("--examples", type=pathlib.Path, default=EXAMPLES, help="folder of probe and shakmaty")
    parser.add_argument("--stockfish", help="program to compare with besides")
    parser.add_argument("--tbgen", help="tbgen to compare with besides")
    parser.add_argument("--own", type=pathlib.Path, help="folder of tbgen's own tables, in place of FOLDER for it")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    names = arguments.tables or sorted(path.stem for path in arguments.folder.glob("*.rtbw"))
    if arguments.all and (absent := missing(arguments.folder)):
        print(f"{len(absent)} of 145 tables are missing: {' '.join(absent)}")
        sys.exit(1)
    fens = []
    for name in names:
        count = tries = 0
        # Captures en passant are rare.
        wanted = arguments.positions * (20 if all("P" in side for side in name.split("v")) else 1)
        while count < wanted and tries < 100 * wanted:
            tries += 1
            board = random_position(name, rng)
            if board is not None:
                fens.append(board.fen(en_passant="legal"))
                count += 1
    ours = answers_of(arguments.examples / "probe", arguments.folder, fens)
    shakmaty = arguments.examples / "shakmaty"
    rust = answers_of(shakmaty, arguments.folder, fens) if shakmaty.exists() else None
    theirs = stockfish_answers(arguments.stockfish, arguments.folder, fens) if arguments.stockfish else []
    own = tbgen_answers(arguments.tbgen, arguments.own or arguments.folder, fens) if arguments.tbgen else None
    compared = {}
    en_passant = counters = different = 0
    with chess.syzygy.open_tablebase(str(arguments.folder)) as tables:
        for number, fen in enumerate(fens):
            board = chess.Board(fen)
            expected = tables.get_wdl(board), tables.get_dtz(board)
            others = [("python-chess", None if None in expected else expected)]
            if theirs:
                others.append(("Stockfish", theirs[number]))
            if rust:
                others.append(("shakmaty-syzygy", rust[fen]))
            if own and fen in own:
                answer, late = own[fen]
                others.append(("tbgen", answer))
                expected = with_counter(answer, 0 if board.is_checkmate() else board.halfmove_clock)
                counters += board.halfmove_clock > 0 and expected is not None
                if expected not in (None, late):
                    different += 1
                    print(f"{fen}: {expected} with the counter, tbgen {late}")
            en_passant += board.ep_square is not None
            for program, answer in others:
                # A table to which promotions lead may be missing, and probers try moves in other orders.
                if answer is None or ours[fen] is None:
                    continue
                compared[program] = compared.get(program, 0) + 1
                # Stockfish gives a checkmated side 0.
                mated = program == "Stockfish" and board.is_checkmate()
                if answer != ours[fen] and not mated:
                    different += 1
                    print(f"{fen}: ours {ours[fen]}, {program} {answer}")
    with_others = ", ".join(f"{count} compared with {program}" for program, count in compared.items())
    print(f"{len(names)} tables, {len(fens)} positions, {en_passant} of them with en passant: {with_others}, "
          f"{counters} with counters; {different} differences")
    sys.exit(1 if different or not compared else 0)


if __name__ == "__main__":
    main()
