/* SPDX-License-Identifier: MIT */
/* Texts with ${argument} in them, which a call's arguments replace. */
#ifndef CTL_TEMPLATE_H
#define CTL_TEMPLATE_H

#include <mcp/json.h>

/* Adds a value to a builder, with the references in its strings replaced at any
 * depth:
 * - ${name} is the argument of that name, and ${/size/0} the value at a JSON
 *   pointer into the arguments;
 * - a string that is one reference becomes the argument itself, of any type,
 *   or null if there is no such argument;
 * - elsewhere a string is put in as it is, another value as JSON, and an
 *   argument that is missing as nothing;
 * - $${ is written as ${, and a ${ without an end stays.
 *
 * @param name the member's name, as in mcp_builder_value
 * @param arguments an object; NULL: nothing is replaced
 * @return what mcp_builder_value returns */
int ctl_template_put(mcp_builder *builder, const char *name,
                     const mcp_json *value, const mcp_json *arguments);

/* The value with the references replaced. Owned: end it with mcp_doc_free;
 * NULL: err says why. */
mcp_doc *ctl_template_fill(const mcp_json *value, const mcp_json *arguments,
                           mcp_error *err);

#endif
