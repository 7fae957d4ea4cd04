"""The current state of a session, as GET /auth/session returns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple

from ._cache import BoundedCache
from ._clock import Clock, Moment
from ._http import FAILURES, Fetch, Request, json_of, members_of
from ._revoked import time_of
from .errors import VerifyError, unreachable
from .session import Session

#: A cached response that is older than this is requested again before it causes a refusal. Not 0, so that a client
#: that is refused repeatedly does not cause a flood of requests.
_MAX_REFUSAL_AGE = 1.0
_MAX_CACHED = 10_000


@dataclass(frozen=True)
class CurrentSession:
    """The current permissions of a session, those of the service and of the product."""

    permissions: Tuple[str, ...]
    #: Unix seconds of the last verification of a second factor or a passkey.
    mfa_verified_at: Optional[float]
    #: The whole response.
    body: Dict[str, Any]


class LookUps:
    def __init__(self, url: str, send: Fetch, clock: Clock, seconds: float) -> None:
        self._url = url
        self._send = send
        self._clock = clock
        self._seconds = seconds
        self._answers: BoundedCache[Tuple[Moment, CurrentSession]] = BoundedCache(_MAX_CACHED)

    def find(self, token: str, session: Session) -> CurrentSession:
        return self._find(token, session, self._seconds)[1]

    def require(
        self, token: str, session: Session, refusal: Callable[[CurrentSession], Optional[VerifyError]]
    ) -> CurrentSession:
        """Raises the error that ``refusal`` returns for a response that is at most a second old."""
        asked, current = self._find(token, session, self._seconds)
        error = refusal(current)
        if error is not None and self._clock.age(asked) > _MAX_REFUSAL_AGE:
            asked, current = self._find(token, session, _MAX_REFUSAL_AGE)
            error = refusal(current)
        if error is not None:
            raise error
        return current

    def _find(self, token: str, session: Session, max_age: float) -> Tuple[Moment, CurrentSession]:
        known = self._answers.get(token)
        if known is not None and self._clock.age(known[0]) < max_age:
            return known
        started = self._clock.now()
        answer = started, self._ask(token, session)
        self._answers.set(token, answer)
        return answer

    def _ask(self, token: str, session: Session) -> CurrentSession:
        headers = {"Authorization": f"Bearer {token}"}
        try:
            answer = self._send(Request(self._url, max_bytes=256 * 1024, timeout=5, idle_timeout=5, headers=headers))
            if answer.status == 401:
                raise VerifyError("session_revoked", "the service does not accept this session")
            return _read(json_of(answer), session)
        except FAILURES:
            raise unreachable("the session could not be requested from the service") from None


def _read(body: Any, session: Session) -> CurrentSession:
    """Raises ValueError if the response is about another session, or lacks a field that a check needs."""
    user, capabilities = members_of(members_of(body).get("user")), members_of(members_of(body).get("capabilities"))
    permissions, verified_at = capabilities.get("permissions"), user.get("mfa_verified_at", "absent")
    ids = user.get("user_id"), user.get("organization_id"), user.get("session_family_id")
    if (
        ids != (session.user_id, session.organization_id, session.session_id)
        or not isinstance(permissions, list)
        or (verified_at is not None and time_of(verified_at) is None)
    ):
        raise ValueError("the response is not about this session")
    return CurrentSession(tuple(permissions), time_of(verified_at), body)
