/* SPDX-License-Identifier: MIT */
/* What `doctor` thinks of single values. Nothing here needs a connection. */
#ifndef CTL_DOCTOR_JUDGE_H
#define CTL_DOCTOR_JUDGE_H

#include <mcp/json.h>
#include <stdint.h>

/* Whether the text is a URI with a scheme. */
int ctl_doctor_is_uri(const char *text);
/* Whether a tool's name is as the specification wants it. */
int ctl_doctor_is_tool_name(const char *name, size_t len);
/* Whether hosts take it. */
int ctl_doctor_is_host_name(const char *name, size_t len);
/* Why a block of content is not one; NULL: it is one. */
const char *ctl_doctor_block_fault(const mcp_json *block);
/* The same for the contents of a resource. */
const char *ctl_doctor_contents_fault(const mcp_json *contents);
/* Whether the value, a text, is a URI template of RFC 6570. */
int ctl_doctor_is_template(const mcp_json *value);
/* Whether the value may be the annotations of a tool. NULL: it has none. */
int ctl_doctor_are_annotations(const mcp_json *annotations);

/* Whether the URL leads to this machine. */
int ctl_doctor_is_loopback(const char *url);
/* The value of resource_metadata in a challenge. Owned; NULL: it has none. */
char *ctl_doctor_metadata_url(const char *challenge);
/* Whether one of two ids of sessions helps to guess the other. */
int ctl_doctor_is_guessable(const char *one, const char *other);
/* The seconds between the time of a Date header and a time; INT64_MIN: it is
 * not a date. */
int64_t ctl_doctor_clock_gap(const char *date, int64_t now);

#endif
