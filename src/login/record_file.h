/* SPDX-License-Identifier: MIT */
/* Files with secrets: a folder that belongs to the user, and in it files that
 * only the user reads, each replaced as a whole. */
#ifndef MCPI_LOGIN_RECORD_FILE_H
#define MCPI_LOGIN_RECORD_FILE_H

#include "base/buf.h"
#include <mcp/error.h>

enum {
  /* The longest record, in bytes: a token of 16 KB, and what belongs to it. */
  MCPI_RECORD_MAX = 256 * 1024
};

/* Makes the folder and those above it, if they do not exist, and checks it.
 * Returns 0, or MCP_ERR_IO with err: it cannot be made, belongs to another
 * user, or others may write to it. */
int mcpi_record_folder(const char *path, mcp_error *err);
/* Appends the contents of a file. Returns 0; MCP_ERR_NOT_FOUND: there is no
 * such file; MCP_ERR_IO with err: it cannot be read, or others can read it, or
 * it is too long; MCP_ERR_NOMEM. */
int mcpi_record_read(const char *path, mcpi_buf *out, mcp_error *err);
/* Replaces a file, or makes it: after a crash, it is the old one or the new
 * one. `scratch` is the path of a file beside it. Returns 0 or MCP_ERR_IO with
 * err. */
int mcpi_record_write(const char *path, const char *scratch, const char *bytes,
                      size_t len, mcp_error *err);
/* Removes a file. Returns 0, also if it does not exist; or MCP_ERR_IO with
 * err. */
int mcpi_record_remove(const char *path, mcp_error *err);

#endif
