/* SPDX-License-Identifier: MIT */
/* The file of fixed tokens (mcp_protect_options.token_file). An endpoint reads
 * no files, so it gets the text. */
#ifndef MCPI_HTTP1_TOKEN_FILE_H
#define MCPI_HTTP1_TOKEN_FILE_H

#include "base/buf.h"
#include <mcp/http.h>

/* Options of an endpoint with the text in place of the file's name. It must not
 * be moved. */
typedef struct mcpi_token_file {
  mcp_http_options http;       /* points to the next */
  mcp_protect_options protect; /* likewise */
  mcpi_buf text;
} mcpi_token_file;

/* Reads the file that the options name. *http then points to other options, in
 * `file`, and those are to be used before the file is deinitialised. If they
 * name none, *http stays. The caller deinitialises the file in any case.
 * Returns 0, or with err: MCP_ERR_INVALID (other users can read or change it,
 * it is too long, there are also `tokens`), MCP_ERR_IO (it cannot be read),
 * MCP_ERR_UNSUPPORTED (as mcpi_widen), MCP_ERR_NOMEM. */
int mcpi_token_file_read(mcpi_token_file *file, const mcp_http_options **http,
                         const mcp_allocator *allocator, mcp_error *err);
/* Overwrites the text, and frees it. */
void mcpi_token_file_deinit(mcpi_token_file *file);

#endif
