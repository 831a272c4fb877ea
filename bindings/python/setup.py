# SPDX-License-Identifier: MIT
"""Builds the package. pyproject.toml has the rest; build_native.py finds or
builds libmcp and states what of it the package uses."""
import os
import pathlib
import re
import sys

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE))
os.chdir(HERE)


class AbiWheel(bdist_wheel):
    """The extension uses the stable ABI, so one wheel fits all Pythons."""

    def finalize_options(self) -> None:
        self.py_limited_api = "cp310"
        super().finalize_options()


def version() -> str:
    """The version of libmcp in this repository, which is also ours."""
    header = HERE.parent.parent / "include/mcp/version.h"
    if not header.exists():
        return "0.2.0"
    parts = re.findall(r"^#define MCP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
                       header.read_text(encoding="utf-8"), re.MULTILINE)
    return ".".join(parts)


sys.dont_write_bytecode = True
import build_native  # noqa: E402

MODULES = ["build_native.py:ffibuilder"]
if build_native.http_ffibuilder is not None:
    MODULES.append("build_native.py:http_ffibuilder")
setup(version=version(), cffi_modules=MODULES,
      cmdclass={"bdist_wheel": AbiWheel})
