"""Says of positions, by python-chess and a folder of Syzygy files, whether they are mutual zugzwangs and have only moves.

Standard input has a FEN a line. Each becomes a line with `zugzwang` or `-`, and with `only-move` or `-`; the second is `?`
where the fifty-move counter decides, and files that round their distances do not say.
"""

import sys

import chess
import chess.syzygy


def result(wdl):
    """1 for a win, -1 for a loss; what the fifty-move rule draws is a draw."""
    return (wdl > 1) - (wdl < -1)


def is_zugzwang(tables, board):
    other = board.copy(stack=False)
    other.turn = not board.turn
    if not other.is_valid():
        return False
    return result(tables.probe_wdl(board)) < -result(tables.probe_wdl(other))


def only_move(tables, board):
    results = []
    for move in list(board.legal_moves):
        zeroing = board.is_zeroing(move)
        board.push(move)
        wdl = tables.probe_wdl(board)
        if abs(wdl) == 2 and not zeroing and abs(tables.probe_dtz(board)) >= 99:
            return "?"
        board.pop()
        results.append(-result(wdl))
    best = max(results, default=-1)
    enough = best == 1 or best == 0 and -1 in results
    return "only-move" if enough and results.count(best) == 1 else "-"


with chess.syzygy.open_tablebase(sys.argv[1]) as tables:
    for line in sys.stdin:
        board = chess.Board(line.strip())
        zugzwang = "zugzwang" if is_zugzwang(tables, board) else "-"
        print(zugzwang, only_move(tables, board.copy(stack=False)))
