"""uvicorn fastapi_app:app. ISSUER is PUBLIC_BASE_URL of the service."""

import os
from typing import Any, Callable, Optional

from fastapi import Depends, FastAPI, Header, Request
from fastapi.responses import JSONResponse

from gatehouse_verify import Session, Verifier, VerifyError

verifier = Verifier(os.environ["ISSUER"])
app = FastAPI()


@app.exception_handler(VerifyError)
async def refuse(_request: Request, error: VerifyError) -> JSONResponse:
    refusal = error.refusal()
    return JSONResponse(refusal.body, refusal.status, refusal.headers)


def session(**needs: Any) -> Callable[..., Session]:
    """A dependency. It is not `async`, so FastAPI runs it in a thread, where it may wait for the service."""

    def dependency(authorization: Optional[str] = Header(None)) -> Session:
        return verifier.admit(authorization, **needs)

    return dependency


@app.get("/me")
def me(user: Session = Depends(session())) -> dict:
    return {"user_id": user.user_id}


@app.get("/invoices")
def invoices(_user: Session = Depends(session(permission="invoices.read"))) -> list:
    return []
