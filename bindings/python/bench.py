#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: bench.py [SECONDS]

Measures servers over standard input and output with one tool `add`: ours, the
official SDK's lower level, and FastMCP. One client, mcpctl bench, calls each
for SECONDS (default 5); they take turns, three times. Prints the median of the
calls per second, and the memory after them. BIN is the folder of mcpctl.
"""
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import threading
import time
from typing import Any, Dict, List, Tuple

HERE = pathlib.Path(__file__).parent.resolve()
BIN = pathlib.Path(os.environ.get("BIN", HERE.parent.parent / "build" / "bin"))
SERVERS = (("libmcp, def", "add_server.py", "add"),
           ("libmcp, async def in run()", "add_async_server.py", "add"),
           ("libmcp, async def in serve_async()", "async_server.py", "add"),
           ("official SDK, lower level", "peer_sdk_server.py", "add"),
           ("FastMCP", "peer_fastmcp_server.py", "add"))


def memory(pid: int) -> Tuple[int, int]:
    """Returns the resident and the private memory in KB."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    found = {line.split(":")[0]: int(line.split()[1])
             for line in text.splitlines()[1:]}
    return found["Rss"], found["Private_Clean"] + found["Private_Dirty"]


def children(pid: int) -> List[int]:
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return [int(word) for word in text.split()]


def measure(file: str, tool: str, seconds: float) -> Tuple[float, int, int]:
    child = subprocess.Popen(
        [str(BIN / "mcpctl"), "--json", "bench", tool, "a:=2", "b:=3",
         "--duration", str(seconds), "--", sys.executable,
         str(HERE / "tests" / file)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    sizes = [(0, 0)]

    def watch() -> None:
        while child.poll() is None:
            for server in children(child.pid):
                try:
                    sizes.append(max(sizes[-1], memory(server)))
                except OSError:
                    pass
            time.sleep(0.2)
    thread = threading.Thread(target=watch)
    thread.start()
    assert child.stdout is not None
    out = json.loads(child.stdout.read())
    thread.join()
    if out["failed"]:
        raise SystemExit(f"bench.py: calls of {file} failed: "
                         f"{out['failures']}")
    return out["calls_per_second"], *sizes[-1]


def floor() -> Tuple[int, int]:
    """The memory of a Python that does nothing."""
    with subprocess.Popen([sys.executable, "-c", "input()"],
                          stdin=subprocess.PIPE) as child:
        time.sleep(0.5)
        found = memory(child.pid)
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.close()
    return found


def main(arguments: List[str]) -> int:
    seconds = float(arguments[0]) if arguments else 5.0
    runs: Dict[str, List[Any]] = {name: [] for name, _, _ in SERVERS}
    for _ in range(3):
        for name, file, tool in SERVERS:
            runs[name].append(measure(file, tool, seconds))
    rows = [(name, *map(statistics.median, zip(*found)))
            for name, found in runs.items()]
    _, ours, our_rss, our_private = rows[0]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, "
          f"{platform.machine()}; load {os.getloadavg()[0]:.1f}\n")
    print("| server | calls per second | resident | private | libmcp is |\n"
          "|---|---|---|---|---|")
    for name, calls, rss, private in rows:
        ratio = "" if name.startswith("libmcp") else \
            f"{ours / calls:.0f} times as fast, with 1/{rss / our_rss:.1f} " \
            f"of the memory (private: 1/{private / our_private:.1f})"
        print(f"| {name} | {calls:,.0f} | {rss / 1024:.1f} MB | "
              f"{private / 1024:.1f} MB | {ratio} |")
    rss, private = floor()
    print(f"| Python that does nothing | | {rss / 1024:.1f} MB | "
          f"{private / 1024:.1f} MB | |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
