"""Verifies access tokens and API keys of one Gatehouse."""

from __future__ import annotations

import os
import re
import threading
from typing import Any, Callable, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from ._cache import BoundedCache
from ._clock import Clock
from ._feed import Feed
from ._http import FAILURES, Fetch, Request, fetch, json_of, members_of, quoted
from ._keys import Key, Keys
from ._look_up import CurrentSession, LookUps
from ._machine import KeyTokens, is_api_key
from ._poller import Poller
from ._revoked import role_keys_of
from ._token import ReadToken, invalid, read_token
from .errors import VerifyError, unreachable
from .session import Session

#: How far ``iat`` may be in the future, in seconds.
_MAX_AHEAD = 60
_BEARER = re.compile(r"Bearer +(\S+) *", re.IGNORECASE | re.ASCII)
#: The first segments of the service's own permissions, which are not in tokens of users.
_SERVICE_SEGMENTS = frozenset(("org", "members", "audit", "roles", "machines", "webhooks", "policy", "sso"))
#: The roles of users. A machine, and a role that this version does not know, has none of them.
_ROLES = ("member", "admin", "owner")
#: The default of a need.
_NOT_REQUIRED: Any = object()
_MESSAGES = {
    "session_revoked": "the session was revoked",
    "token_expired": "the token has expired",
    "token_stale": "roles have changed: refresh the session",
}


class _Proof(NamedTuple):
    """A token whose signature was verified. It is cached by the text of the token."""

    key: Key
    token: ReadToken
    #: None for a token of an application: it is never stale.
    role_keys: Optional[Tuple[str, ...]]


class Verifier:
    """Verifies access tokens and API keys in this process. Create one per process; share it between threads.

    Nothing is requested before the first use. From then on background threads keep the public keys, and the feed of
    revoked sessions and role changes, up to date.

    :param issuer: ``PUBLIC_BASE_URL`` of the service, such as ``https://id.example.com``.
    :param audience: Set it in an API that is called by applications (OAuth 2.1): only access tokens of applications
        for exactly this audience are accepted then.
    :param address: The address at which this process reaches the service, if it differs from ``issuer``.
    :param route_prefix: ``ROUTE_PREFIX`` of the service.
    :param when_feed_fails: ``refuse``: while the feed cannot be read, every token is refused with 503. ``accept``:
        tokens are checked against the last known feed.
    :param on_feed: Called with ``lost`` and the error when the feed cannot be read, and with ``regained`` and None when
        it can be read again, for logs and alerts.
    :param clock_skew: Seconds for which a token is accepted after it expires, 0 to 60.
    :param look_up_seconds: How long an answer of ``GET /auth/session`` is used, 0 to 60.
    """

    def __init__(
        self,
        issuer: str,
        *,
        audience: Optional[str] = None,
        address: Optional[str] = None,
        route_prefix: str = "/v1",
        when_feed_fails: str = "refuse",
        on_feed: Callable[[str, Optional[Exception]], Any] = lambda _state, _cause: None,
        clock_skew: float = 5,
        look_up_seconds: float = 10,
        max_cached_tokens: int = 10_000,
        max_revocations: int = 100_000,
    ) -> None:
        if when_feed_fails not in ("refuse", "accept"):
            raise ValueError("when_feed_fails must be 'refuse' or 'accept'")
        self._issuer = _origin_of(issuer)
        self._audience = audience
        self._clock_skew = _within("clock_skew", clock_skew, 0, 60)
        base = (address or self._issuer).rstrip("/")
        max_cached = int(_within("max_cached_tokens", max_cached_tokens, 2, 10_000_000))
        max_entries = int(_within("max_revocations", max_revocations, 1, 1_000_000))
        self._clock, self._send = self._make_clock(), self._make_fetch()
        self._base, send = base, self._send
        # Tokens of applications have keys of their own.
        key_path = "/.well-known/jwks.json" if audience is None else "/oauth/jwks.json"
        self._keys = Keys(base + key_path, send, self._clock)
        feed_url = f"{base}/.well-known/service-revocations.json"
        self._feed = Feed(feed_url, send, self._clock, max_entries, when_feed_fails == "refuse", on_feed)
        self._key_tokens = KeyTokens(f"{base}/oauth/token", send, self._clock, max_cached, self._spawn)
        session_url = f"{base}{route_prefix.rstrip('/')}/auth/session"
        self._look_ups = LookUps(session_url, send, self._clock, _within("look_up_seconds", look_up_seconds, 0, 60))
        self._proofs: BoundedCache[_Proof] = BoundedCache(max_cached)
        self._pollers = [Poller(part, self._clock) for part in (self._feed, self._keys)]
        self._start_lock = threading.Lock()
        self._pid: Optional[int] = None
        self._is_closed = False
        self._is_issuer_equal = False

    # Tests replace these.
    def _make_clock(self) -> Clock:
        return Clock()

    def _make_fetch(self) -> Fetch:
        return fetch

    def _spawn(self, work: Callable[..., None], *args: Any) -> None:
        threading.Thread(target=work, args=args, daemon=True).start()

    def ready(self) -> None:
        """Requests the keys and the feed. Optional: call it before the process reports that it is ready.

        Raises ValueError, which names both, if the service has another issuer than the option ``issuer``.
        """
        self._start()
        try:
            try:
                self._keys.ready()
            finally:
                self._feed.ready()
        finally:
            self._wake_pollers()
        if not self._is_issuer_equal:
            self._require_issuer()
            self._is_issuer_equal = True

    def _require_issuer(self) -> None:
        """Raises ValueError if the service has another issuer, because every token would then be refused."""
        url = f"{self._base}/.well-known/openid-configuration"
        try:
            answer = self._send(Request(url, max_bytes=64 * 1024, timeout=5, idle_timeout=5))
            found = members_of(json_of(answer)).get("issuer")
        except FAILURES as error:
            raise unreachable(f"{url} could not be fetched") from error
        if found != self._issuer:
            where = f"the service at {self._base} is {quoted(found)} (its PUBLIC_BASE_URL)"
            raise ValueError(f"issuer: is {quoted(self._issuer)}, but {where}")

    def close(self) -> None:
        """Stops the polling. After that every token is refused."""
        self._is_closed = True
        self._feed.close()
        for poller in self._pollers:
            poller.close()

    def verify(self, credential: str) -> Session:
        """Verifies an access token or an API key. Raises :class:`VerifyError`."""
        return self._authenticate(credential)[1]

    def admit(
        self,
        authorization: Optional[str],
        *,
        organization: Optional[str] = _NOT_REQUIRED,
        role: Optional[str] = _NOT_REQUIRED,
        permission: Optional[str] = _NOT_REQUIRED,
        verified_email: bool = False,
        aal2: bool = False,
        signed_in_within: Optional[float] = _NOT_REQUIRED,
        stepped_up_within: Optional[float] = _NOT_REQUIRED,
    ) -> Session:
        """Returns the session of a request with this ``Authorization`` header, if it meets all needs.

        A need whose value is None is never met, so that a missing value does not open a route.

        :param organization: The organization of the request, which must be the session's own.
        :param role: At least this role in the organization of the session: ``owner``, ``admin`` or ``member``. For a
            token without a role, the service is asked. Machines are refused.
        :param permission: A permission in the organization of the session. One of the product is read from the token;
            for others, and for a token without permissions, the service is asked.
        :param verified_email: The email was verified when the token was issued.
        :param aal2: A second factor or a passkey was verified in this session.
        :param signed_in_within: Seconds since the user signed in.
        :param stepped_up_within: Seconds since a second factor or a passkey was verified. Asks the service.
        """
        credential = bearer_token(authorization)
        token, session = self._authenticate(credential)
        if organization is not _NOT_REQUIRED:
            session.require_organization(organization)
        if role is not _NOT_REQUIRED:
            self._require_role(token, session, role)
        if permission is not _NOT_REQUIRED:
            self._require_permission(token, session, str(permission))
        if verified_email:
            session.require_verified_email()
        if aal2:
            session.require_aal2()
        if signed_in_within is not _NOT_REQUIRED:
            self._require_recent_sign_in(session, signed_in_within)
        if stepped_up_within is not _NOT_REQUIRED:
            self._require_step_up(token, session, stepped_up_within)
        return session

    def look_up(self, credential: str) -> CurrentSession:
        """Verifies the token, then requests the current state of the session from the service."""
        token, session = self._authenticate(credential)
        self._require_own()
        return self._look_ups.find(token, session)

    def _authenticate(self, credential: str) -> Tuple[str, Session]:
        """Returns the token for requests to the service, and the session.

        With the option ``audience``, an API key is not exchanged: the token would be for another audience.
        """
        self._start()
        if not isinstance(credential, str) or credential == "":
            raise VerifyError("token_missing", "there is no token")
        if is_api_key(credential) and self._audience is None:
            return self._key_tokens.verify(credential, self._verify_token)
        return credential, self._verify_token(credential)

    def _verify_token(self, token: str) -> Session:
        proof = self._proofs.get(token)
        try:
            # A retired key may be published again, with the same key id.
            if proof is None or proof.key.retired:
                proof = self._prove(token)
            if not self._feed.is_fresh():
                self._feed.freshen()
        finally:
            self._wake_pollers()
        self._require_time(proof.token)
        if proof.key.retired:
            raise invalid("the key that signed the token is no longer published")
        code = self._feed.refusal(proof.token, proof.role_keys)
        if code is not None:
            raise VerifyError(code, _MESSAGES[code])
        return proof.token.session

    def _prove(self, token: str) -> _Proof:
        read = read_token(token, self._issuer, self._audience)
        self._require_time(read)
        key = self._keys.find(read.kid)
        key.verify(read)
        proof = _Proof(key, read, role_keys_of(read) if self._audience is None else None)
        self._proofs.set(token, proof)
        return proof

    def _require_time(self, token: ReadToken) -> None:
        second = self._clock.now().wall
        if second >= token.exp + self._clock_skew:
            raise VerifyError("token_expired", "the token has expired")
        if second < token.iat - _MAX_AHEAD - self._clock_skew:
            raise invalid("the token was issued in the future: check the clocks")

    def _require_own(self) -> None:
        if self._audience is not None:
            raise VerifyError("forbidden", "a token of an application is not accepted here")

    def _require_role(self, token: str, session: Session, needed: Optional[str]) -> None:
        if needed is not None and needed not in _ROLES:
            raise ValueError(f"role: must be {', '.join(_ROLES)}, not {quoted(needed)}")
        role: Any = session.role
        if role is None:
            self._require_own()
            role = members_of(self._look_ups.find(token, session).body.get("capabilities")).get("role")
        if needed is None or role not in _ROLES[_ROLES.index(needed) :]:
            raise VerifyError("forbidden", f"this needs the role {needed}: yours is {role}")

    def _require_permission(self, token: str, session: Session, permission: str) -> None:
        lacks = VerifyError("forbidden", f"your roles do not include {permission}")
        # Scopes only restrict: a permission outside of them is missing, even if the roles include it.
        if session.scopes is not None and permission not in session.scopes:
            raise lacks
        if session.permissions is None or permission.split(".")[0] in _SERVICE_SEGMENTS:
            # The scopes of a machine also list the service's own permissions that it has.
            if session.scopes is None:
                self._require_own()
                self._look_ups.require(
                    token, session, lambda current: None if permission in current.permissions else lacks
                )
        elif permission not in session.permissions:
            raise lacks

    def _require_recent_sign_in(self, session: Session, seconds: Optional[float]) -> None:
        session.require_user()
        age = self._clock.now().wall - session.auth_time.timestamp()
        if seconds is None or age > seconds:
            found = f"sign in again: it was {age:.0f} seconds ago, at most {seconds} are allowed"
            raise VerifyError("step_up_required", found)

    def _require_step_up(self, token: str, session: Session, seconds: Optional[float]) -> None:
        self._require_own()
        session.require_user()

        def refusal(current: CurrentSession) -> Optional[VerifyError]:
            at = current.mfa_verified_at
            if seconds is not None and at is not None and self._clock.now().wall - at <= seconds:
                return None
            return VerifyError("step_up_required", "verify your second factor")

        self._look_ups.require(token, session, refusal)

    def _start(self) -> None:
        """Starts the background threads, once per process: threads do not survive a fork."""
        if self._pid == os.getpid() or self._is_closed:
            return
        with self._start_lock:
            if self._pid != os.getpid():
                self._pid = os.getpid()
                for poller in self._pollers:
                    poller.start()

    def _wake_pollers(self) -> None:
        for poller in self._pollers:
            poller.wake()


def bearer_token(authorization: Optional[str]) -> str:
    """Returns the token of an ``Authorization: Bearer`` header, or raises ``token_missing``."""
    match = _BEARER.fullmatch(authorization or "")
    if match is None:
        raise VerifyError("token_missing", "send an access token: Authorization: Bearer …")
    return match[1]


def _origin_of(issuer: str) -> str:
    parts = urlsplit(issuer)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise ValueError("issuer must be an http or https origin without a path, as PUBLIC_BASE_URL is")
    return f"{parts.scheme}://{parts.netloc}"


def _within(name: str, value: float, least: float, most: float) -> float:
    if not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least} to {most}")
    return value
