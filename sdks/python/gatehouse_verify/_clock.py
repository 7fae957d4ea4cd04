"""The clocks of this machine, and the age of a moment."""

from __future__ import annotations

import time
from typing import NamedTuple


class Moment(NamedTuple):
    """A moment by both clocks, in seconds.

    The monotonic clock cannot be set, but on some systems it stops while the machine sleeps. The wall clock continues
    then, but can be set.
    """

    steady: float
    wall: float


class Clock:
    def now(self) -> Moment:
        return Moment(time.monotonic(), time.time())

    def age(self, moment: Moment) -> float:
        """Returns the seconds since then, by the clock that shows more: setting a clock can only increase it."""
        steady, wall = self.now()
        return max(steady - moment.steady, abs(wall - moment.wall))
