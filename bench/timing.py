"""How long a call takes: best and median of short batches."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Times:
    """Seconds per call, batch by batch."""

    batches: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        return min(self.batches)

    @property
    def median(self) -> float:
        return statistics.median(self.batches)

    def measure(self, call: Callable[[], object], seconds: float = 0.2, batch: float = 0.01) -> None:
        """Adds batches of at least `batch` seconds (none: single calls) for about `seconds`."""
        calls, elapsed = 1, timed(call, 1)
        while elapsed < batch:
            calls *= 2
            elapsed = timed(call, calls)
        for _ in range(max(3, round(seconds / elapsed))):
            self.batches.append(timed(call, calls) / calls)


def timed(call: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return time.perf_counter() - start
