/* SPDX-License-Identifier: MIT */
/* Compares two answers. */
#ifndef CTL_COMPARE_H
#define CTL_COMPARE_H

#include <mcp/json.h>

/* A difference. `was` or `is` is NULL: there is no such value. Everything is
 * borrowed until return. */
typedef void ctl_compare_cb(const char *pointer, const mcp_json *was,
                            const mcp_json *is, void *userdata);

/* Reports each difference of two values by the JSON pointer to it. An object or
 * array that only one of them has is one difference. Two texts that are both
 * times (ISO 8601, with a date) do not differ.
 *
 * @param ignored JSON pointers to values that do not count, with all that is in
 *                them; "*" stands for any member or item. Ends with NULL
 * @return 0 or MCP_ERR_NOMEM */
int ctl_compare(const mcp_json *was, const mcp_json *is,
                const char *const *ignored, ctl_compare_cb *on_difference,
                void *userdata);

/* Whether a text is a time, such as "2026-11-27T18:41:22.807Z". */
int ctl_compare_is_time(const char *text, size_t len);

#endif
