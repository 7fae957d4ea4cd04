"""flask --app flask_app run. ISSUER is PUBLIC_BASE_URL of the service."""

import os
from functools import wraps
from typing import Any, Callable

from flask import Flask, g, jsonify, request

from gatehouse_verify import Verifier, VerifyError

verifier = Verifier(os.environ["ISSUER"])
app = Flask(__name__)


@app.errorhandler(VerifyError)
def refuse(error: VerifyError) -> Any:
    refusal = error.refusal()
    return jsonify(refusal.body), refusal.status, refusal.headers


def protect(**needs: Any) -> Callable:
    def decorate(view: Callable) -> Callable:
        @wraps(view)
        def protected(*args: Any, **kwargs: Any) -> Any:
            g.session = verifier.admit(request.headers.get("Authorization"), **needs)
            return view(*args, **kwargs)

        return protected

    return decorate


@app.get("/me")
@protect()
def me() -> Any:
    return jsonify(user_id=g.session.user_id)


@app.get("/invoices")
@protect(permission="invoices.read")
def invoices() -> Any:
    return jsonify([])
