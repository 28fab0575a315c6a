#!/usr/bin/env python3
"""Reduces sets of indices that are larger than one machine, on Apache Spark.

Reads Parquet tables with a column ``index``, and writes the canonical indices, sorted and each once, as Parquet
files in order and, if wanted, as an index file that equals the one that ``tbindex reduce`` writes:

    spark-submit reduce_spark.py --material KQRvKR --side white raw.parquet --parquet reduced.parquet --tbi reduced.tbi

All machines need the packages tbindex, pyarrow and pandas. Each partition of the input is read in batches, whose indices
become canonical at once and lose their repetitions; one shuffle brings equal ones together by ranges. The index
file is written by the driver, which streams the sorted Parquet files through; so it needs access to them, but
little memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyarrow import fs
from pyspark.sql import DataFrame, SparkSession, functions

from tbindex import IndexFile, Material, store

# Spark's whole numbers have a sign, and every index is below 2^60.
SCHEMA = pa.schema([pa.field("index", pa.int64(), False)])


Batches = Iterator[pa.RecordBatch]


def table_of(indices: NDArray[Any]) -> pa.RecordBatch:
    """Indices as Spark takes them."""
    return pa.record_batch([pa.array(indices.astype(np.int64, copy=False))], SCHEMA)


def canonical(material: str, numbering: Any) -> Callable[[Batches], Batches]:
    """A function that makes the indices of batches canonical, and drops repetitions within a batch."""

    def work(batches: Batches) -> Batches:
        same = Material(material).equivalence(numbering)
        for batch in batches:
            # An index that is null or out of range ends the work with an error.
            numbers = batch.column(0).cast(pa.from_numpy_dtype(same.layout.dtype))
            yield table_of(np.unique(same.canonical(numbers)))

    return work


def distinct(batches: Batches) -> Batches:
    """Drops the repetitions of sorted batches."""
    last = None
    for batch in batches:
        indices = batch.column(0).to_numpy()
        if len(indices):
            first = np.concatenate([[last is None or indices[0] != last], indices[1:] != indices[:-1]])
            last = indices[-1]
            yield table_of(indices[first])


def reduce(
    spark: SparkSession,
    inputs: Sequence[str],
    material: str,
    numbering: Any = "natural",
    partitions: int | None = None,
) -> DataFrame:
    """A data frame with the canonical indices, sorted and each once, in partitions by ranges."""
    indices = spark.read.parquet(*inputs).select(functions.col("index").cast("long"))
    reduced = indices.mapInArrow(canonical(material, numbering), "index long")
    partitions = partitions or spark.sparkContext.defaultParallelism
    ranges = reduced.repartitionByRange(partitions, "index").sortWithinPartitions("index")
    return ranges.mapInArrow(distinct, "index long")


def write_index_file(
    folder: str,
    path: str,
    material: str,
    numbering: Any = "natural",
    side: Any = None,
    overwrite: bool = False,
) -> IndexFile:
    """Write the Parquet files of a folder, which are sorted one after the other, as an index file."""
    filesystem, root = fs.FileSystem.from_uri(folder) if "://" in folder else (fs.LocalFileSystem(), folder)
    parts = sorted(
        part.path
        for part in filesystem.get_file_info(fs.FileSelector(root))
        if part.path.endswith(".parquet")
    )
    word = pa.from_numpy_dtype(Material(material).layout.dtype)

    def batches() -> Iterator[Any]:
        for part in parts:
            with filesystem.open_input_file(part) as file:
                for batch in pq.ParquetFile(file).iter_batches(batch_size=1 << 18, columns=["index"]):
                    yield batch.column(0).cast(word)

    return store.write(path, batches(), material, numbering=numbering, side=side, overwrite=overwrite)


def main() -> None:
    parser = argparse.ArgumentParser(description="Reduces sets of indices that are larger than one machine, on Apache Spark.")
    parser.add_argument("inputs", nargs="+", help="Parquet tables with a column named index")
    parser.add_argument("--material", required=True, help="the pieces, such as KQvKR")
    parser.add_argument("--numbering", default="natural", choices=["natural", "alternate"])
    parser.add_argument("--side", choices=["white", "black"], help="the side to move, for the index file")
    parser.add_argument("--parquet", required=True, help="the folder to write")
    parser.add_argument("--tbi", help="the index file to write")
    parser.add_argument("--partitions", type=int, help="the number of ranges; by default one for each core")
    parser.add_argument("--master", help="where to run, if spark-submit does not say it")
    parser.add_argument("--overwrite", action="store_true", help="replace what exists")
    args = parser.parse_args()

    builder = SparkSession.builder.appName("tbindex reduce")
    if args.master:
        builder = builder.master(args.master)
    # A million indices at a time are enough for the calls to cost nothing, and few enough for any machine.
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 1 << 20)
    spark = builder.getOrCreate()
    try:
        reduced = reduce(spark, args.inputs, args.material, args.numbering, args.partitions)
        reduced.write.mode("overwrite" if args.overwrite else "error").parquet(args.parquet)
    finally:
        spark.stop()
    if args.tbi:
        file = write_index_file(
            args.parquet, args.tbi, args.material, args.numbering, args.side, args.overwrite
        )
        print(f"wrote {len(file)} indices to {args.tbi}")


if __name__ == "__main__":
    main()
