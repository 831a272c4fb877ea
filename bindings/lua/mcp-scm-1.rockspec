-- SPDX-License-Identifier: MIT
rockspec_format = "3.0"
package = "mcp"
version = "scm-1"
source = {url = "."} -- for `luarocks make` in this repository
description = {
  summary = "Servers and clients of the Model Context Protocol",
  license = "MIT",
}
dependencies = {"lua >= 5.4, < 5.5"}
external_dependencies = {LIBMCP = {header = "mcp/mcp.h", library = "mcp"}}
build = {
  type = "builtin",
  modules = {
    mcp = {
      sources = {"src/call.c", "src/client.c", "src/errors.c", "src/json.c",
                 "src/module.c", "src/options.c", "src/reply.c",
                 "src/schema.c", "src/server.c"},
      libraries = {"mcp"},
      incdirs = {"$(LIBMCP_INCDIR)"},
      libdirs = {"$(LIBMCP_LIBDIR)"},
    },
    ["mcp.http"] = {
      sources = {"src/http.c"},
      libraries = {"mcp-http", "mcp"},
      incdirs = {"$(LIBMCP_INCDIR)"},
      libdirs = {"$(LIBMCP_LIBDIR)"},
    },
  },
}
