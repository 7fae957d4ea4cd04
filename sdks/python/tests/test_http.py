"""Requests over a real connection, and the background thread."""

from __future__ import annotations

import json
import threading
import time
import unittest
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gatehouse_verify import Verifier, VerifyError
from gatehouse_verify._http import FAILURES, Request, fetch


class Handler(BaseHTTPRequestHandler):
    polls = 0

    def do_GET(self) -> None:
        if self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", "/json")
            self.end_headers()
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"{")
        elif self.headers.get("If-None-Match") == '"tag"':
            self.send_response(304)
            self.end_headers()
        else:
            self.answer()

    def answer(self) -> None:
        if "revocations" in self.path:
            Handler.polls += 1
        generated_at = datetime.now(timezone.utc).isoformat()
        body = json.dumps({"keys": [], "generated_at": generated_at, "revocations": [], "refreshes": []}).encode()
        self.send_response(200)
        self.send_header("ETag", '"tag"' if self.path == "/json" else '"other"')
        self.send_header("Age", "0")
        self.send_header("Age", "0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        pass


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        cls.url = f"http://127.0.0.1:{cls.server.server_port}"
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.shutdown()
        cls.server.server_close()

    def send(self, path: str, max_bytes: int = 1000, **headers: str) -> object:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return fetch(Request(self.url + path, max_bytes, timeout=5, idle_timeout=5, headers=sent))

    def test_response(self) -> None:
        answer = self.send("/json")
        self.assertEqual((answer.status, answer.headers["etag"]), (200, '"tag"'))
        self.assertEqual(answer.headers["age"], "0, 0")
        self.assertEqual(self.send("/json", If_None_Match='"tag"').status, 304)

    def test_redirect_is_not_followed(self) -> None:
        self.assertEqual(self.send("/redirect").status, 302)

    def test_failures(self) -> None:
        for path, max_bytes in (("/json", 10), ("/cut", 1000)):
            with self.subTest(path), self.assertRaises(FAILURES):
                self.send(path, max_bytes)
        with self.assertRaises(FAILURES):
            fetch(Request("http://127.0.0.1:1", 10, timeout=5, idle_timeout=5))

    def test_background_thread_polls(self) -> None:
        states = []
        verifier = Verifier(self.url, on_feed=lambda state, cause: states.append((state, str(cause))))
        with self.assertRaises(VerifyError) as raised:
            verifier.ready()  # The key set is empty, and two Age headers make the feed unusable.
        self.assertIsInstance(raised.exception.__cause__, ValueError)
        self.assertEqual([state for state, _ in states], ["lost"])
        self.assertIn("0, 0", states[0][1])
        polls, deadline = Handler.polls, time.monotonic() + 30
        while Handler.polls < polls + 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        verifier.close()
        self.assertGreaterEqual(Handler.polls, polls + 2)


if __name__ == "__main__":
    unittest.main()
