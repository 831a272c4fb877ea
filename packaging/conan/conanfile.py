# SPDX-License-Identifier: MIT
"""libmcp for Conan 2, from the sources around this file:

    conan create packaging/conan
"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rm, rmdir
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.8" # PkgConfigDeps.set_property

# Each option of the recipe, CMake's option, and what it needs.
FEATURES = {
    "with_tls": ("MCP_TLS", "openssl/[>=3 <4]"),
    "with_regex": ("MCP_REGEX", "pcre2/[>=10.30 <11]"),
    "with_http": ("MCP_HTTP", "llhttp/[>=9 <10]"),
    "with_websocket": ("MCP_WEBSOCKET", "wslay/[>=1.1 <2]"),
    "with_skills": ("MCP_SKILLS", "libyaml/[>=0.2 <1]"),
    "with_http_client": ("MCP_HTTP_CLIENT", "libcurl/[>=7.66 <9]"),
    "with_sqlite": ("MCP_SQLITE", "sqlite3/[>=3.31 <4]"),
}


class McpConan(ConanFile):
    name = "mcp"
    description = "Model Context Protocol servers and clients"
    license = "MIT AND BSD-3-Clause"
    topics = ("mcp", "model-context-protocol", "json-rpc", "llm")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]} | {
        name: [True, False] for name in FEATURES}
    default_options = {"shared": False} | {name: True for name in FEATURES}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "include/mcp/version.h"))
        parts = re.findall(r"MCP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)
        self.version = ".".join(parts[:3])

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "CHANGELOG.md", "cmake/*",
                        "include/*", "src/*", "scripts/sbom"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")  # it is C
        self.settings.rm_safe("compiler.libcxx")

    def requirements(self):
        # Programs may include mcp/sys/yyjson.h.
        self.requires("yyjson/[>=0.8 <1]", transitive_headers=True)
        self.requires("libuv/[>=1.42 <2]")
        for name, (_, needed) in FEATURES.items():
            if self.options.get_safe(name):
                self.requires(needed)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        modules = PkgConfigDeps(self)
        # libmcp looks for these names, whatever the packages call themselves.
        for package, module in (("libuv", "libuv"), ("llhttp", "libllhttp"),
                                ("libyaml", "yaml-0.1")):
            modules.set_property(package, "pkg_config_name", module)
        modules.generate()
        toolchain = CMakeToolchain(self)
        variables = toolchain.cache_variables
        variables["MCP_SHARED"] = bool(self.options.shared)
        variables["MCP_BUILD_PROGRAMS"] = False
        variables["MCP_BUILD_EXAMPLES"] = False
        variables["BUILD_TESTING"] = False
        variables["MCP_KEYRING"] = "OFF"
        for name, (switch, _) in FEATURES.items():
            variables[switch] = bool(self.options.get_safe(name))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder,
             os.path.join(self.package_folder, "licenses"))
        if self.options.shared:
            rm(self, "libmcp*.a", os.path.join(self.package_folder, "lib"))
        # Conan's generators write their own.
        for folder in "lib/cmake", "lib/pkgconfig":
            rmdir(self, os.path.join(self.package_folder, folder))

    def _component(self, name, requires, system=()):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", f"mcp::{name}")
        library = "mcp" if name == "mcp" else f"mcp-{name}"
        component.set_property("pkg_config_name", f"lib{library}")
        component.libs = [library]
        component.requires = requires
        component.system_libs = list(system)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "mcp")
        on = {name for name in FEATURES if self.options.get_safe(name)}
        self._component("core", ["yyjson::yyjson"])
        needs = ["core", "libuv::libuv"]
        for name, reference in (
                ("with_tls", "openssl::openssl"),
                ("with_regex", "pcre2::pcre2"),
                ("with_http", "llhttp::llhttp"),
                ("with_websocket", "wslay::wslay"),
                ("with_skills", "libyaml::libyaml"),
                ("with_http_client", "libcurl::libcurl")):
            if name in on:
                needs.append(reference)
        self._component("mcp", needs, ("pthread", "dl"))
        if "with_http_client" in on:
            self._component("http", ["mcp", "libcurl::libcurl"])
        if "with_sqlite" in on:
            self._component("sqlite", ["core", "sqlite3::sqlite3"])
