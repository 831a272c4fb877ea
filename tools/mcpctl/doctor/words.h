/* SPDX-License-Identifier: MIT */
/* What the server said, in a few words for a report. Each text is valid until
 * the next call but one, of any function here. */
#ifndef CTL_DOCTOR_WORDS_H
#define CTL_DOCTOR_WORDS_H

#include <mcp/json.h>
#include <stddef.h>
#include <stdint.h>

enum { CTL_DOCTOR_WORDS_SIZE = 240 };

/* A text, cut with an ellipsis where it is longer than that size. */
const char *ctl_doctor_cut(const char *text, size_t len);
/* A value as short JSON text. */
const char *ctl_doctor_quote(const mcp_json *value);
/* An answer, such as "error -32603: oops". */
const char *ctl_doctor_words(const mcp_json *answer);

/* Parts of an answer. */
const mcp_json *ctl_doctor_result(const mcp_json *answer);
/* 0: it is not an error with a code. */
int64_t ctl_doctor_code(const mcp_json *answer);

#endif
