"""Verifies Gatehouse access tokens locally: signature, claims, revoked sessions, changed roles, API keys."""

from ._look_up import CurrentSession
from .errors import Refusal, VerifyError
from .session import Session
from .verifier import Verifier, bearer_token

__all__ = ["CurrentSession", "Refusal", "Session", "Verifier", "VerifyError", "bearer_token"]
__version__ = "0.1.0"
