"""Requests to the service, limited in time and size."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, Mapping, Optional


@dataclass(frozen=True)
class Request:
    url: str
    max_bytes: int
    #: For the whole exchange, including the body.
    timeout: float
    #: The maximum time between two parts of the response.
    idle_timeout: float
    headers: Mapping[str, str] = field(default_factory=dict)
    #: If present, the request is a POST.
    body: Optional[str] = None


@dataclass(frozen=True)
class Answer:
    status: int
    #: Names in lower case. Several values of one header are joined by a comma.
    headers: Mapping[str, str]
    body: bytes


#: The maximum length of a value in an error message.
_MAX_QUOTED = 100

#: Sends a request. Raises one of FAILURES if there is no whole response.
Fetch = Callable[[Request], Answer]


#: What a request or an unusable response raises.
FAILURES = (OSError, ValueError, http.client.HTTPException)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirects: only responses of the configured address are accepted."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def fetch(request: Request) -> Answer:
    deadline = time.monotonic() + request.timeout
    headers = {"Accept": "application/json", "Cache-Control": "no-cache", **request.headers}
    data = None if request.body is None else request.body.encode()
    sent = urllib.request.Request(request.url, data=data, headers=headers)
    try:
        response = _opener.open(sent, timeout=request.idle_timeout)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        body = bytearray()
        while True:
            chunk = response.read1(65536) if hasattr(response, "read1") else response.read(65536)
            if not chunk:
                break
            body += chunk
            if len(body) > request.max_bytes:
                raise ValueError(f"the response is larger than {request.max_bytes} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError(f"no complete response within {request.timeout} s")
        length = response.headers.get("Content-Length", "")
        if length.isdigit() and response.getcode() != 304 and len(body) != int(length):
            raise ValueError("the response is incomplete")
        names = {name.lower() for name in response.headers.keys()}
        joined = {name: ", ".join(response.headers.get_all(name) or []) for name in names}
        return Answer(response.getcode(), joined, bytes(body))


class Document:
    """A JSON document that is polled with If-None-Match. The tag is stored only after `take` has succeeded."""

    def __init__(self, send: Fetch, take: Callable[[Any, Answer], None]) -> None:
        self._send = send
        self._take = take
        self._tag: Optional[str] = None

    def update(self, request: Request, check: Callable[[Answer], None] = lambda _answer: None) -> None:
        """Requests the document once, and passes it to `take` if it has changed. Raises one of FAILURES."""
        headers = {} if self._tag is None else {"If-None-Match": self._tag}
        answer = self._send(replace(request, headers={**request.headers, **headers}))
        check(answer)
        if answer.status == 304 and self._tag is not None:
            return
        self._take(json_of(answer), answer)
        self._tag = answer.headers.get("etag")


def parse_json(data: bytes) -> Any:
    """Parses JSON as RFC 8259 defines it: UTF-8, without NaN and Infinity. Raises ValueError."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_reject_constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def json_of(answer: Answer) -> Any:
    """Raises ValueError unless the response is 200 with a JSON body."""
    if answer.status != 200:
        raise ValueError(f"the service responded with status {answer.status}")
    try:
        return parse_json(answer.body)
    except ValueError:
        # The parser's message may quote the text, so it is not passed on.
        raise ValueError("the response is not JSON") from None


def quoted(value: Any) -> str:
    """Returns a value of a token or a response for an error message: as JSON, and shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…"


def members_of(value: Any) -> Dict[str, Any]:
    """Returns an object as a dictionary; an empty one for any other value."""
    return value if isinstance(value, dict) else {}
