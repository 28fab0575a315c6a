"""Tables: every position of a small one against its moves, and whatever may be missing, wrong or interrupted."""

import os
import pathlib
import pickle
import shutil

import chess
import chess.syzygy
import numpy as np
import pytest
from conftest import in_threads, interrupted, random_indices, refused

import tbindex
from tbindex import Enumeration, Moves, PlacementCodec
from tbindex.tables import Answer, MissingTableError, Outcome, Tables, generate

THOROUGH = bool(os.environ.get("TBINDEX_THOROUGH"))
# Published files, where the tests of tools/syzygy look for them.
PUBLISHED = pathlib.Path(__file__).resolve().parents[3].parent / "shared" / "data" / "syzygy"
PUBLISHED = pathlib.Path(os.environ.get("SYZYGY_TABLES", PUBLISHED))
MATE_IN_14 = "8/8/8/8/8/2k5/8/K6R w - - 0 1"
FOUR_PIECES = "8/1r6/8/6k1/8/8/8/K6R w - - 0 1"
FIVE_PIECES = FOUR_PIECES.replace("8/8/8", "8/2Q5/8")


@pytest.fixture(scope="module")
def pawns(tmp_path_factory):
    """A folder with the tables of king and pawn against king, and of what the pawn becomes."""
    folder = tmp_path_factory.mktemp("pawns")
    assert set(generate("KPvK", folder, memory="512M", threads=2)) == {"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"}
    return folder


def worth(after):
    """The signed plies to mate that a move brings, after which there is this answer."""
    plies = abs(after.dtm) + 1
    return plies if after.wdl < 0 else -plies if after.wdl > 0 else 0


def best(plies):
    """The best of what some moves are worth: the soonest win, else a draw, else the latest loss."""
    return max(plies, key=lambda plies: ((plies > 0) - (plies < 0), -plies))


@pytest.mark.parametrize("side, other", [("white", "black"), ("black", "white")])
def test_positions_are_worth_the_best_of_their_moves(rooks, side, other):
    """One in fifty, whose moves lead to a fifth of the others; with TBINDEX_THOROUGH all."""
    tables, codec, moves = Tables(rooks), PlacementCodec("KRvK"), Moves("KRvK")
    same = tbindex.Material("KRvK").equivalence()

    def answers(indices, side):
        """The tables' answers, by index, once they are checked against the rules."""
        ends = [ask(indices, side).tolist() for ask in (moves.is_check, moves.is_mate, moves.is_stalemate)]
        answers = dict(zip(indices.tolist(), tables.probe_many(codec.decode(indices, side))))
        for answer, *end in zip(answers.values(), *ends):
            assert [answer.check, answer.checkmate, answer.stalemate] == end
            # There is nothing to capture or to push on the way to mate.
            assert answer.certain and answer.exact and answer.dtz == answer.dtm - answer.checkmate
            lost = answer.dtm < 0 or answer.checkmate
            assert answer.wdl == answer.wdl_at_zero == (2 if answer.dtm > 0 else -2 if lost else 0)
        return answers

    legal = Enumeration("KRvK", "legal", side, canonical=True).indices()
    assert len(legal) == {"white": 21959, "black": 28056}[side]
    before = answers(legal[:: 1 if THOROUGH else 50], side)
    steps = [moves.moves(index, side) for index in before]
    reached = [move.index for all in steps for move in all if len(move.material) == 3]
    reached = same.canonical(np.array(reached, np.uint32))
    after, reached = answers(np.unique(reached), other), iter(reached.tolist())
    draw = tables.probe("8/8/8/8/8/2k5/8/K7 w - -")
    for answer, all in zip(before.values(), steps):
        brought = [worth(after[next(reached)] if len(move.material) == 3 else draw) for move in all]
        assert answer.dtm == (best(brought) if brought else 0)


def test_one_metric_suffices(rooks, tmp_path):
    shutil.copy(rooks / "KRvK.tbm", tmp_path)
    both, mates, zeroing = Tables(rooks), Tables([tmp_path]), Tables(rooks, metric="dtz")
    counted = MATE_IN_14.replace("0 1", "90 60")
    answer = both.probe(counted)
    assert (answer.wdl, answer.wdl_at_zero) == (Outcome.CURSED_WIN, Outcome.WIN)
    assert zeroing.probe(counted) == answer._replace(dtm=None)
    # By the distance to mate, the mate may come too late; by that metric alone there is no fifty-move rule.
    alone = Tables(rooks, metric="dtm").probe(counted)
    assert alone.certain and mates.probe(counted) == alone._replace(certain=False)
    assert mates.probe(counted) == answer._replace(dtz=None, wdl=Outcome.WIN, certain=False)
    assert mates.dtm(counted) == both.dtm(counted) == answer.dtm == both.dtz(counted)
    missing = refused(MissingTableError, "there is no KRvK.tbg, nor KRvK.rtbw", mates.dtz, counted)
    assert missing.table == "KRvK"


@pytest.mark.parametrize("fen, checkmate", [(MATE_IN_14, False), ("8/8/8/8/8/2k5/R7/K7 b - - 0 1", False), ("8/8/8/8/8/R7/8/k1K5 b - - 0 1", True)])
def test_a_win_comes_in_time_if_counter_and_distance_make_at_most_100(rooks, fen, checkmate):
    tables = Tables(rooks)
    at_zero = tables.probe(fen)
    assert at_zero.checkmate == checkmate
    for counter in range(151):
        answer = tables.probe(fen.replace("0 1", f"{counter} 90"))
        in_time = checkmate or counter + abs(at_zero.dtz) <= 100
        assert answer == at_zero._replace(wdl=Outcome(at_zero.wdl if in_time else at_zero.wdl // 2))


@pytest.mark.parametrize("fen", [MATE_IN_14, "8/P6k/8/8/8/8/8/K7 w - - 3 9", "8/1P6/k7/8/8/8/8/K7 b - - 0 1", "8/8/8/8/8/1k6/P7/K7 b - - 99 80"])
def test_moves_and_lines_agree_with_python_chess(pawns, fen):
    tables, board = Tables(pawns), chess.Board(fen)
    assert tables.probe(board.fen()) == tables.probe(fen)
    moves = tables.moves(board.fen())
    assert len(moves) == board.legal_moves.count()
    for move in moves:
        step = board.parse_uci(move.uci)
        assert (move.san, move.capture, move.zeroing) == (
            board.san(step), board.is_capture(step), board.is_zeroing(step)
        )
        board.push(step)
        assert move.fen == board.fen(en_passant="legal")
        assert move.after == tables.probe(move.fen)
        assert move.wdl_at_zero == -move.after.wdl_at_zero
        board.pop()
    # The best comes first.
    assert [move.wdl for move in moves] == sorted((move.wdl for move in moves), reverse=True)
    assert moves[0].wdl == tables.wdl(fen) and moves[0].dtz == tables.dtz(fen)
    line = tables.line(fen)
    for move in line.moves:
        assert move == tables.moves(board.fen(en_passant="legal"))[0]
        board.push_uci(move.uci)
    assert line.fen == board.fen(en_passant="legal")
    ends = {"checkmate": board.is_checkmate(), "draw": tables.wdl(line.fen) == 0, "fifty moves": board.halfmove_clock == 100}
    assert ends[line.ending]


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"there are no published tables in {PUBLISHED}")
@pytest.mark.parametrize("name", ["KRvK", "KQvKR", "KPvK", "KPvKP"])
def test_syzygy_files_say_what_python_chess_reads(rooks, rng, name):
    tables, other = Tables([rooks, PUBLISHED]), chess.syzygy.open_tablebase(str(PUBLISHED))
    codec, moves = PlacementCodec(name), Moves(name)
    indices = random_indices(rng, len(codec.material), 200)
    boards = []
    for side in ("white", "black"):
        boards += map(chess.Board, codec.decode(indices[moves.is_legal(indices, side)], side))
    # After a double step there may be a right to capture it.
    if name == "KPvKP":
        board = chess.Board("8/8/8/8/1p6/8/P7/K6k w - - 0 1")
        board.push_uci("a2a4")
        boards += [board, chess.Board("6k1/8/8/2pP4/8/8/8/6K1 w - c6 0 1")]
        assert all(board.has_legal_en_passant() for board in boards[-2:])
    # Tables of what a pawn becomes may not be there.
    answers = tables.probe_many((board.fen() for board in boards), missing="none")
    assert all(answers[-2:]) and (all(answers) or name == "KPvKP")
    for board, answer in zip(boards, answers):
        if answer is None:
            continue
        try:
            wdl, plies = other.probe_wdl(board), other.probe_dtz(board)
        except chess.syzygy.MissingTableError:
            # It asks for more tables. No known move brings more than the answer.
            assert all(move.wdl <= answer.wdl for move in tables.moves(board.fen()) if move.wdl is not None)
            continue
        assert answer.wdl_at_zero == wdl
        # Own tables are exact, and those of Syzygy may be of one ply less.
        more = abs(answer.dtz) - abs(plies)
        assert plies * answer.dtz >= 0 and (more == 0 or name == "KRvK" and more == 1 and answer.exact)


@pytest.mark.skipif(not THOROUGH, reason="takes 20 seconds: TBINDEX_THOROUGH=1 runs it")
def test_the_right_to_capture_en_passant_is_heeded():
    tables = Tables.on_demand()
    fen = "8/8/8/Pp6/8/8/7k/K7 w - b6 0 1"
    moves = tables.moves(fen)
    assert {move.uci for move in moves} - {move.uci for move in tables.moves(fen.replace("b6", "-"))} == {"a5b6"}
    assert tables.dtm(fen) == best([move.dtm for move in moves]) != tables.dtm(fen.replace("b6", "-"))


def test_missing_tables_are_named(pawns, tmp_path):
    for name in os.listdir(pawns):
        if name != "KRvK.tbg":
            shutil.copy(pawns / name, tmp_path)
    tables, fen, rook = Tables(tmp_path), "8/P7/8/8/8/7k/8/K7 w - - 0 1", "8/8/8/8/8/7k/8/KR6 w - - 0 1"
    assert tables.wdl(fen) is Outcome.WIN
    # Nothing is known of a move into a missing table.
    assert [move.uci for move in tables.moves(fen) if move.after is None] == ["a7a8r"]
    for ask in (tables.probe, tables.moves, tables.line):
        missing = refused(MissingTableError, f"the table of KRvK is needed: .* in {tmp_path}", ask, rook)
        assert missing.table == "KRvK" and isinstance(missing, LookupError)
        assert pickle.loads(pickle.dumps(missing)).table == "KRvK"
    # The other files are looked for in the other folder.
    assert Tables([tmp_path, str(pawns)]).moves(fen) == Tables(pawns).moves(fen)
    assert refused(MissingTableError, None, tables.probe, "8/8/8/8/8/7k/1R4r1/K7 w - - 0 1").table == "KRvKR"
    fens = [fen, rook, "8/8/8/8/8/7k/8/K7 w - - 0 1"]
    refused(MissingTableError, None, tables.probe_many, fens)
    draw = Answer(Outcome.DRAW, True, Outcome.DRAW, 0, True, 0, False, False, False)
    assert tables.probe_many(iter(fens), missing="none") == [tables.probe(fen), None, draw]


def test_damaged_files_are_named(rooks, tmp_path):
    path, intact = tmp_path / "KRvK.tbg", (rooks / "KRvK.tbg").read_bytes()
    for damaged in [b"", intact[:100], b"x" + intact[1:], intact[:-1], intact[:300] + bytes(len(intact) - 300)]:
        path.write_bytes(damaged)
        refused(tbindex.StoreError, "KRvK.tbg", Tables(tmp_path).probe_many, [MATE_IN_14], missing="none")
    path.write_bytes((rooks / "KRvK.tbm").read_bytes())
    refused(tbindex.StoreError, "KRvK.tbg: this is", Tables(tmp_path).wdl, MATE_IN_14)
    tables = Tables(tmp_path)
    path.unlink()
    assert refused(FileNotFoundError, None, tables.wdl, MATE_IN_14).filename == str(path)
    nowhere = tmp_path / "nowhere"
    assert refused(FileNotFoundError, None, Tables, [rooks, nowhere]).filename == str(nowhere)
    refused(NotADirectoryError, None, Tables, rooks / "KRvK.tbg")
    refused(FileExistsError, None, generate, "KRvK", rooks / "KRvK.tbg")


@pytest.mark.parametrize(
    "fen, says",
    [
        ("", "8 ranks|expected"),
        ("8/8/8/8/8/2k5/8/7R w - - 0 1", "white has 0 kings"),
        ("8/8/8/8/8/2k5/1K6/7R w - - 0 1", "the kings touch"),
        ("8/8/8/8/8/2k4R/8/K7 w - - 0 1", "the side not to move is in check"),
        ("8/8/8/8/8/2k5/8/K6R x - - 0 1", "side"),
        ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "Chess960"),
        ("8/8/8/8/8/2k5/8/K6R w - - 151 1", '"151": expected 0 to 150'),
        ("8/8/8/8/8/2k5/8/K6R w - - x 1", 'counter is "x"'),
        ("8/8/8/8/8/2k5/8/K6L w - - 0 1", "L"),
    ],
)
def test_illegal_fens_say_what_is_wrong(rooks, fen, says):
    tables = Tables(rooks)
    for ask in (tables.probe, tables.wdl, tables.dtz, tables.dtm, tables.moves, tables.line):
        error = refused(tbindex.Error, says, ask, fen)
        assert str(error).startswith(f'"{fen}": ')
    refused(ValueError, says, tables.probe_many, [MATE_IN_14, fen], missing="none")


def test_answers_are_values(rooks):
    answer = Tables(rooks).probe(MATE_IN_14)
    assert answer == Tables.on_demand(memory=512 << 20).probe(MATE_IN_14)
    assert eval(repr(answer).replace("<", "").replace(": 2>", "")) == answer == pickle.loads(pickle.dumps(answer))
    assert hash(answer) == hash(Tables(rooks).probe(MATE_IN_14))
    assert answer._asdict()["dtm"] == 27 and str(answer.wdl) == "win"
    assert repr(Tables([rooks, str(rooks)], metric="dtm")) == f'Tables(["{rooks}", "{rooks}"], metric=\'dtm\')'
    assert repr(Tables.on_demand(memory="512M")) == "Tables.on_demand(memory=536870912)"


def test_letters_stand_for_short_range_pieces(tmp_path):
    assert generate("K[WD]vK", tmp_path) == ["K[WD]vK"]
    fen = "8/8/8/8/8/4k3/8/K1L5 w - - 0 1"
    for tables in (Tables(tmp_path, letters={"L": "WD"}), Tables.on_demand(letters={"l": tbindex.fairy.Leaper("WD")})):
        line = tables.line(fen)
        assert len(line.moves) == tables.dtm(fen) == 43 and line.moves[-1].san == "Lf8#"
        refused(tbindex.Error, "distances to mate alone", tables.dtz, fen)
        # Where the letter is not on the board there is chess.
        assert tables.wdl("8/8/8/8/8/4k3/8/K7 w - - 0 1") == 0
        refused(tbindex.Error, "'X'", tables.wdl, fen.replace("L", "X").replace("1X", "LX"))
    assert refused(MissingTableError, None, Tables(tmp_path, letters={"L": "W"}).wdl, fen).table == "K[W]vK"
    for letters in ({"N": "WD"}, {"LL": "WD"}, {"L": "?"}):
        refused(tbindex.Error, None, Tables, tmp_path, letters=letters)
    refused(tbindex.Error, "distances to mate alone", generate, "K[WD]vK", tmp_path, metric="dtz")


def test_threads_may_ask_at_the_same_time(rooks):
    legal = Enumeration("KRvK", "legal", "black", canonical=True).indices()[::100]
    fens = PlacementCodec("KRvK").decode(legal, "black")
    expected = Tables(rooks).probe_many(fens)
    for tables in (Tables(rooks), Tables.on_demand(threads=2)):
        found = []

        def one_by_one():
            found.append([tables.probe(fen) for fen in fens])

        def together():
            found.append(tables.probe_many(fens))

        assert in_threads(*[one_by_one, together] * 4) == []
        assert found == [expected] * 8


def test_positions_that_need_more_memory_are_refused():
    tables = Tables.on_demand(memory="30M", threads=1)
    with pytest.raises(MemoryError, match="a position of .* needs up to .* MiB of memory to solve: expected at most 30 MiB"):
        tables.probe(FOUR_PIECES)
    assert tables.wdl(MATE_IN_14) == Outcome.WIN


def test_other_arguments_are_refused(rooks):
    tables = Tables(rooks)
    for wrong, error in [
        (lambda: Tables(5), TypeError),
        (lambda: Tables([5]), TypeError),
        (lambda: Tables(rooks, metric="dtc"), ValueError),
        (lambda: Tables(rooks, "dtm"), TypeError),
        (lambda: Tables.on_demand(memory="much"), ValueError),
        (lambda: Tables.on_demand(memory=-1), ValueError),
        (lambda: Tables.on_demand(threads=2000), ValueError),
        (lambda: tables.probe(5), TypeError),
        (lambda: tables.probe([5]), TypeError),
        (lambda: tables.probe_many(MATE_IN_14), TypeError),
        (lambda: tables.probe_many([5]), TypeError),
        (lambda: tables.probe_many([MATE_IN_14], missing="maybe"), ValueError),
        (lambda: generate("KRK", rooks), tbindex.Error),
        (lambda: generate("KvK", rooks), tbindex.Error),
        (lambda: generate("KQQQvKQQQQ", rooks), tbindex.Error),
        (lambda: generate("K[??]vK", rooks), tbindex.Error),
    ]:
        refused(error, None, wrong)


FEN = "a text, which is a FEN or EPD line"


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda tables: tables.moves(None), f"fen: NoneType: expected {FEN}"),
        (lambda tables: tables.line(3), f"fen: int: expected {FEN}"),
        (lambda tables: tables.probe([MATE_IN_14], progress=3), "progress: int: expected a function"),
        (lambda tables: tables.probe([MATE_IN_14], invalid=3), "invalid: int: expected a text"),
        (lambda tables: tables.probe(MATE_IN_14, missing=None), "missing: NoneType: expected a text"),
        (lambda tables: tables.probe([1], material=3), "material: int: expected a tbindex.Material or its name"),
        (lambda tables: tables.probe_many([MATE_IN_14], missing=3), "missing: int: expected a text"),
        (lambda tables: Tables(3), "folders: int: expected a path, or several"),
        (lambda tables: Tables(".", letters=3), "letters: int: expected a mapping such as {'L': 'WD'}"),
        (lambda tables: Tables(".", letters={3: "W"}), "letters: int: expected a text"),
        (lambda tables: Tables(".", metric=3), "metric: int: expected a text"),
        (lambda tables: Tables.on_demand(memory=1.5), "memory: float: expected a number of bytes, or a text such as '512M'"),
        (lambda tables: Tables.on_demand(threads="2"), "threads: str: expected a whole number"),
        (lambda tables: generate(3, "."), "endgame: int: expected a text"),
        (lambda tables: generate("KRvK", 3), "folder: expected str, bytes or os.PathLike object, not int"),
        (lambda tables: generate("KRvK", ".", progress=3), "progress: int: expected a function"),
    ],
)
def test_arguments_of_other_types_are_named(rooks, monkeypatch, call, message):
    monkeypatch.chdir(rooks)
    assert str(refused(TypeError, None, call, Tables(rooks))) == message


@pytest.mark.parametrize("side", ["red", "", "weiß"])
def test_sides_that_are_none_are_named(rooks, side):
    tables, indices = Tables(rooks), np.zeros(1, np.uint32)
    for call in (
        lambda: tables.wdl(indices, material="KRvK", side=side),
        lambda: tbindex.Moves("KRvK").is_mate(indices, side),
        lambda: tbindex.Moves("KRvK").moves(0, side),
        lambda: tbindex.Enumeration("KRvK", side=side),
    ):
        assert str(refused(tbindex.Error, None, call)).startswith(f'side: "{side}" is not a side')


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked as POSIX has it")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_processes_do_not_wait_for_threads_that_are_not_theirs(rooks):
    files, on_demand = Tables(rooks), Tables.on_demand()
    expected = on_demand.wdl(MATE_IN_14)
    child = os.fork()
    if child == 0:
        try:
            on_demand.wdl(MATE_IN_14)
        except RuntimeError:
            os._exit(3 if files.wdl(MATE_IN_14) == expected else 4)
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has it")
@pytest.mark.parametrize(
    "point, work",
    [
        ("tables::solving", f"Tables.on_demand(memory='4G').probe('{FIVE_PIECES}')"),
        ("tbgen::solved", "generate('KQRvKR', 'tables')"),
    ],
)
def test_ctrl_c_ends_work_of_minutes(tmp_path, point, work):
    program = f"""
from tbindex.tables import Tables, generate
try:
    {work}
except KeyboardInterrupt:
    sys.exit(3)
"""
    assert interrupted(program, point, tmp_path) == ("", 3)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has it")
def test_ctrl_c_leaves_other_threads_their_answers(tmp_path):
    # One of the two is held, and the other waits for it.
    program = f"""
from tbindex.tables import Tables
tables, found = Tables.on_demand(), []
other = threading.Thread(target=lambda: found.append(tables.wdl('{MATE_IN_14}')))
other.start()
try:
    tables.wdl('{MATE_IN_14}')
except KeyboardInterrupt:
    other.join()
    sys.exit(3 if found == [2] else 4)
"""
    assert interrupted(program, "tables::solving", tmp_path) == ("", 3)
