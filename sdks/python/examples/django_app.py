"""python3 django_app.py runserver. ISSUER is PUBLIC_BASE_URL of the service."""

import os
import sys
from functools import wraps
from typing import Any, Callable

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.urls import path

from gatehouse_verify import Verifier, VerifyError

if not settings.configured:
    settings.configure(ROOT_URLCONF=__name__, SECRET_KEY=os.urandom(32).hex(), ALLOWED_HOSTS=["127.0.0.1", "localhost"])

verifier = Verifier(os.environ["ISSUER"])


def protect(**needs: Any) -> Callable:
    """Protects a view, which reads the session as `request.session_of_token`."""

    def decorate(view: Callable) -> Callable:
        @wraps(view)
        def protected(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            try:
                request.session_of_token = verifier.admit(request.headers.get("Authorization"), **needs)
            except VerifyError as error:
                refusal = error.refusal()
                return JsonResponse(refusal.body, status=refusal.status, headers=refusal.headers)
            return view(request, *args, **kwargs)

        return protected

    return decorate


@protect()
def me(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"user_id": request.session_of_token.user_id})


@protect(permission="invoices.read")
def invoices(_request: HttpRequest) -> JsonResponse:
    return JsonResponse([], safe=False)


urlpatterns = [path("me", me), path("invoices", invoices)]

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
