"""The example for Spark, on a cluster of this machine alone. With TBINDEX_THOROUGH=1 it reduces 20 million
positions, and compares with the program as well, if TBINDEX names it."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import random_indices

from tbindex import store

EXAMPLE = pathlib.Path(__file__).parent.parent / "examples" / "reduce_spark.py"
THOROUGH = bool(os.environ.get("TBINDEX_THOROUGH"))


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java (apt-get install default-jre-headless)")
@pytest.mark.parametrize("name", ["KQRvKR", "KRRvKRR"] if THOROUGH else ["KQRvKR"])
def test_spark_reduces_as_the_library_does(name, tmp_path, rng):
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("pyspark")
    import pyarrow as pa

    count = 20_000_000 if THOROUGH else 100_000
    layout = store_layout(name)
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
        process = subprocess.run(
            [
                sys.executable,
                str(EXAMPLE),
                *inputs[kind::2],
                "--material",
                name,
                "--side",
                "white",
                "--master",
                "local-cluster[2,1,1024]",
                "--partitions",
                "7",
                "--parquet",
                str(tmp_path / f"reduced-{kind}"),
                "--tbi",
                str(tmp_path / f"reduced-{kind}.tbi"),
            ],
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


def store_layout(name):
    """The layout of a material's indices."""
    import tbindex

    return tbindex.Material(name).layout()
