"""MARS under torchmetrics, on one process and on two."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from mars_score.errors import ConfigError
from mars_score.integrations.torchmetrics import MarsScore

from .rows import CANDIDATES, CONTEXTS, REFERENCES, expected

pytestmark = pytest.mark.models

RANK = """
import sys
import torch
import torch.distributed as dist
from mars_score.integrations.torchmetrics import MarsScore
from tests.integrations.rows import CANDIDATES, CONTEXTS, REFERENCES

rank, cut, meeting = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
import os, sys

dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
mine = slice(cut) if rank == 0 else slice(cut, None)
metric = MarsScore()
if CANDIDATES[mine]:
    metric.update(CANDIDATES[mine], REFERENCES[mine], CONTEXTS[mine])
print(float(metric.compute()).hex(), len(metric.scores), sum(map(len, metric.scores)))
dist.barrier()
dist.destroy_process_group()
sys.stdout.flush()
os._exit(0)  # a thread of gloo may be left behind, and would end the interpreter by force
"""


def test_the_number_is_the_scorer_s(encoder_calls: list[int]) -> None:
    metric = MarsScore()
    metric.update(CANDIDATES[:3], REFERENCES[:3], CONTEXTS[:3])
    metric.update(CANDIDATES[3:], REFERENCES[3:], CONTEXTS[3:])
    assert metric.compute().item() == expected().mean
    assert len(encoder_calls) == 2  # one a batch
    metric.reset()
    with pytest.warns(UserWarning, match="before the ``update``"):
        assert torch.isnan(metric.compute())
    whole = MarsScore()(CANDIDATES, REFERENCES, CONTEXTS)
    assert whole.item() == expected().mean


def test_it_is_copied_and_pickled_with_its_state() -> None:
    metric = MarsScore(options={"q": 0.8})
    metric.update(CANDIDATES, REFERENCES, CONTEXTS)
    for other in (metric.clone(), copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert other.compute().item() == expected().mean
    with pytest.raises(ConfigError, match="corpus"):
        MarsScore(options={"idf": "corpus"})


@pytest.mark.slow
def test_two_uneven_processes_give_the_number_of_one(tmp_path: Path) -> None:
    """Three rows here and two there: bit by bit the mean of all five."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "GLOO_SOCKET_IFNAME": "lo"}
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", RANK, str(rank), "3", str(tmp_path / "meeting")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=Path(__file__).parents[2],
        )
        for rank in range(2)
    ]  # fmt: skip
    ends = [rank.communicate(timeout=300) for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], ends[0][1] + ends[1][1]
    # After `compute` each process has its own rows again.
    assert [out.split() for out, _ in ends] == [[expected().mean.hex(), "1", count] for count in ("3", "2")]
