"""The format and the claims of an access token."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Optional, Tuple

from ._http import members_of, parse_json, quoted
from .errors import VerifyError
from .session import Session

#: The same limit as in the service.
_MAX_LENGTH = 4096
_THREE_PARTS = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_LAST_SECOND = 8_640_000_000_000
MAX_SAFE_INTEGER = 2**53 - 1
#: Scopes of OpenID Connect. All others are permissions of the product.
_STANDARD_SCOPES = frozenset(("openid", "profile", "email", "offline_access", "organization"))
_ABSENT = object()


def invalid(message: str) -> VerifyError:
    return VerifyError("token_invalid", message)


@dataclass(frozen=True)
class ReadToken:
    """A token whose signature is not verified yet."""

    kid: str
    signed: bytes
    signature: bytes
    iat: int
    exp: int
    #: Unix milliseconds; 0 for a token without it: every entry of the feed that names its user makes it stale.
    perms_at: int
    session: Session


def read_token(token: str, issuer: str, audience: Optional[str]) -> ReadToken:
    """Parses a token. Rejects what the service cannot have issued, but does not verify the signature."""
    if len(token) > _MAX_LENGTH:
        raise invalid("the token is too long")
    if not _THREE_PARTS.fullmatch(token):
        raise invalid("this is not a valid JWT")
    head, payload, signature = token.split(".")
    header = members_of(_decode_json(head))
    if header.get("alg") != "RS256":
        raise invalid(f"the token's alg is {quoted(header.get('alg'))}, not \"RS256\"")
    if "crit" in header:
        raise invalid("the token requires an extension (crit), which is not supported")
    kid = header.get("kid")
    if not isinstance(kid, str):
        raise invalid("the token has no key id (kid)")
    raw_signature = _decode(signature)
    # Only the canonical encoding: stray bits in the last character would make a second token with one signature.
    if base64.urlsafe_b64encode(raw_signature).rstrip(b"=").decode() != signature:
        raise invalid("this is not a valid JWT")
    if audience is not None and header.get("typ") != "at+jwt":
        raise invalid(f"the type of the token is {quoted(header.get('typ'))}, not \"at+jwt\" of an application")
    claims = members_of(_decode_json(payload))
    read = _read_claims(claims, issuer) if audience is None else _read_grant(claims, f"{issuer}/oauth", audience)
    return ReadToken(kid=kid, signed=f"{head}.{payload}".encode(), signature=raw_signature, **read)


def _decode(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        raise invalid("this is not a valid JWT") from None


def _decode_json(part: str) -> Any:
    try:
        return parse_json(_decode(part))
    except ValueError:
        raise invalid("this is not a valid JWT") from None


def is_uuid(value: Any) -> bool:
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def integer(value: Any, least: int, most: int) -> Optional[int]:
    """Returns a JSON number without a fraction as an integer; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        return None
    return int(value) if value == int(value) else None


class _Claims:
    """Reads claims by their type. A claim that is null is not an absent one."""

    def __init__(self, claims: Dict[str, Any]) -> None:
        self._claims = claims

    def _read(self, name: str, is_valid: Callable[[Any], bool], optional: bool = False) -> Any:
        value = self._claims.get(name, _ABSENT)
        if value is _ABSENT and optional:
            return None
        if not is_valid(value):
            raise self._wrong(name, "which is not valid")
        return value

    def _wrong(self, name: str, expected: str) -> VerifyError:
        found = quoted(self._claims[name]) if name in self._claims else "missing"
        return invalid(f"the token's {name} is {found}, {expected}")

    def id(self, name: str) -> str:
        return self._read(name, is_uuid).lower()

    def text(self, name: str, optional: bool = False, empty: bool = False) -> Any:
        return self._read(name, lambda value: isinstance(value, str) and (empty or value != ""), optional)

    def flag(self, name: str) -> bool:
        return self._read(name, lambda value: isinstance(value, bool), optional=True) is True

    def true(self, name: str) -> bool:
        return self._read(name, lambda value: value is True, optional=True) is True

    def aal(self, name: str) -> str:
        return self._read(name, lambda value: isinstance(value, str) and value in ("aal1", "aal2"))

    def number(self, name: str, most: int, optional: bool = False) -> int:
        return int(self._read(name, lambda value: integer(value, 0, most) is not None, optional) or 0)

    def texts(self, name: str) -> Optional[Tuple[str, ...]]:
        value = self._read(
            name,
            lambda value: isinstance(value, list) and all(isinstance(item, str) and item != "" for item in value),
            optional=True,
        )
        return None if value is None else tuple(value)

    def scopes(self, optional: bool) -> Optional[Tuple[str, ...]]:
        scope = self.text("scope", optional, empty=True)
        return None if scope is None else tuple(name for name in scope.split(" ") if name != "")

    def require(self, name: str, expected: Any) -> None:
        if self._claims.get(name, _ABSENT) != expected:
            raise self._wrong(name, f"not {quoted(expected)}")

    def require_absent(self, *names: str) -> None:
        for name in names:
            if name in self._claims:
                raise self._wrong(name, "not missing")


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _date(second: int) -> datetime:
    try:
        return _EPOCH + timedelta(seconds=second)
    except OverflowError:
        return datetime.max.replace(tzinfo=timezone.utc)


def _read_claims(raw: Dict[str, Any], issuer: str) -> Dict[str, Any]:
    """The claims of a session of the service. Raises for anything else, even if its signature is valid."""
    claims = _Claims(raw)
    claims.require("typ", "access")
    claims.require("iss", issuer)
    # The service issues neither claim: a token with `aud` is for another audience, one with `nbf` for a later time.
    claims.require_absent("aud", "nbf")
    email, email_verified = claims.text("email", optional=True, empty=True), claims.flag("email_verified")
    permissions = claims.texts("perms")
    return _read(
        claims,
        perms_at=claims.number("perms_at", MAX_SAFE_INTEGER, optional=True),
        email=email,
        email_verified=email is not None and email_verified,
        aal=claims.aal("aal"),
        auth_method=claims.text("auth_method"),
        role=claims.text("role", optional=True),
        permissions=None if claims.true("perms_omitted") else permissions,
        client_id=None,
        scopes=claims.scopes(optional=True),
    )


def _read_grant(raw: Dict[str, Any], issuer: str, audience: str) -> Dict[str, Any]:
    """The claims of an access token that an application has for this audience. Raises for anything else."""
    claims = _Claims(raw)
    claims.require("iss", issuer)
    claims.require("aud", audience)
    claims.require_absent("typ", "nbf")
    scopes = claims.scopes(optional=False) or ()
    return _read(
        claims,
        perms_at=0,
        email=None,
        email_verified=False,
        aal=claims.aal("acr"),
        auth_method="application",
        role=None,
        permissions=tuple(scope for scope in scopes if scope not in _STANDARD_SCOPES),
        client_id=claims.text("client_id"),
        scopes=scopes,
    )


def _read(claims: _Claims, perms_at: int, **rest: Any) -> Dict[str, Any]:
    iat, exp = claims.number("iat", _LAST_SECOND), claims.number("exp", _LAST_SECOND)
    session = Session(
        user_id=claims.id("sub"),
        organization_id=claims.id("org"),
        session_id=claims.id("sid"),
        token_id=claims.id("jti"),
        auth_time=_date(claims.number("auth_time", _LAST_SECOND)),
        issued_at=_date(iat),
        expires_at=_date(exp),
        **rest,
    )
    return {"iat": iat, "exp": exp, "perms_at": perms_at, "session": session}
