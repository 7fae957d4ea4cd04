"""A dictionary of limited size."""

from __future__ import annotations

import threading
from typing import Dict, Generic, Optional, TypeVar

T = TypeVar("T")


class BoundedCache(Generic[T]):
    """Stores at most ``size`` entries and always keeps the half that was used last."""

    def __init__(self, size: int) -> None:
        self._half = max(1, size // 2)
        self._young: Dict[str, T] = {}
        self._old: Dict[str, T] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> Optional[T]:
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.set(key, value)
        return value

    def set(self, key: str, value: T) -> None:
        with self._lock:
            if len(self._young) >= self._half and key not in self._young:
                self._old, self._young = self._young, {}
            self._young[key] = value

    def delete(self, key: str) -> None:
        with self._lock:
            self._young.pop(key, None)
            self._old.pop(key, None)
