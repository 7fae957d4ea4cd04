"""Runs the test vectors of packages/verify/vectors. Time passes only as a scenario says.

    python3 -m unittest discover tests
"""

from __future__ import annotations

import json
import os
import unittest
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import parse_qs, urlsplit

from gatehouse_verify import Session, Verifier, VerifyError
from gatehouse_verify._clock import Clock, Moment
from gatehouse_verify._http import Answer, Request

VECTORS = Path(os.environ.get("VECTORS", Path(__file__).parents[3] / "packages/verify/vectors"))
KINDS = {
    "/.well-known/jwks.json": "keys",
    "/oauth/jwks.json": "keys",
    "/.well-known/service-revocations.json": "feed",
    "/oauth/token": "exchange",
    "/v1/auth/session": "session",
}
VERDICTS: Dict[str, List[Any]] = {}


def expand(requests: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """The requests of a scenario, each at its own time."""
    return [
        {**{name: value for name, value in request.items() if name not in ("every_ms", "count")}, "at": at}
        for request in requests
        for at in (request["at"] + index * request.get("every_ms", 0) for index in range(request.get("count", 1)))
    ]


class SteppedClock(Clock):
    """In milliseconds inside, so that no time is rounded."""

    def __init__(self, start: str) -> None:
        self.start = round(datetime.fromisoformat(start.replace("Z", "+00:00")).timestamp() * 1000)
        self.steady_ms = 0
        self.slept_ms = 0

    @property
    def at(self) -> int:
        return self.steady_ms + self.slept_ms

    def now(self) -> Moment:
        return Moment(self.steady_ms / 1000, (self.start + self.at) / 1000)


class Service:
    """Answers requests as a scenario says, and records them."""

    def __init__(self, scenario: Dict[str, Any], key_sets: Dict[str, Any], clock: SteppedClock) -> None:
        self.queues = {kind: expand(requests) for kind, requests in scenario["requests"].items()}
        self.key_sets = key_sets
        self.clock = clock
        self.sent: Dict[str, List[Dict[str, Any]]] = {}

    def fetch(self, request: Request) -> Answer:
        parts = urlsplit(request.url)
        kind = KINDS[parts.path]
        described = {
            "at": self.clock.at,
            "path": parts.path,
            "after": parse_qs(parts.query).get("after", [None])[0],
            "if_none_match": request.headers.get("If-None-Match"),
            "authorization": request.headers.get("Authorization"),
            "form": request.body,
        }
        sent = {name: value for name, value in described.items() if value is not None}
        self.sent.setdefault(kind, []).append(sent)
        queue = self.queues.get(kind, [])
        response = queue.pop(0)["response"] if queue else None
        if response is None:
            raise ConnectionError("the connection failed")
        self.clock.steady_ms += response.get("takes_ms", 0)
        headers = {name.lower(): value for name, value in response.get("headers", {}).items()}
        return Answer(response["status"], headers, self.body_of(response).encode())

    def body_of(self, response: Dict[str, Any]) -> str:
        if "key_set" in response:
            return json.dumps(self.key_sets[response["key_set"]])
        return response["text"] if "text" in response else json.dumps(response["body"]) if "body" in response else ""


class SteppedVerifier(Verifier):
    """A verifier without threads."""

    def __init__(self, clock: SteppedClock, service: Service, **options: Any) -> None:
        self._stepped = clock, service
        super().__init__(**options)

    def _make_clock(self) -> Clock:
        return self._stepped[0]

    def _make_fetch(self) -> Any:
        return self._stepped[1].fetch

    def _spawn(self, work: Any, *args: Any) -> None:
        work(*args)

    def _start(self) -> None:
        pass

    def next_due_ms(self) -> float:
        return min(poller.next_due() for poller in self._pollers) * 1000

    def run_due(self) -> None:
        for poller in self._pollers:
            poller.run_due()


def describe(session: Session) -> Dict[str, Any]:
    values = dict(session.__dict__)
    for name in ("auth_time", "issued_at", "expires_at"):
        values[name] = int(values[name].timestamp())
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def run(scenario: Dict[str, Any], key_sets: Dict[str, Any]) -> Dict[str, Any]:
    clock = SteppedClock(scenario["starts_at"])
    service = Service(scenario, key_sets, clock)
    verifier = SteppedVerifier(clock, service, **scenario["options"])
    sleeps = list(scenario.get("sleeps", []))

    def pass_until(at: int) -> None:
        while True:
            sleep_at = sleeps[0]["at"] if sleeps else float("inf")
            end = min(at, sleep_at)
            while verifier.next_due_ms() + clock.slept_ms <= end:
                clock.steady_ms = max(clock.steady_ms, round(verifier.next_due_ms()))
                verifier.run_due()
            clock.steady_ms = max(clock.steady_ms, int(end) - clock.slept_ms)
            if sleep_at > at:
                return
            clock.slept_ms += sleeps.pop(0)["ms"]

    try:
        verifier.ready()
        ready = True
    except VerifyError:
        ready = False
    verdicts: List[Any] = []
    for check in scenario["checks"]:
        pass_until(check["at"])
        needs = dict(check.get("needs", {}))
        if "aal" in needs:
            needs["aal2"] = needs.pop("aal") == "aal2"
        try:
            verdicts.append({"session": describe(verifier.admit(check["authorization"], **needs))})
        except VerifyError as error:
            verdicts.append({"refused": error.code})
    return {"ready": ready, "verdicts": verdicts, "requests": service.sent}


class Vectors(unittest.TestCase):
    maxDiff = None

    def test_scenarios(self) -> None:
        for path in sorted(VECTORS.glob("*.json")):
            file = json.loads(path.read_text())
            for scenario in file.get("scenarios", []):
                with self.subTest(file=path.name, scenario=scenario["name"]):
                    result = run(scenario, file["key_sets"])
                    VERDICTS[f"{path.name}: {scenario['name']}"] = result["verdicts"]
                    for check, verdict in zip(scenario["checks"], result["verdicts"]):
                        self.assertEqual(verdict, check["verdict"], check["about"])
                    self.assertEqual(result["ready"], scenario["ready"])
                    requests = {kind: expand(listed) for kind, listed in scenario["requests"].items()}
                    for request in (request for listed in requests.values() for request in listed):
                        del request["response"]
                    self.assertEqual(result["requests"], requests)
        self.assertGreater(len(VERDICTS), 100)

    def test_responses(self) -> None:
        responses = json.loads((VECTORS / "responses.json").read_text())["responses"]
        for code, expected in responses.items():
            refusal = VerifyError(code, "why").refusal()
            self.assertEqual(refusal.status, expected["status"])
            self.assertEqual({name.lower(): value for name, value in refusal.headers.items()}, expected["headers"])
            self.assertEqual(refusal.body, {"error": {**expected["error"], "message": "why"}})


class LostNeeds(unittest.TestCase):
    def test_a_need_of_none_is_never_met(self) -> None:
        file = json.loads((VECTORS / "needs.json").read_text())
        scenario = next(each for each in file["scenarios"] if each["name"] == "needs that the claims of the token decide")
        for need in ("organization", "permission", "signed_in_within"):
            check = {**scenario["checks"][0], "needs": {need: None}}
            [verdict] = run({**scenario, "checks": [check]}, file["key_sets"])["verdicts"]
            self.assertEqual(verdict, {"refused": "step_up_required" if "within" in need else "forbidden"}, need)


def tearDownModule() -> None:
    # `npm run interop -- verifiers` compares the verdicts of all verifiers.
    if "VERDICTS_FILE" in os.environ:
        Path(os.environ["VERDICTS_FILE"]).write_text(json.dumps(VERDICTS))


if __name__ == "__main__":
    unittest.main()
