# SPDX-License-Identifier: MIT
"""Time limits: seconds in Python, milliseconds in libmcp."""
from __future__ import annotations

_NO_LIMIT = 0xFFFFFFFF
_INFINITE = float("inf")


def milliseconds(seconds: float, name: str, no_limit: int = _NO_LIMIT) -> int:
    """Returns a limit for libmcp. `name` is the option of Python."""
    if seconds == _INFINITE:
        return no_limit
    if not 0 < seconds <= 4e6:  # not NaN either
        raise ValueError(f"{name} is a number of seconds from 0.001 to "
                         f"4,000,000, or float('inf') for no limit, not "
                         f"{seconds!r}")
    return max(1, round(seconds * 1000))
