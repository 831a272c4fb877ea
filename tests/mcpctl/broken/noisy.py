#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""It takes long to start, prints a banner, logs without having declared that,
stays when its input ends, and leaves a process behind."""
import subprocess
import sys
import time

from kit import Server

print("Noisy server v1 is ready!", flush=True)
time.sleep(5.2)


class Noisy(Server):
    def ping(self, params):
        self.send({"jsonrpc": "2.0", "method": "notifications/message",
                   "params": {"level": "info", "data": "pinged"}})
        return {}


Noisy().serve()
subprocess.Popen(["sleep", "20"], start_new_session=True,
                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                 stderr=subprocess.DEVNULL)
sys.exit(7)
