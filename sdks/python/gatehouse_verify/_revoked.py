"""Revoked sessions and changes of roles, as the feed lists them."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import datetime
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ._http import members_of
from ._token import MAX_SAFE_INTEGER, ReadToken, integer, is_uuid

#: How long an entry is kept after it expires: longer than tokens are accepted after they expire.
_RETENTION = 300.0
#: The maximum difference between the clocks of the service's replicas.
_MAX_REPLICA_SKEW = 10.0


def time_of(value: Any) -> Optional[float]:
    """Returns a time of RFC 3339 as Unix seconds; None for any other value."""
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", value))
    except ValueError:
        return None
    return None if parsed.tzinfo is None else parsed.timestamp()


def _require_time(value: Any) -> float:
    time = time_of(value)
    if time is None:
        raise ValueError("an entry in the feed has no time")
    return time


class Entry(NamedTuple):
    #: Of a revocation: its Unix seconds. Of a change of roles: tokens whose roles were read before this Unix
    #: millisecond are stale.
    at: float
    #: When the last of these tokens expires.
    expires: float


def _latest(one: Entry, other: Optional[Entry]) -> Entry:
    return one if other is None else Entry(max(one.at, other.at), max(one.expires, other.expires))


class _Entries:
    """Entries of the feeds by key. Of two entries with one key, the later times count."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known: Dict[str, Entry] = {}

    def _remove(self, past: float) -> None:
        """Removes the entries that expired before ``past``."""
        for key in [key for key, entry in self._known.items() if entry.expires < past]:
            del self._known[key]

    def _add(self, key: str, entry: Entry) -> None:
        self._known[key] = _latest(entry, self._known.get(key))

    def _excess(self, more: int = 0) -> List[Tuple[str, Entry]]:
        """Returns the earliest entries, as many as exceed the limit, and ``more`` if there are such."""
        excess = len(self._known) - self._limit
        return sorted(self._known.items(), key=lambda item: item[1].at)[: excess + more] if excess > 0 else []


class RevokedSessions(_Entries):
    """The sessions that the feeds have listed.

    A session is kept until its tokens have expired by the clock of this machine, which verifies them, and by that of
    the service: behind a load balancer the next feed may come from a replica that does not know the entry yet, and a
    partial feed does not list it again. With more than ``limit`` sessions, those revoked first are dropped, and every
    token issued up to then is rejected.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._dropped: Optional[Entry] = None
        #: ``generated_at`` of the last two feeds. The earlier one counts: one feed from a fast clock has no effect.
        self._made: Tuple[float, ...] = ()

    def read(self, feed: Dict[str, Any]) -> List[Tuple[str, Entry]]:
        """Raises ValueError if any entry is invalid."""
        listed = feed.get("revocations")
        if not isinstance(listed, list):
            raise ValueError("the feed has no list of revocations")
        read = []
        for entry in map(members_of, listed):
            if not is_uuid(entry.get("sid")):
                raise ValueError("a revocation in the feed names no session")
            times = Entry(_require_time(entry.get("revoked_at")), _require_time(entry.get("expires_at")))
            read.append((entry["sid"].lower(), times))
        return read

    def merge(self, listed: List[Tuple[str, Entry]], generated_at: Any, wall: float) -> float:
        """Adds entries. Returns the time up to which entries have expired by all clocks."""
        self._made = (*self._made, time_of(generated_at) or 0.0)[-2:]
        past = min(wall, *self._made) - _RETENTION
        self._remove(past)
        dropped = self._dropped
        if dropped is not None and dropped.expires < past:
            self._dropped = dropped = None
        for sid, entry in listed:
            if dropped is None or entry.at > dropped.at or entry.expires > dropped.expires:
                self._add(sid, entry)
        for sid, entry in self._excess():
            self._dropped = _latest(entry, self._dropped)
            del self._known[sid]
        return past

    def refusal(self, token: ReadToken) -> Optional[str]:
        """Returns the code with which the token is refused; None if its session is active."""
        if token.session.session_id in self._known:
            return "session_revoked"
        if self._made and token.exp <= min(self._made):
            return "token_expired"
        dropped = self._dropped
        return "token_expired" if dropped and token.iat <= dropped.at + _MAX_REPLICA_SKEW else None


def _hash(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


_KEY = re.compile(r"[A-Za-z0-9_-]{43}")
_EVERYONE = _hash("*")


def role_keys_of(token: ReadToken) -> Tuple[str, ...]:
    """The keys under which the feed lists changes of the roles of this token's user."""
    session = token.session
    user, organization = session.user_id, session.organization_id
    return _hash(f"{organization}/{user}"), _hash(f"*/{user}"), _hash(organization), _EVERYONE


class StaleTokens(_Entries):
    """The changes of roles.

    With more than ``limit`` entries, those with the smallest ``before`` are replaced by an entry for everyone.
    """

    def read(self, feed: Dict[str, Any]) -> Optional[List[Tuple[str, Entry]]]:
        """Returns None for the feed of an older service, which has no ``refreshes``. Raises ValueError."""
        if "refreshes" not in feed:
            return None
        if not isinstance(feed["refreshes"], list):
            raise ValueError("the refreshes of the feed are not a list")
        read = []
        for entry in map(members_of, feed["refreshes"]):
            key, before = entry.get("key"), integer(entry.get("before"), -MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
            if not isinstance(key, str) or not _KEY.fullmatch(key) or before is None:
                raise ValueError("an entry in the refreshes of the feed is invalid")
            read.append((key, Entry(before, _require_time(entry.get("expires_at")))))
        return read

    def merge(self, listed: List[Tuple[str, Entry]], past: float) -> None:
        """Adds entries, and removes those that expired before ``past``."""
        self._remove(past)
        for key, entry in listed:
            self._add(key, entry)
        for key, entry in self._excess(more=1):
            self._add(_EVERYONE, entry)
            if key != _EVERYONE:
                del self._known[key]

    def is_stale(self, keys: Tuple[str, ...], perms_at: int) -> bool:
        return any(perms_at < entry.at for entry in map(self._known.get, keys) if entry is not None)
