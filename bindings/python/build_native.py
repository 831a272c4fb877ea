# SPDX-License-Identifier: MIT
"""Describes the extension libmcp._native for cffi.

native.cdef has the declarations that the package uses. The C compiler compares
them with the public headers of libmcp. The library itself is the one that
pkg-config finds (PKG_CONFIG_PATH), or, if it finds none, one that CMake builds
from the repository that this folder is in.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Optional, Tuple

from cffi import FFI

HERE = pathlib.Path(__file__).parent.resolve()
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("LIBMCP_BUILD_DIR",
                                    str(ROOT / "build" / "python" / "libmcp")))
SHIPPED = HERE / "src" / "libmcp" / "lib"
# Features that need a library, with what pkg-config or a header calls it.
# TLS is also what encrypts the state of questions in 2026-07-28.
FEATURES = {
    "MCP_TLS": "libssl", "MCP_REGEX": "libpcre2-8",
    "MCP_HTTP_CLIENT": "libcurl"}


def fail(text: str) -> "SystemExit":
    return SystemExit("libmcp: " + text)


def pkg_config(*arguments: str,
               path: Optional[pathlib.Path] = None) -> Optional[List[str]]:
    """Returns the words that pkg-config prints; None: it does not find it."""
    env: Dict[str, str] = dict(os.environ)
    if path is not None:
        env["PKG_CONFIG_PATH"] = f"{path}:{env.get('PKG_CONFIG_PATH', '')}"
    done = subprocess.run(["pkg-config", *arguments], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)
    return shlex.split(done.stdout) if done.returncode == 0 else None


def has(module: str, path: Optional[pathlib.Path] = None) -> bool:
    return pkg_config("--exists", module, path=path) is not None


def run(*command: str) -> None:
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise fail(f"this command failed: {shlex.join(command)}")


def build() -> pathlib.Path:
    """Builds libmcp from the repository, and installs it in the build folder.
    Returns the folder."""
    if not (ROOT / "include" / "mcp" / "mcp.h").exists():
        raise fail("pkg-config does not find libmcp, and the package is not in "
                   "libmcp's repository. Install libmcp, and set "
                   "PKG_CONFIG_PATH to PREFIX/lib/pkgconfig")
    if shutil.which("cmake") is None:
        raise fail("pkg-config does not find libmcp, and CMake, which would "
                   "build it from its sources, is missing")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    prefix = BUILD / "prefix"
    run("cmake", "-S", str(ROOT), "-B", str(BUILD), *generator,
        *(f"-D{name}={'ON' if has(module) else 'OFF'}"
          for name, module in FEATURES.items()),
        "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
        "-DMCP_BUILD_PROGRAMS=OFF", "-DMCP_BUILD_EXAMPLES=OFF",
        "-DMCP_SKILLS=OFF", "-DMCP_SQLITE=OFF", "-DMCP_KEYRING=OFF",
        f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_LIBDIR=lib")
    run("cmake", "--build", str(BUILD))
    run("cmake", "--install", str(BUILD))
    return prefix


def ship(prefix: pathlib.Path) -> None:
    """Copies the shared libraries into the package: libmcp, what it opens when
    it first needs it, and the libraries that only libmcp has (Debian 12), with
    the licences of all of them."""
    there = SHIPPED
    (there / "mcp").mkdir(parents=True)
    for file in (prefix / "lib").rglob("*.so*"):
        # Of the names of one library only the one that the loader looks for.
        if file.name.startswith("libmcp-") and file.parent.name == "mcp" or \
                b"\0" + file.name.encode() + b"\0" in file.read_bytes():
            shutil.copy(file, there / file.relative_to(prefix / "lib"))
    for file in (prefix / "share/doc/mcp").glob("LICENSE*"):
        shutil.copy(file, there)


def find() -> Tuple[Dict[str, Any], Optional[Dict[str, Any]]]:
    """Returns the options of the compiler for the extension, and those for the
    client over HTTP; None: libmcp has none."""
    if shutil.which("pkg-config") is None:
        raise fail("pkg-config is missing; install it")
    path = None
    shutil.rmtree(SHIPPED, ignore_errors=True)
    if not has("libmcp"):
        prefix = build()
        ship(prefix)
        path = prefix / "lib" / "pkgconfig"

    def flags(module: str) -> Dict[str, Any]:
        folder = (pkg_config("--variable=libdir", module, path=path) or [""])[0]
        is_shared = os.path.exists(os.path.join(folder, module + ".so"))
        found = [pkg_config(*words, module, path=path) for words in
                 (["--cflags"], ["--libs"] if is_shared else
                  ["--static", "--libs"])]
        if found[0] is None or found[1] is None:
            raise fail(f"pkg-config finds {module}, but not what it needs: see "
                       f"pkg-config --static --libs {module}")
        rpath = "$ORIGIN/lib" if path is not None else os.path.realpath(folder)
        return {"py_limited_api": True, "extra_compile_args": [*found[0], "-O2"],
                "extra_link_args": ["-Wl,--as-needed", *found[1],
                                    f"-Wl,-rpath,{rpath}"],
                "is_shared": is_shared}
    base = flags("libmcp")
    http = flags("libmcp-http") if has("libmcp-http", path) else None
    # Both extensions must use the same libmcp, which a static one is not.
    if not base.pop("is_shared") or (http and not http.pop("is_shared")):
        http = None
    return base, http


def make() -> Tuple[FFI, Optional[FFI]]:
    base, http = find()
    text = (HERE / "native.cdef").read_text(encoding="utf-8")
    declarations, http_declarations = text.split("/* libmcp-http */")
    builder = FFI()
    builder.cdef(declarations)
    builder.set_source("libmcp._native", "#include <mcp/mcp.h>\n", **base)
    if http is None:
        return builder, None
    # An extension of its own, so that only clients over HTTP load libcurl.
    http_builder = FFI()
    http_builder.include(builder)
    http_builder.cdef(http_declarations)
    http_builder.set_source("libmcp._native_http", "#include <mcp/mcp.h>\n",
                            **http)
    return builder, http_builder


ffibuilder, http_ffibuilder = make()
