"""The feed of revoked sessions and changes of roles."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Any, Callable, Optional, Tuple
from urllib.parse import quote

from ._clock import Clock, Moment
from ._http import Answer, Document, Fetch, Request, members_of
from ._poller import Polled
from ._revoked import RevokedSessions, StaleTokens, time_of
from ._token import ReadToken
from .errors import unreachable

_EVERY = 2.0
#: The feed of the service is at most 2 seconds old. With 3 seconds from the start of a poll, a revocation takes
#: effect within 5.
_MAX_AGE = 3.0
_FIRST_RETRY = 0.25
#: The maximum time from ``generated_at`` to ``Date``, both by the clock of the service.
_MAX_SEND_DELAY = 2.0
#: Longer cursors exceed the URL limits of some servers and proxies.
_MAX_CURSOR_LENGTH = 2_000
#: Size limits: of the document without entries, and of one entry (twice its usual size).
_DOCUMENT_BYTES, _ENTRY_BYTES = 64 * 1024, 320


class Feed(Polled):
    """Polls the feed. All callers share one poll. Every method may be called by any thread."""

    def __init__(
        self,
        url: str,
        send: Fetch,
        clock: Clock,
        max_revocations: int,
        refuses: bool,
        on_state: Callable[[str, Optional[Exception]], Any],
    ) -> None:
        super().__init__(clock)
        self._url = url
        self._refuses = refuses
        self._on_state = on_state
        self._max_bytes = _DOCUMENT_BYTES + _ENTRY_BYTES * max_revocations
        self._document = Document(send, self._take)
        self._revoked = RevokedSessions(max_revocations)
        self._stale = StaleTokens(max_revocations)
        self._last_good: Optional[Moment] = None
        self._failures = 0
        self._failure: Optional[Exception] = None
        self._is_lost = False
        self._is_closed = False
        #: All entries up to this cursor are known. It stays valid if a response contains no cursor.
        self._cursor: Optional[str] = None
        #: Whether a response had ``refreshes``. From then on the cursor is always of a replica that sends them.
        self._has_refreshes = False

    def is_fresh(self) -> bool:
        """Returns whether the last poll is recent enough to accept tokens."""
        return self._last_good is not None and self._clock.age(self._last_good) <= _MAX_AGE and not self._is_closed

    def freshen(self) -> None:
        """Polls if the last poll is too old. Raises ``service_unreachable`` if all tokens must be refused."""
        # After a failure callers do not wait: a retry is scheduled.
        if not self.is_fresh() and self._failures == 0:
            with self._lock:
                if self._failures == 0:
                    self._poll_twice()
        if self._refuses or self._is_closed:
            self._require_fresh()

    def ready(self) -> None:
        with self._lock:
            self._poll_twice()
        self._require_fresh()

    def refusal(self, token: ReadToken, role_keys: Optional[Tuple[str, ...]]) -> Optional[str]:
        """Returns the code with which the token is refused. Without ``role_keys`` it is never stale."""
        code = self._revoked.refusal(token)
        if code is None and role_keys is not None and self._stale.is_stale(role_keys, token.perms_at):
            return "token_stale"
        return code

    def close(self) -> None:
        self._is_closed = True

    def _require_fresh(self) -> None:
        if not self.is_fresh():
            raise unreachable("the list of revoked sessions cannot be read at the moment") from self._failure

    def _poll_twice(self) -> None:
        """Polls again if the first poll took too long: the feed was large, or the machine slept meanwhile."""
        if not self.is_fresh():
            self._request()
        if not self.is_fresh() and self._failures == 0:
            self._request()

    def _request(self) -> None:
        if self._is_closed:
            return
        start = self._clock.now()
        url = self._url if self._cursor is None else f"{self._url}?after={quote(self._cursor, safe='')}"
        request = Request(url, max_bytes=self._max_bytes, timeout=15, idle_timeout=2)
        try:
            self._document.update(request, _require_uncached)
            self._last_good, self._failures, self._failure = start, 0, None
        except Exception as error:  # noqa: BLE001 - whatever it is, this poll has failed, and the next one follows
            self._failures, self._failure = self._failures + 1, error
        now = self._clock.now().steady
        # A slow poll is followed immediately by the next one, a failed poll after a growing delay.
        if self._failures > 0:
            self.due = now + min(_EVERY, _FIRST_RETRY * 2 ** min(self._failures - 1, 10))
        else:
            self.due = max(now, start.steady + _EVERY)
        self._report()

    def _report(self) -> None:
        is_lost = not self.is_fresh()
        if is_lost == self._is_lost or (is_lost and self._failures == 0):
            return
        self._is_lost = is_lost
        try:
            self._on_state("lost" if is_lost else "regained", self._failure)
        except Exception:  # noqa: BLE001 - an error in the caller's function must not stop the polling
            pass

    def _take(self, body: Any, answer: Answer) -> None:
        asked, self._cursor = self._cursor, None  # If merging fails, the next poll requests the full feed.
        feed = members_of(body)
        _require_recent(feed, answer)
        is_partial, cursor = feed.get("partial") is True, feed.get("cursor")
        if is_partial and asked is None:
            raise ValueError("the feed is partial, but the full feed was requested")
        refreshes = self._stale.read(feed)
        is_first = refreshes is not None and not self._has_refreshes
        self._has_refreshes = self._has_refreshes or is_first
        if is_first and is_partial:
            # The cursor was of an older replica, which did not send the refreshes up to it.
            raise ValueError("the feed is partial, but earlier feeds had no refreshes")
        revocations = self._revoked.read(feed)
        past = self._revoked.merge(revocations, feed.get("generated_at"), self._clock.now().wall)
        self._stale.merge(refreshes or [], past)
        is_usable = isinstance(cursor, str) and len(cursor) <= _MAX_CURSOR_LENGTH
        self._cursor = cursor if is_usable and (refreshes is not None or not self._has_refreshes) else asked


def _require_uncached(answer: Answer) -> None:
    """Raises ValueError if a cache sent the response. An ``Age`` that is not a number counts as old."""
    age = answer.headers.get("age")
    if age is not None and not float(age) < 1:
        raise ValueError("the feed comes from a cache")


def _require_recent(feed: Any, answer: Answer) -> None:
    date = answer.headers.get("date")
    if date is None:
        return
    made = time_of(feed.get("generated_at"))
    try:
        sent = parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError):
        raise ValueError("the Date header of the feed is not a date") from None
    if made is None or not sent - made <= _MAX_SEND_DELAY:
        raise ValueError("the feed is outdated: generated_at is too long before Date")
