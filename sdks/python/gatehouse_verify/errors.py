"""Why a request is refused, and the HTTP response for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Mapping, Optional, Tuple

_TOKEN = ("authentication_required", "authentication_error")
_INVALID = 'Bearer error="invalid_token"'

#: Status, code, type and challenge (RFC 6750, RFC 9470) of each refusal.
_WIRE: Mapping[str, Tuple[int, str, str, Optional[str]]] = {
    "token_missing": (401, *_TOKEN, "Bearer"),
    "token_invalid": (401, *_TOKEN, _INVALID),
    "token_expired": (401, *_TOKEN, _INVALID),
    "token_stale": (401, *_TOKEN, _INVALID + ', error_description="stale"'),
    "session_revoked": (401, *_TOKEN, _INVALID),
    "step_up_required": (401, "mfa_required", "mfa_required", 'Bearer error="insufficient_user_authentication"'),
    "forbidden": (403, "forbidden", "authorization_error", 'Bearer error="insufficient_scope"'),
    "service_unreachable": (503, "service_unreachable", "service_unreachable", None),
}

RETRY_AFTER_SECONDS = 2


@dataclass(frozen=True)
class Refusal:
    """The HTTP response to a refused request: status, headers, and an error body in the format of Gatehouse."""

    status: int
    headers: Dict[str, str]
    body: Dict[str, Dict[str, str]]


class VerifyError(Exception):
    """The error for every refused request. Its message never contains the token or the key.

    ``code`` is one of ``token_missing``, ``token_invalid``, ``token_expired``, ``token_stale``, ``session_revoked``,
    ``step_up_required``, ``forbidden`` and ``service_unreachable``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.status = _WIRE[code][0]

    def refusal(self) -> Refusal:
        """Returns the HTTP response for this error."""
        status, code, kind, challenge = _WIRE[self.code]
        headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if challenge is None else {"WWW-Authenticate": challenge}
        return Refusal(status, headers, {"error": {"code": code, "message": str(self), "type": kind}})


def unreachable(message: str) -> VerifyError:
    return VerifyError("service_unreachable", message)
