"""Where a score comes from: as data, in the terminal, and as a page to read.

- `explained.py` is what an explanation consists of; `explanation.py` builds it from a scorer's results.
- `standing.py` puts a score between unrelated texts and other people's; `differences.py` sets candidates side by side.
- `wording.py` says it in plain words; `page.py` makes the page, `terminal.py` prints.
"""
