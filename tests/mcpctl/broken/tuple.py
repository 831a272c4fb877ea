#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The inputSchema of its tool is of draft-07, and does not say so."""
from kit import Server


class Tuple(Server):
    tools = [{"name": "add", "description": "Adds", "inputSchema": {
        "type": "object",
        "properties": {"pair": {"type": "array", "items": [
            {"type": "number"}, {"type": "number"}]}}}}]


Tuple().serve()
