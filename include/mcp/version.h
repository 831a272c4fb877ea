/* SPDX-License-Identifier: MIT */
/** @file
 * The version of the library, and the revisions of the protocol.
 */
#ifndef MCP_VERSION_H
#define MCP_VERSION_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/* The version is defined only here: CMake reads the three numbers, and
 * scripts/check-version compares other files with them. */
/** The first number of the version. */
#define MCP_VERSION_MAJOR 0
/** The second number of the version. */
#define MCP_VERSION_MINOR 2
/** The third number of the version. */
#define MCP_VERSION_PATCH 0

/** Makes one number of a version. A later version has a greater number. Works
 * in `#if`. Since 0.2. */
#define MCP_VERSION_NUMBER(major, minor, patch)                                \
  (((major) << 16) | ((minor) << 8) | (patch))

/**
 * The version of these headers as one number, for comparisons in `#if`:
 *
 *     #if MCP_VERSION >= MCP_VERSION_NUMBER(0, 3, 0)
 *
 * Since 0.2. Older headers do not define it.
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

/**
 * The published revisions of the protocol, oldest first. They belong to two
 * eras:
 * - The *legacy* era has the first four revisions. A connection begins with a
 *   handshake (`initialize`).
 * - The *modern* era has the revision 2026-07-28. There is no handshake: each
 *   request states its revision, and the client's name and capabilities.
 */
#define MCP_REVISION_2024_11_05 "2024-11-05"
/** The second revision. */
#define MCP_REVISION_2025_03_26 "2025-03-26"
/** The third revision. */
#define MCP_REVISION_2025_06_18 "2025-06-18"
/** The last revision of the legacy era. */
#define MCP_REVISION_2025_11_25 "2025-11-25"
/** The revision of the modern era. */
#define MCP_REVISION_2026_07_28 "2026-07-28"
/** The newest revision that these headers know. */
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
 * the headers that it was compiled with. Compare it with MCP_VERSION to find
 * out whether the library is older than the program's headers. Since 0.2.
 */
MCP_API uint32_t mcp_version_number(void);

/**
 * Returns the name of a revision that the library knows. A newer library may
 * know more revisions than the program's headers.
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
 * @param name the name of a revision, such as mcp_client_revision returns; NULL
 *             returns 0
 * @return MCP_ERA_LEGACY or MCP_ERA_MODERN; 0: the library knows no revision of
 *         this name
 */
MCP_API uint32_t mcp_revision_era(const char *name);

MCP_END_DECLS

#endif
