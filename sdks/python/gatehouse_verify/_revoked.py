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


class Revocation(NamedTuple):
    revoked: float
    #: When the last access token of the session expires.
    expires: float


class RevokedSessions:
    """The sessions that the feeds have listed.

    A session is kept until its tokens have expired by the clock of this machine, which verifies them, and by that of
    the service: behind a load balancer the next feed may come from a replica that does not know the entry yet, and a
    partial feed does not list it again. With more than ``limit`` sessions, those revoked first are dropped, and every
    token issued up to then is rejected.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known: Dict[str, Revocation] = {}
        self._dropped: Optional[Revocation] = None
        #: ``generated_at`` of the last two feeds. The earlier one counts: one feed from a fast clock has no effect.
        self._made: Tuple[float, ...] = ()

    def read(self, feed: Dict[str, Any]) -> List[Tuple[str, Revocation]]:
        """Raises ValueError if any entry is invalid."""
        listed = feed.get("revocations")
        if not isinstance(listed, list):
            raise ValueError("the feed has no list of revocations")
        read = []
        for entry in map(members_of, listed):
            revocation = Revocation(_require_time(entry.get("revoked_at")), _require_time(entry.get("expires_at")))
            if not is_uuid(entry.get("sid")):
                raise ValueError("a revocation in the feed has no valid sid")
            read.append((entry["sid"].lower(), revocation))
        return read

    def merge(self, listed: List[Tuple[str, Revocation]], generated_at: Any, wall: float) -> float:
        """Adds entries. Returns the time up to which entries have expired by all clocks."""
        self._made = (*self._made, time_of(generated_at) or 0.0)[-2:]
        past = min(wall, *self._made) - _RETENTION
        for sid in [sid for sid, entry in self._known.items() if entry.expires < past]:
            del self._known[sid]
        if self._dropped is not None and self._dropped.expires < past:
            self._dropped = None
        for sid, entry in listed:
            dropped = self._dropped
            if dropped is not None and entry.revoked <= dropped.revoked and entry.expires <= dropped.expires:
                continue
            self._known[sid] = _latest(entry, self._known.get(sid))
        excess = len(self._known) - self._limit
        if excess > 0:
            for sid, entry in sorted(self._known.items(), key=lambda item: item[1].revoked)[:excess]:
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
        return "token_expired" if dropped and token.iat <= dropped.revoked + _MAX_REPLICA_SKEW else None


def _latest(one: Revocation, other: Optional[Revocation]) -> Revocation:
    return one if other is None else Revocation(max(one.revoked, other.revoked), max(one.expires, other.expires))


class Refresh(NamedTuple):
    """Tokens under its key whose roles were read before ``before`` (Unix milliseconds) are stale."""

    before: int
    expires: float


def _hash(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


_KEY = re.compile(r"[A-Za-z0-9_-]{43}")
_EVERYONE = _hash("*")


def role_keys_of(token: ReadToken) -> Tuple[str, ...]:
    """The keys under which the feed lists changes of the roles of this token's user."""
    session = token.session
    return _hash(f"{session.organization_id}/{session.user_id}"), _hash(session.organization_id), _EVERYONE


class StaleTokens:
    """The changes of roles, which make older tokens stale.

    With more than ``limit`` entries, those with the smallest ``before`` are replaced by an entry for everyone.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known: Dict[str, Refresh] = {}

    def read(self, feed: Dict[str, Any]) -> Optional[List[Tuple[str, Refresh]]]:
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
            read.append((key, Refresh(before, _require_time(entry.get("expires_at")))))
        return read

    def merge(self, listed: List[Tuple[str, Refresh]], past: float) -> None:
        """Adds entries, and removes those that expired before ``past``."""
        for key in [key for key, entry in self._known.items() if entry.expires < past]:
            del self._known[key]
        for key, entry in listed:
            self._add(key, entry)
        excess = len(self._known) - self._limit
        if excess > 0:
            for key, entry in sorted(self._known.items(), key=lambda item: item[1].before)[: excess + 1]:
                if key != _EVERYONE:
                    del self._known[key]
                self._add(_EVERYONE, entry)

    def is_stale(self, keys: Tuple[str, ...], perms_at: int) -> bool:
        found = [entry.before for entry in map(self._known.get, keys) if entry is not None]
        return perms_at < max(found, default=0)

    def _add(self, key: str, entry: Refresh) -> None:
        before = self._known.get(key, entry)
        self._known[key] = Refresh(max(entry.before, before.before), max(entry.expires, before.expires))
