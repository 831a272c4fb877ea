/* SPDX-License-Identifier: MIT */
/** @file
 * The library's version, and the protocol's.
 */
#ifndef MCP_VERSION_H
#define MCP_VERSION_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

#define MCP_VERSION_MAJOR 0
#define MCP_VERSION_MINOR 1
#define MCP_VERSION_PATCH 0
#define MCP_VERSION_STRING "0.1.0"

/** The published revisions of the protocol, oldest first. The first four are
 * the *legacy* era (a connection opens with `initialize`), the last is the
 * *modern* one (each request carries its own context). */
#define MCP_REVISION_2024_11_05 "2024-11-05"
#define MCP_REVISION_2025_03_26 "2025-03-26"
#define MCP_REVISION_2025_06_18 "2025-06-18"
#define MCP_REVISION_2025_11_25 "2025-11-25"
#define MCP_REVISION_2026_07_28 "2026-07-28"
#define MCP_REVISION_LATEST MCP_REVISION_2026_07_28

/** The eras that the revisions belong to. */
enum {
  MCP_ERA_LEGACY = 1,
  MCP_ERA_MODERN = 2,
  MCP_ERA_BOTH = MCP_ERA_LEGACY | MCP_ERA_MODERN
};

/** The version of the library that runs, such as "0.1.0". Static. */
MCP_API const char *mcp_version(void);

/**
 * Returns the name of a revision that the library knows. A library that is
 * newer than the program's headers knows more revisions than they do.
 *
 *     const char *name;
 *     for (size_t i = 0; (name = mcp_revision_name(i)) != NULL; i++) {
 *       printf("%s\n", name);
 *     }
 *
 * @param index 0 is the oldest revision
 * @return static, such as "2025-11-25"; NULL: there is no revision with that
 *         index
 */
MCP_API const char *mcp_revision_name(size_t index);

/**
 * Returns the era that a revision belongs to.
 * @param name such as mcp_client_revision returns; NULL: no revision
 * @return MCP_ERA_LEGACY or MCP_ERA_MODERN; 0: the library does not know a
 *         revision of that name
 */
MCP_API uint32_t mcp_revision_era(const char *name);

MCP_END_DECLS

#endif
