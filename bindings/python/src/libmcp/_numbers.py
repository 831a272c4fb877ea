# SPDX-License-Identifier: MIT
"""Objects by number. Where a callback of libmcp may come for what has ended
meanwhile, its userdata is a number, not a handle: it finds nothing."""
from _thread import allocate_lock
from typing import Any, Dict, Generic, List, Optional, TypeVar

from ._native import ffi

T = TypeVar("T")


class Numbers(Generic[T]):
    """Any thread may use it."""

    def __init__(self) -> None:
        self._objects: Dict[int, T] = {}
        self._last = 0
        self._lock = allocate_lock()

    def add(self, thing: T) -> int:
        with self._lock:
            self._last += 1
            self._objects[self._last] = thing
            return self._last

    def find(self, userdata: Any) -> Optional[T]:
        return self._objects.get(int(ffi.cast("uintptr_t", userdata)))

    def drop(self, number: int) -> None:
        self._objects.pop(number, None)

    def all(self) -> List[T]:
        return list(self._objects.values())


def userdata_of(number: int) -> Any:
    return ffi.cast("void *", number)
