/* SPDX-License-Identifier: MIT */
/** @file
 * The library's version, and the protocol's.
 */
#ifndef MCP_VERSION_H
#define MCP_VERSION_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/* The library's version is written here alone: CMake reads these three lines,
 * and scripts/check-version compares the rest with them. */
#define MCP_VERSION_MAJOR 0
#define MCP_VERSION_MINOR 2
#define MCP_VERSION_PATCH 0

/** A version as one number, which grows with the version. Legal in `#if`.
 * Since 0.2. */
#define MCP_VERSION_NUMBER(major, minor, patch)                                \
  (((major) << 16) | ((minor) << 8) | (patch))

/**
 * The version of these headers as one number, to be compared in `#if`:
 *
 *     #if MCP_VERSION >= MCP_VERSION_NUMBER(0, 3, 0)
 *
 * Since 0.2: older headers do not define it.
 */
#define MCP_VERSION                                                            \
  MCP_VERSION_NUMBER(MCP_VERSION_MAJOR, MCP_VERSION_MINOR, MCP_VERSION_PATCH)

/** The version of these headers as a string, such as "1.2.3". */
#define MCP_VERSION_STRING                                                     \
  MCP_VERSION_EXPANDED(MCP_VERSION_MAJOR, MCP_VERSION_MINOR, MCP_VERSION_PATCH)
/* Only for MCP_VERSION_STRING. */
#define MCP_VERSION_EXPANDED(major, minor, patch)                              \
  MCP_VERSION_QUOTED(major, minor, patch)
#define MCP_VERSION_QUOTED(major, minor, patch) #major "." #minor "." #patch

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

/** Returns the version of the library that runs, such as "1.2.3". Static. */
MCP_API const char *mcp_version(void);

/**
 * Returns the version of the library that runs as a number: the MCP_VERSION of
 * the headers that it was compiled with. A program that was compiled with newer
 * headers finds so that it runs with an older library. Since 0.2.
 */
MCP_API uint32_t mcp_version_number(void);

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
