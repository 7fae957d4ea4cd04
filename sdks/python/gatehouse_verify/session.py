"""The session that a valid token describes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Optional, Tuple

from ._http import quoted
from .errors import VerifyError


@dataclass(frozen=True)
class Session:
    """The content of an access token.

    Identify users by ``user_id``, never by ``email``: an email may be unverified, and may change.
    """

    #: The id of the user; of a machine, that of the service account.
    user_id: str
    organization_id: str
    #: The same for all tokens of a session, across refreshes.
    session_id: str
    #: Unique for each token.
    token_id: str
    email: Optional[str]
    email_verified: bool
    #: ``aal1`` for one factor, ``aal2`` for a passkey or a second factor.
    aal: str
    #: ``api_key`` for a machine, ``application`` for a token of an application. Later versions may add values.
    auth_method: str
    #: When the user signed in. Refreshing does not change it.
    auth_time: datetime
    issued_at: datetime
    expires_at: datetime
    #: ``owner``, ``admin``, ``member``, ``machine``; None if the service is older than product roles.
    role: Optional[str]
    #: The permissions of the product. None if the token does not contain them.
    permissions: Optional[Tuple[str, ...]]
    #: The application that acts for the user, with the option ``audience``.
    client_id: Optional[str]
    #: What the token of a machine or an application is limited to; None for users.
    scopes: Optional[Tuple[str, ...]]

    def require_organization(self, organization_id: Optional[str]) -> None:
        """Raises ``forbidden`` unless the session belongs to this organization."""
        if not isinstance(organization_id, str) or organization_id.lower() != self.organization_id:
            found = f"the organization of your session is {self.organization_id}, not {quoted(organization_id)}"
            raise VerifyError("forbidden", found)

    def require_user(self) -> None:
        """Raises ``forbidden`` for the session of a machine."""
        if self.auth_method == "api_key":
            raise VerifyError("forbidden", "this requires a user; an API key is not accepted")

    def require_aal2(self) -> None:
        """Raises ``step_up_required`` unless a second factor or a passkey was verified in this session."""
        if self.aal != "aal2":
            self.require_user()
            raise VerifyError("step_up_required", f"this needs a second factor: the session is {self.aal}, not aal2")

    def require_verified_email(self) -> None:
        """Raises ``forbidden`` if the email was not verified when the token was issued."""
        if not self.email_verified:
            raise VerifyError("forbidden", "verify your email address, then refresh the session")
