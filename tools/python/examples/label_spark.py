#!/usr/bin/env python3
"""Labels more positions than one machine holds, on Apache Spark.

Reads Parquet tables with a column ``fen`` and writes them as Parquet again, with the columns ``wdl`` (-2 loss to 2 win) and
``dtz`` (plies), which are null where a table is missing or the text is no legal position:

    spark-submit label_spark.py positions.parquet --tables /tables/syzygy --parquet labelled.parquet

All machines need the packages tbindex, pyarrow and pandas, and the tables in the same folder. Labels are those of
``tbindex.tables.Tables``. Each partition opens the tables that its positions need, so partitions of millions of rows are best.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ByteType, ShortType, StructField, StructType

from tbindex.tables import Tables

LABELS = (("wdl", ByteType(), pa.int8()), ("dtz", ShortType(), pa.int16()))


def label(
    folder: str, memory: str, column: str
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function that adds the labels to batches."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tables = Tables(folder, memory=memory)
        for batch in batches:
            labels = tables.probe(batch.column(column), invalid="mask")
            added = [pa.array(getattr(labels, name).data, kind, mask=getattr(labels, name).mask) for name, _, kind in LABELS]
            yield pa.RecordBatch.from_arrays([*batch.columns, *added], [*batch.schema.names, *(name for name, *_ in LABELS)])

    return work


def labelled(
    spark: SparkSession, inputs: Sequence[str], folder: str, column: str = "fen", memory: str = "512M"
) -> DataFrame:
    """A data frame with the rows of Parquet tables and their labels."""
    positions = spark.read.parquet(*inputs)
    if column not in positions.columns:
        raise ValueError(f"the tables have no column {column!r}: there are {positions.columns}")
    fields = [*positions.schema.fields, *(StructField(name, kind) for name, kind, _ in LABELS)]
    return positions.mapInArrow(label(folder, memory, column), StructType(fields))


def main() -> None:
    parser = argparse.ArgumentParser(description="Labels more positions than one machine holds, on Apache Spark.")
    parser.add_argument("inputs", nargs="+", help="Parquet tables with a column of FENs")
    parser.add_argument("--tables", required=True, help="the folder of tables, the same on all machines")
    parser.add_argument("--column", default="fen", help="the column of FENs")
    parser.add_argument("--memory", default="512M", help="what each task may keep of tables")
    parser.add_argument("--parquet", required=True, help="the folder to write")
    parser.add_argument("--master", help="where to run, if spark-submit does not say it")
    parser.add_argument("--overwrite", action="store_true", help="replace what exists")
    args = parser.parse_args()

    builder = SparkSession.builder.appName("tbindex label")
    if args.master:
        builder = builder.master(args.master)
    # Positions of one table are looked up together, so many at a time cost less.
    spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 1 << 18).getOrCreate()
    try:
        rows = labelled(spark, args.inputs, args.tables, args.column, args.memory)
        rows.write.mode("overwrite" if args.overwrite else "error").parquet(args.parquet)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
