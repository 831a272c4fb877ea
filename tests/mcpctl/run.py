#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drives mcpctl against real servers and against fake_server.py. The tests are
in cases/; each class is a test of CTest, too.

usage: run.py --bin DIR [unittest's arguments]
"""
import argparse
import importlib
import pathlib
import sys
import unittest

import support


def cases():
    """The test classes by their names."""
    found = {}
    for file in sorted((support.HERE / "cases").glob("*.py")):
        module = importlib.import_module(f"cases.{file.stem}")
        found.update((name, value) for name, value in vars(module).items()
                     if isinstance(value, type)
                     and issubclass(value, support.Case)
                     and value is not support.Case)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path,
                        default=support.ROOT / "build/bin")
    options, rest = parser.parse_known_args()
    support.BIN = options.bin.resolve()  # before the cases take it
    globals().update(cases())
    unittest.main(argv=[sys.argv[0], *rest])
