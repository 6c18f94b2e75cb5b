"""Each augmentation once: from the cache, from whoever is computing it now, or computed here and kept.

New pairs are computed in portions, each kept as soon as it is done: whoever kills the process loses one portion.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from mars_score.augmentations.claims import Claims
from mars_score.errors import MarsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mars_score.augmentations.cache import AugmentationCache
    from mars_score.augmentations.costs import Costs
    from mars_score.progress import StageProgress
    from mars_score.types import Augmentation, Pair

    Compute = Callable[[Sequence[Pair]], Sequence[Augmentation]]

SMALLEST, FIRST, LARGEST = 8, 32, 512
"""Pairs in a portion. The decoder is at its best with some hundred templates; a pair has three."""
SHORT, LONG = 10.0, 40.0
"""Seconds that a portion should take: so much may be lost, and so long the others wait for it."""
POLL = 0.5
"""Seconds between two looks at what others are computing."""


def augment_once(
    cache: AugmentationCache,
    keys: Mapping[Pair, bytes],
    compute: Compute,
    costs: Costs,
    progress: StageProgress,
) -> dict[Pair, Augmentation]:
    """Return the augmentation of each pair; what no process has computed yet is computed here, and kept."""
    pairs = {key: pair for pair, key in keys.items()}
    found = cache.find(pairs)
    costs.cached += len(found)
    # Pairs of like size make good portions, and those of one context stay together, as it is read once for all.
    left = sorted(
        pairs.keys() - found.keys(),
        key=lambda key: (-len(pairs[key].context), pairs[key].context, -len(pairs[key].reference), key),
    )
    claims, most = Claims(cache.database), FIRST
    while left:
        finished, mine = claims.take(left, most)
        finished &= pairs.keys()
        if finished:
            others = cache.find(finished)
            costs.cached += len(others)
            found |= others
            mine += [key for key in finished if key not in others]  # damaged rows
        if mine:
            start = time.monotonic()
            try:
                with claims.renewed():
                    computed = dict(zip(mine, compute([pairs[key] for key in mine]), strict=True))
                cache.save(computed)
            except BaseException:
                with suppress(MarsError):  # a full disk, say; then the claims lapse
                    claims.release()
                raise
            found |= computed
            most = next_portion(most, time.monotonic() - start)
        elif not finished:
            progress("waiting", len(found), len(pairs))
            time.sleep(POLL)
        left = [key for key in left if key not in found]
    return {pair: found[key] for pair, key in keys.items()}


def next_portion(most: int, seconds: float) -> int:
    """Grow or shrink portions until one takes neither too long nor too short a time."""
    if seconds < SHORT:
        return min(2 * most, LARGEST)
    return max(most // 2, SMALLEST) if seconds > LONG else most
