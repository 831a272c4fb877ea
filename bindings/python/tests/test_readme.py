# SPDX-License-Identifier: MIT
"""Runs the programs of README.md, and compares what they print."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import libmcp

README = pathlib.Path(__file__).parent.parent / "README.md"


class Readme(unittest.TestCase):
    def test_its_programs_run(self) -> None:
        text = README.read_text(encoding="utf-8")
        found = re.findall(
            r"```python\n# (\S+)\n(.*?)```(?:\n\n```text\n(.*?)```)?", text,
            re.DOTALL)
        self.assertEqual([name for name, _, _ in found],
                         ["server.py", "client.py", "options.py",
                          "async_both.py", "asking.py", "guarded.py"])
        with tempfile.TemporaryDirectory() as folder:
            for name, program, _ in found:
                (pathlib.Path(folder) / name).write_text(program,
                                                         encoding="utf-8")
            for name, _, output in found:
                if output:
                    done = subprocess.run([sys.executable, name], cwd=folder,
                                          capture_output=True, text=True,
                                          check=False)
                    self.assertEqual(done.stdout, output, done.stderr)
            with libmcp.Client([sys.executable, "asking.py"], cwd=folder,
                               on_elicit=lambda q: {"sure": True}) as client:
                self.assertEqual(client.call("clean").text, "removed")


if __name__ == "__main__":
    unittest.main()
