# SPDX-License-Identifier: MIT
"""A package with nothing in it, for tests: it names a library of this machine,
or of the folder MCP_DEPS_DIR that scripts/deps filled."""
import os
import pathlib

from conan import ConanFile
from conan.tools.gnu import PkgConfig

# For each name the components as the package of Conan's remote has them (None:
# no components), each with the module of pkg-config.
MODULES = {
    "yyjson": {None: "yyjson"}, "libuv": {None: "libuv"},
    "openssl": {"crypto": "libcrypto", "ssl": "libssl"},
    "pcre2": {"pcre2-8": "libpcre2-8"}, "llhttp": {None: "libllhttp"},
    "wslay": {None: None}, "libyaml": {None: "yaml-0.1"},
    "libcurl": {"curl": "libcurl"}, "sqlite3": {"sqlite": "sqlite3"},
}


class SystemConan(ConanFile):
    settings = "os", "arch"
    package_type = "shared-library"

    def package_info(self):
        folders = pathlib.Path(os.environ["MCP_DEPS_DIR"]).glob(
            "usr/lib/*/pkgconfig")
        path = ":".join(map(str, folders)) or None
        self.cpp_info.includedirs = self.cpp_info.libdirs = []
        for name, module in MODULES[self.name].items():
            info = self.cpp_info.components[name] if name else self.cpp_info
            info.includedirs = info.libdirs = info.bindirs = []
            if module is None:
                info.system_libs = [self.name]
                continue
            found = PkgConfig(self, module, pkg_config_path=path)
            # CMakeDeps looks for a file of what is not the system's.
            found.fill_cpp_info(info, is_system=not any(
                os.environ["MCP_DEPS_DIR"] in folder
                for folder in found.libdirs))
            info.set_property("pkg_config_name", module)
