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

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"
THOROUGH = bool(os.environ.get("TBINDEX_THOROUGH"))


NEEDS_JAVA = pytest.mark.skipif(
    shutil.which("java") is None, reason="Spark needs Java (apt-get install default-jre-headless)"
)


def submit(example, *arguments):
    """Runs an example on a cluster of two workers of this machine."""
    process = subprocess.run(
        [sys.executable, str(EXAMPLES / example), *map(str, arguments), "--master", "local-cluster[2,1,1024]"],
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_HOME": str(pathlib.Path(__import__("pyspark").__file__).parent),
        },
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert process.returncode == 0, process.stderr[-5000:]


@NEEDS_JAVA
def test_spark_labels_as_the_library_does(tmp_path, rng):
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("pyspark")
    import pyarrow as pa

    generate("KRvK", tmp_path / "tables")
    legal = Enumeration("KRvK", "legal", "black").indices()
    fens = PlacementCodec("KRvK").decode(rng.choice(legal, 1000, replace=False), "black")
    # One is missing, one is no position, and one has no table.
    fens += [None, "8/8 w", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"]
    numbers = np.arange(len(fens))
    for k, some in enumerate(np.array_split(numbers, 3)):
        pq.write_table(pa.table({"number": some, "fen": [fens[n] for n in some]}), tmp_path / f"fens-{k}.parquet")
    inputs = [tmp_path / f"fens-{k}.parquet" for k in range(3)]
    submit("label_spark.py", *inputs, "--tables", tmp_path / "tables", "--parquet", tmp_path / "labelled")
    rows = pq.read_table(tmp_path / "labelled").sort_by("number")
    labels = Tables(tmp_path / "tables").probe(fens, invalid="mask")
    assert rows["fen"].to_pylist() == fens
    assert rows["wdl"].to_pylist() == labels.wdl.tolist()
    assert rows["dtz"].to_pylist() == labels.dtz.tolist()
    assert rows["wdl"].null_count == 3 and len(set(rows["dtz"].to_pylist())) > 10


@NEEDS_JAVA
@pytest.mark.parametrize("name", ["KQRvKR", "KRRvKRR"] if THOROUGH else ["KQRvKR"])
def test_spark_reduces_as_the_library_does(name, tmp_path, rng):
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("pyspark")
    import pyarrow as pa

    count = 20_000_000 if THOROUGH else 100_000
    layout = Material(name).layout()
    # Many of them several times.
    indices = random_indices(rng, layout.pieces, count // 2)
    indices = np.concatenate([indices, layout.flip(indices, "rotate_90")])
    rng.shuffle(indices)
    for k, part in enumerate(np.array_split(indices, 5)):
        # Numbers as this package writes them, and as Spark does.
        part = part if k % 2 else part.astype(np.int64)
        pq.write_table(pa.table({"index": part}), tmp_path / f"raw-{k}.parquet")
    inputs = [str(tmp_path / f"raw-{k}.parquet") for k in range(5)]
    # Tables of one type at a time, as Spark reads no mixture.
    kinds = (0, 1) if THOROUGH else (0,)
    for kind in kinds:
        submit(
            "reduce_spark.py",
            *inputs[kind::2],
            *("--material", name, "--side", "white", "--partitions", "7"),
            *("--parquet", tmp_path / f"reduced-{kind}", "--tbi", tmp_path / f"reduced-{kind}.tbi"),
        )
    for kind in kinds:
        part = tmp_path / f"reduced-{kind}.tbi"
        of_kind = np.concatenate([a for k, a in enumerate(np.array_split(indices, 5)) if k % 2 == kind])
        whole = store.write(tmp_path / "kind.tbi", of_kind, name, side="white", overwrite=True)
        store.reduce([whole], tmp_path / "one.tbi", overwrite=True)
        assert part.read_bytes() == (tmp_path / "one.tbi").read_bytes()
        if os.environ.get("TBINDEX"):
            subprocess.run(
                [os.environ["TBINDEX"], "reduce", tmp_path / "kind.tbi", "-o", tmp_path / "program.tbi", "--force"],
                check=True,
            )
            assert part.read_bytes() == (tmp_path / "program.tbi").read_bytes()
