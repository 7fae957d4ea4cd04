"""API keys, and the access tokens that they are exchanged for."""

from __future__ import annotations

import base64
import hashlib
import re
import threading
import zlib
from concurrent.futures import Future
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from ._cache import BoundedCache
from ._clock import Clock, Moment
from ._http import FAILURES, Fetch, Request, json_of, members_of
from ._token import invalid
from .errors import VerifyError, unreachable
from .session import Session

_MARK = "gth_"
_FORM = re.compile(r"gth_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}")
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

#: How long a rejected key is not sent again, and the same after a failure of the service or of the network.
_REFUSAL, _RETRY = 5.0, 1.0
#: Another token is requested this long before the kept one ends, or at half of a shorter lifetime.
_RENEW_BEFORE = 30.0
_MAX_LIFETIME = 3600


def is_api_key(credential: str) -> bool:
    return credential.startswith(_MARK)


def read_prefix(key: str) -> str:
    """Returns the public part of a key. Raises if the checksum is wrong: the key was mistyped or cut off."""
    if not _FORM.fullmatch(key) or _checksum(key[:-6]) != key[-6:]:
        raise invalid("this is not an API key: it was mistyped or cut off")
    return key[:16]


def _checksum(text: str) -> str:
    """The CRC-32 of zlib as six base62 digits, most significant first."""
    rest, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        digits = _DIGITS[digit] + digits
    return digits


class _Kept(NamedTuple):
    token: str
    started: Moment
    lifetime: float


class _Refused(NamedTuple):
    error: VerifyError
    started: Moment
    seconds: float


class KeyTokens:
    """Exchanges API keys for access tokens, which are then verified locally.

    The caches are indexed by the SHA-256 of the key: a key is in memory only while a request with it is processed.
    """

    def __init__(self, url: str, send: Fetch, clock: Clock, max_cached: int, spawn: Callable[..., None]) -> None:
        self._url = url
        self._send = send
        self._clock = clock
        self._spawn = spawn
        self._kept: BoundedCache[_Kept] = BoundedCache(max_cached)
        self._refused: BoundedCache[_Refused] = BoundedCache(max_cached)
        #: All callers with the same key wait for one exchange.
        self._pending: Dict[str, Future[str]] = {}
        self._lock = threading.Lock()

    def verify(self, key: str, verify: Callable[[str], Session]) -> Tuple[str, Session]:
        """Returns the token of a key, and its session. If a kept token is refused, the key is exchanged again, once."""
        prefix, index = read_prefix(key), hashlib.sha256(key.encode()).hexdigest()
        token, is_new = self._token_of(index, prefix, key)
        if is_new:
            return self._verify_new(index, token, verify)
        try:
            return token, verify(token)
        except VerifyError as error:
            if error.code == "service_unreachable":
                raise
        # The key was revoked, or its roles have changed: the service decides what the key can do now.
        kept = self._kept.get(index)
        if kept is not None and kept.token == token:
            self._kept.delete(index)
        return self._verify_new(index, self._token_of(index, prefix, key)[0], verify)

    def _verify_new(self, index: str, token: str, verify: Callable[[str], Session]) -> Tuple[str, Session]:
        try:
            return token, verify(token)
        except VerifyError as error:
            # Without this, every request with the key would exchange it again.
            if error.code != "service_unreachable":
                self._kept.delete(index)
                self._refuse(index, error)
            raise

    def _token_of(self, index: str, prefix: str, key: str) -> Tuple[str, bool]:
        kept = self._kept.get(index)
        left = 0.0 if kept is None else kept.lifetime - self._clock.age(kept.started)
        if kept is None or left <= 0:
            refused = self._active_refusal(index)
            if refused is not None:
                raise VerifyError(refused.error.code, str(refused.error))
            return self._exchange(index, prefix, key), True
        if left < min(_RENEW_BEFORE, kept.lifetime / 2) and self._active_refusal(index) is None:
            self._spawn(self._renew, index, prefix, key)
        return kept.token, False

    def _renew(self, index: str, prefix: str, key: str) -> None:
        try:
            self._exchange(index, prefix, key)
        except VerifyError:
            pass  # It is remembered, and the kept token stays usable until it ends.

    def _active_refusal(self, index: str) -> Optional[_Refused]:
        refused = self._refused.get(index)
        return refused if refused is not None and self._clock.age(refused.started) < refused.seconds else None

    def _refuse(self, index: str, error: VerifyError) -> None:
        seconds = _RETRY if error.code == "service_unreachable" else _REFUSAL
        self._refused.set(index, _Refused(error, self._clock.now(), seconds))

    def _exchange(self, index: str, prefix: str, key: str) -> str:
        with self._lock:
            pending = self._pending.get(index)
            own: Future[str] = Future()
            if pending is None:
                self._pending[index] = own
        if pending is not None:
            return pending.result()
        started = self._clock.now()
        try:
            token, lifetime = self._fetch_token(prefix, key)
            self._kept.set(index, _Kept(token, started, lifetime))
            own.set_result(token)
        except BaseException as error:
            if isinstance(error, VerifyError):
                # While the service cannot be reached, the kept token stays usable until it ends.
                if error.code != "service_unreachable":
                    self._kept.delete(index)
                self._refuse(index, error)
            own.set_exception(error)
        finally:
            with self._lock:
                del self._pending[index]
        return own.result()

    def _fetch_token(self, prefix: str, key: str) -> Tuple[str, float]:
        basic = base64.b64encode(f"{prefix}:{key}".encode()).decode()
        headers = {"Authorization": f"Basic {basic}", "Content-Type": "application/x-www-form-urlencoded"}
        request = Request(
            self._url,
            max_bytes=64 * 1024,
            timeout=5,
            idle_timeout=5,
            headers=headers,
            body="grant_type=client_credentials",
        )
        try:
            answer = self._send(request)
            # A 4xx rejects this key, except 408 and 429, which do not depend on the key.
            if 400 <= answer.status < 500 and answer.status not in (408, 429):
                raise invalid("the service does not accept this API key")
            return _read_exchange(json_of(answer))
        except FAILURES:
            # The error may contain the request, so it is not passed on.
            raise unreachable("the API key could not be exchanged for a token") from None


def _read_exchange(body: Any) -> Tuple[str, float]:
    token, seconds = members_of(body).get("access_token"), members_of(body).get("expires_in")
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not isinstance(token, str) or not is_number or not 0 < seconds <= _MAX_LIFETIME:
        raise ValueError("the response contains no token")
    return token, float(seconds)
