"""Threads that keep keys and feed up to date."""

from __future__ import annotations

import threading
from typing import Optional, Protocol

from ._clock import Clock

_NEVER = float("inf")


class Polled(Protocol):
    #: When the next request is due, by the monotonic clock. None before the first request.
    due: Optional[float]

    def run_due(self) -> None: ...


class Poller:
    """Sends the requests of the key set or of the feed when they are due, in a thread of its own."""

    def __init__(self, part: Polled, clock: Clock) -> None:
        self._part = part
        self._clock = clock
        self._event = threading.Event()
        self._waits_until = _NEVER
        self._is_closed = False

    def next_due(self) -> float:
        return _NEVER if self._part.due is None else self._part.due

    def run_due(self) -> None:
        self._part.run_due()

    def start(self) -> None:
        self._waits_until = _NEVER
        threading.Thread(target=self._run, name="gatehouse-verify", daemon=True).start()

    def wake(self) -> None:
        """Called after a caller may have sent a request, which changes when the next one is due."""
        if self.next_due() < self._waits_until:
            self._event.set()

    def close(self) -> None:
        self._is_closed = True
        self._event.set()

    def _run(self) -> None:
        while not self._is_closed:
            self._event.clear()
            self._waits_until = due = self.next_due()
            self._event.wait(None if due == _NEVER else max(0.0, due - self._clock.now().steady))
            if not self._is_closed:
                self.run_due()
