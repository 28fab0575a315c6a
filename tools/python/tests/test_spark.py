"""The examples for Spark, on a cluster of this machine alone. With TBINDEX_THOROUGH=1 it reduces 20 million
positions, and compares with the program as well, if TBINDEX names it."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import random_indices

from tbindex import Enumeration, Material, PlacementCodec, store
from tbindex.tables import Tables, generate

pa, pq, pyspark = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet", "pyspark"))
pytestmark = pytest.mark.skipif(
    shutil.which("java") is None, reason="Spark needs Java (apt-get install default-jre-headless)"
)
EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"
THOROUGH = bool(os.environ.get("TBINDEX_THOROUGH"))


def submit(example, *arguments, status=0):
    """Runs an example on a cluster of two workers of this machine; what it says if it fails."""
    process = subprocess.run(
        [sys.executable, str(EXAMPLES / example), *map(str, arguments), "--master", "local-cluster[2,1,1024]"],
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_HOME": str(pathlib.Path(pyspark.__file__).parent),
        },
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert process.returncode == status, process.stderr[-5000:]
    return process.stderr


def test_spark_labels_as_the_library_does(tmp_path, rng):
    generate("KRvK", tmp_path / "tables")
    legal = Enumeration("KRvK", "legal", "black").indices()
    fens = PlacementCodec("KRvK").decode(rng.choice(legal, 1000, replace=False), "black")
    # One is missing, one is no position, and one has no table.
    fens += [None, "8/8 w", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"]
    numbers = np.arange(len(fens))
    inputs = [tmp_path / f"fens-{k}.parquet" for k in range(3)]
    for path, some in zip(inputs, np.array_split(numbers, 3)):
        pq.write_table(pa.table({"number": some, "fen": [fens[n] for n in some]}), path)
    submit("label_spark.py", *inputs, "--tables", tmp_path / "tables", "--parquet", tmp_path / "labelled")
    rows = pq.read_table(tmp_path / "labelled").sort_by("number")
    labels = Tables(tmp_path / "tables").probe(fens, invalid="mask")
    assert rows["fen"].to_pylist() == fens
    assert rows["wdl"].to_pylist() == labels.wdl.tolist()
    assert rows["dtz"].to_pylist() == labels.dtz.tolist()
    options = ("--tables", tmp_path / "tables", "--parquet", tmp_path / "other", "--column", "nope")
    assert "no column 'nope': there are ['number', 'fen']" in submit("label_spark.py", *inputs, *options, status=1)
    assert rows["wdl"].null_count == 3 and len(set(rows["dtz"].to_pylist())) > 10


@pytest.mark.parametrize("name", ["KQRvKR", "KRRvKRR"] if THOROUGH else ["KQRvKR"])
def test_spark_reduces_as_the_library_does(name, tmp_path, rng):
    count = 20_000_000 if THOROUGH else 100_000
    layout = Material(name).layout
    # Many of them several times.
    indices = random_indices(rng, layout.pieces, count // 2)
    indices = np.concatenate([indices, layout.flip(indices, "rotate_90")])
    rng.shuffle(indices)
    parts = np.array_split(indices, 5)
    inputs = [tmp_path / f"raw-{k}.parquet" for k in range(5)]
    for k, (path, part) in enumerate(zip(inputs, parts)):
        # Numbers as this package writes them, and as Spark does.
        pq.write_table(pa.table({"index": part if k % 2 else part.astype(np.int64)}), path)
    # Tables of one type at a time, as Spark reads no mixture.
    for kind in (0, 1) if THOROUGH else (0,):
        part = tmp_path / f"reduced-{kind}.tbi"
        submit(
            "reduce_spark.py",
            *inputs[kind::2],
            *("--material", name, "--side", "white", "--partitions", "7"),
            *("--parquet", tmp_path / f"reduced-{kind}", "--tbi", part),
        )
        whole = store.write(tmp_path / "kind.tbi", np.concatenate(parts[kind::2]), name, side="white", overwrite=True)
        store.reduce([whole], tmp_path / "one.tbi", overwrite=True)
        assert part.read_bytes() == (tmp_path / "one.tbi").read_bytes()
        if os.environ.get("TBINDEX"):
            subprocess.run(
                [os.environ["TBINDEX"], "reduce", tmp_path / "kind.tbi", "-o", tmp_path / "program.tbi", "--force"],
                check=True,
            )
            assert part.read_bytes() == (tmp_path / "program.tbi").read_bytes()
