/* SPDX-License-Identifier: MIT */
/* The texts in the content of a result. */
#ifndef MCPI_CODEC_CONTENT_TEXT_H
#define MCPI_CODEC_CONTENT_TEXT_H

#include "base/buf.h"
#include <mcp/json.h>

/* Appends the texts of the member `content` of an object, without anything
 * between them. Content that is not text is left out. */
void mcpi_content_put_text(mcpi_buf *out, const mcp_json *object);

#endif
