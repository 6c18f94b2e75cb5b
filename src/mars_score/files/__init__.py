"""Files in and out: rows to score, and their scores."""

from mars_score.files.output_path import check_writable
from mars_score.files.parallel import read_parallel
from mars_score.files.reading import read_examples
from mars_score.files.rows import ResultRow
from mars_score.files.sidecar import write_signatures
from mars_score.files.writers import Writer, open_writer

__all__ = [
    "ResultRow",
    "Writer",
    "check_writable",
    "open_writer",
    "read_examples",
    "read_parallel",
    "write_signatures",
]
