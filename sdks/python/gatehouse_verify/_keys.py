"""The public keys of the service."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Dict, Optional, Set

from jwt.algorithms import RSAAlgorithm
from jwt.exceptions import InvalidKeyError

from ._clock import Clock, Moment
from ._http import Answer, Document, Fetch, Request, members_of
from ._token import ReadToken, invalid
from .errors import unreachable

#: A new key is published ten minutes before it signs, so verifiers know it in time.
_EVERY = 60.0
#: Minimum interval of requests for unknown key ids, so that invented ids do not cause a flood of them.
_COOL_DOWN = 5.0
#: The same interval while the service cannot be reached.
_RETRY = 1.0
_MIN_BITS = 2048
_RS256 = RSAAlgorithm(RSAAlgorithm.SHA256)


@dataclass(eq=False)
class Key:
    n: str
    e: str
    public: Any
    #: The key set no longer contains it: its signatures are no longer accepted.
    retired: bool = False

    def verify(self, token: ReadToken) -> None:
        if not _RS256.verify(token.signed, self.public, token.signature):
            raise invalid("the signature of the token is wrong")


class Keys:
    def __init__(self, url: str, send: Fetch, clock: Clock) -> None:
        self._request = Request(url, max_bytes=256 * 1024, timeout=5, idle_timeout=5)
        self._document = Document(send, self._take)
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: Dict[str, Key] = {}
        self._last_try: Optional[Moment] = None
        self._failure: Optional[Exception] = None
        #: When the key set is requested next, by the monotonic clock. None before the first request.
        self.due: Optional[float] = None

    def find(self, kid: str) -> Key:
        key = self._keys.get(kid)
        if key is None:
            with self._lock:
                if kid not in self._keys and not self._is_too_soon():
                    self._refresh()
                key = self._keys.get(kid)
        if key is not None:
            return key
        self._require_success()
        raise invalid("the token was signed with an unknown key (kid)")

    def ready(self) -> None:
        with self._lock:
            if not self._keys and not self._is_too_soon():
                self._refresh()
        if not self._keys:
            raise unreachable("the service's keys could not be fetched") from self._failure

    def run_due(self) -> None:
        with self._lock:
            if self.due is not None and self.due <= self._clock.now().steady:
                self._refresh()

    def _is_too_soon(self) -> bool:
        interval = _COOL_DOWN if self._failure is None else _RETRY
        return self._last_try is not None and self._clock.age(self._last_try) < interval

    def _refresh(self) -> None:
        self._last_try = self._clock.now()
        try:
            self._document.update(self._request)
            self._failure = None
        except Exception as error:  # noqa: BLE001 - whatever it is, this request has failed, and the next one follows
            self._failure = error
        self.due = self._clock.now().steady + (_EVERY if self._failure is None else _COOL_DOWN)

    def _require_success(self) -> None:
        if self._failure is not None:
            raise unreachable("the service's keys could not be fetched") from self._failure

    def _take(self, body: Any, _answer: Answer) -> None:
        listed = members_of(body).get("keys")
        if not isinstance(listed, list):
            raise ValueError("the key set has no list of keys")
        keys: Dict[str, Key] = {}
        for jwk in map(members_of, listed):
            kid, n, e = jwk.get("kid"), jwk.get("n"), jwk.get("e")
            if jwk.get("kty") != "RSA" or jwk.get("use") != "sig" or jwk.get("alg") != "RS256":
                continue
            if not (isinstance(kid, str) and isinstance(n, str) and isinstance(e, str)):
                continue
            before = self._keys.get(kid)
            # A known key stays the same object: tokens that it has verified stay verified.
            key = before if before is not None and (before.n, before.e) == (n, e) else _import_key(n, e)
            if key is not None:
                keys[kid] = key
        kept: Set[int] = {id(key) for key in keys.values()}
        for key in self._keys.values():
            key.retired = id(key) not in kept
        self._keys = keys


def _import_key(n: str, e: str) -> Optional[Key]:
    try:
        public = RSAAlgorithm.from_jwk({"kty": "RSA", "n": n, "e": e})
    except (InvalidKeyError, ValueError, TypeError):
        return None
    return Key(n, e, public) if public.key_size >= _MIN_BITS else None
