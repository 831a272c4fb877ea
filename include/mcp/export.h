/* SPDX-License-Identifier: MIT */
/** @file
 * Linkage of the public functions. Included by every other header.
 */
#ifndef MCP_EXPORT_H
#define MCP_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MCP_API
#elif defined(__GNUC__)
#define MCP_API __attribute__((visibility("default")))
#else
#define MCP_API
#endif

/** Lets gcc and clang check a printf-like function's arguments. */
#if defined(__GNUC__)
#define MCP_PRINTF(format_index, first_index)                                  \
  __attribute__((format(printf, format_index, first_index)))
#else
#define MCP_PRINTF(format_index, first_index)
#endif

#if defined(__cplusplus)
#define MCP_BEGIN_DECLS extern "C" {
#define MCP_END_DECLS }
#else
#define MCP_BEGIN_DECLS
#define MCP_END_DECLS
#endif

#endif
