/* SPDX-License-Identifier: MIT */
/** @file
 * Macros that the other public headers use.
 */
#ifndef MCP_EXPORT_H
#define MCP_EXPORT_H

#include <stddef.h>
#include <stdint.h>

/** Marks a public function. */
#if defined(_WIN32)
#define MCP_API
#elif defined(__GNUC__)
#define MCP_API __attribute__((visibility("default")))
#else
#define MCP_API
#endif

/** Lets gcc and clang check the arguments of a function that formats as printf
 * does. Both parameters count the function's parameters from 1. */
#if defined(__GNUC__)
#define MCP_PRINTF(format_index, first_index)                                  \
  __attribute__((format(printf, format_index, first_index)))
#else
#define MCP_PRINTF(format_index, first_index)
#endif

/**
 * Marks a function as deprecated. If a program calls the function, the compiler
 * warns, and names the version that deprecated it and the function to call
 * instead. Both parameters are string literals. Write the macro before the
 * declaration:
 *
 *     MCP_DEPRECATED("0.3", "mcp_new_way")
 *     MCP_API int mcp_old_way(int number);
 *
 * To turn the warnings off, define MCP_NO_DEPRECATED_WARNINGS before the first
 * header of libmcp. mcp/mcp.h says how long a deprecated function stays.
 * Since 0.2.
 */
#if defined(MCP_NO_DEPRECATED_WARNINGS)
#define MCP_DEPRECATED(since, instead)
#elif defined(__GNUC__)
#define MCP_DEPRECATED(since, instead)                                         \
  __attribute__((deprecated("since libmcp " since ": use " instead)))
#elif defined(_MSC_VER)
#define MCP_DEPRECATED(since, instead)                                         \
  __declspec(deprecated("since libmcp " since ": use " instead))
#elif defined(__cplusplus) && __cplusplus >= 201402L
#define MCP_DEPRECATED(since, instead)                                         \
  [[deprecated("since libmcp " since ": use " instead)]]
#else
#define MCP_DEPRECATED(since, instead)
#endif

/* MCP_BEGIN_DECLS and MCP_END_DECLS give declarations C linkage in C++.
 *
 * MCP_INIT_ is the base of the macros MCP_..._INIT. Each of them sets the size
 * of a structure, and sets all other members to 0:
 *
 *     mcp_tool tool = MCP_TOOL_INIT;
 *
 * In C a program may also set the size together with other members:
 *
 *     mcp_tool tool = {.size = sizeof(mcp_tool), .name = "add"};
 *
 * The size lets a program that was compiled with older headers run with a newer
 * library, whose structure has more members. */
#if defined(__cplusplus)
#define MCP_BEGIN_DECLS extern "C" {
#define MCP_END_DECLS }
template <typename Structure> inline Structure mcp_initial() {
  Structure structure = {};
  structure.size = sizeof(Structure);
  return structure;
}
#define MCP_INIT_(type) mcp_initial<type>()
#else
#define MCP_BEGIN_DECLS
#define MCP_END_DECLS
#define MCP_INIT_(type)                                                        \
  { .size = sizeof(type) }
#endif

#endif
