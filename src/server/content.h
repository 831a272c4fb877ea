/* SPDX-License-Identifier: MIT */
/* Content, icons, annotations and Implementation objects as JSON, each with the
 * members that it has in a revision (MCP, Schema Reference). */
#ifndef MCPI_SERVER_CONTENT_H
#define MCPI_SERVER_CONTENT_H

#include "core/revision.h"
#include "json/json.h"
#include <mcp/content.h>

/* Checks a text of the program's: NULL is accepted. 0, or MCP_ERR_INVALID with
 * the member's name and the place. */
int mcpi_text_check(const char *member, const char *text, mcp_error *err);
/* Whether it is an absolute URI, or looks like one. 0 or MCP_ERR_INVALID. */
int mcpi_uri_check(const char *member, const char *uri, mcp_error *err);
/* Checks that JSON text is an object, and appends it in one line. 0,
 * MCP_ERR_INVALID, MCP_ERR_PARSE or what the buffer says. */
int mcpi_object_put(const char *member, const char *json, mcpi_buf *out,
                    mcp_error *err);
/* Copies the annotations that a program gives into `whole`, checks them, and
 * points *annotations to `whole`. If *annotations is NULL, it stays NULL.
 * Returns 0, MCP_ERR_INVALID or another error of mcpi_widen. */
int mcpi_annotations_widen(const mcp_annotations **annotations,
                           mcp_annotations *whole, mcp_error *err);
/* 0 or MCP_ERR_INVALID. */
int mcpi_icons_check(const mcp_icon *icons, size_t count, mcp_error *err);

/* Checks a piece of content (known type, required members, valid UTF-8, `meta`
 * a JSON object) and appends it. Audio in 2024-11-05 becomes an embedded
 * resource, a resource link before 2025-06-18 a text. 0, MCP_ERR_INVALID,
 * MCP_ERR_PARSE, or what the buffer says; nothing is appended on the first
 * two. */
int mcpi_content_put(const mcp_content *content, const mcpi_revision *revision,
                     mcpi_buf *out, mcp_error *err);
/* Appends the object. */
void mcpi_annotations_put(const mcp_annotations *annotations,
                          const mcpi_revision *revision, mcpi_buf *out);
/* Whether there is anything to append of them. NULL is accepted. */
int mcpi_annotations_any(const mcp_annotations *annotations,
                         const mcpi_revision *revision);
/* Appends the array. */
void mcpi_icons_put(const mcp_icon *icons, size_t count, mcpi_buf *out);

#endif
