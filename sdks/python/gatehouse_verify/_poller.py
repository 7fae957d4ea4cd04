"""Threads that keep keys and feed up to date."""

from __future__ import annotations

import threading

from ._clock import Clock

_NEVER = float("inf")


class Polled:
    """A document whose requests are due from time to time. All callers share one request."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        #: Held during a request.
        self._lock = threading.RLock()
        #: When the next request is due, by the monotonic clock. Never before the first request.
        self.due = _NEVER

    def _request(self) -> None:
        """Sends a request, and sets when the next one is due."""
        raise NotImplementedError

    def run_due(self) -> None:
        with self._lock:
            if self.due <= self._clock.now().steady:
                self._request()


class Poller:
    """Sends the requests of one document when they are due, in a thread of its own."""

    def __init__(self, part: Polled, clock: Clock) -> None:
        self.part = part
        self._clock = clock
        self._event = threading.Event()
        self._waits_until = _NEVER
        self._is_closed = False

    def start(self) -> None:
        self._waits_until = _NEVER
        threading.Thread(target=self._run, name="gatehouse-verify", daemon=True).start()

    def wake(self) -> None:
        """Called after a caller may have sent a request, which changes when the next one is due."""
        if self.part.due < self._waits_until:
            self._event.set()

    def close(self) -> None:
        self._is_closed = True
        self._event.set()

    def _run(self) -> None:
        while not self._is_closed:
            self._event.clear()
            self._waits_until = due = self.part.due
            self._event.wait(None if due == _NEVER else max(0.0, due - self._clock.now().steady))
            if not self._is_closed:
                self.part.run_due()
