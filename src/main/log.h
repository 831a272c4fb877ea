/* SPDX-License-Identifier: MIT */
/* The log of mcp_main: lines on standard error or in a file, and messages that
 * always go to standard error. Writing never waits, and quoted text of a peer
 * is escaped. */
#ifndef MCPI_MAIN_LOG_H
#define MCPI_MAIN_LOG_H

#include "main/log_sink.h"
#include <mcp/server.h>
#include <mcp/transport.h>

typedef struct mcpi_main_log {
  mcpi_log_sink console; /* standard error */
  mcpi_log_sink file;
  int has_file; /* 1: the log goes there */
  int level;    /* MCP_LOG_*: the lowest level to log */
} mcpi_main_log;

/* `path` NULL: standard error. 0, MCP_ERR_IO or MCP_ERR_NOMEM. */
int mcpi_main_log_open(mcpi_main_log *log, const char *path, int level,
                       mcp_error *err);
void mcpi_main_log_close(mcpi_main_log *log);
/* As mcpi_log_sink_attach and _detach. */
void mcpi_main_log_attach(mcpi_main_log *log, mcpi_uv *uv);
void mcpi_main_log_detach(mcpi_main_log *log);

void mcpi_main_log_put(mcpi_main_log *log, int level, const char *format, ...)
    MCP_PRINTF(3, 4);
/* Writes a line without time and level to standard error. */
void mcpi_main_log_say(mcpi_main_log *log, const char *format, ...)
    MCP_PRINTF(2, 3);
/* Write a message that a trace shows: of a transport, or of a listener. The
 * userdata is the log. */
void mcpi_main_log_transport(mcp_transport *transport,
                             const mcp_traced_message *message, void *userdata);
void mcpi_main_log_server(mcp_server *server, const mcp_traced_message *message,
                          void *userdata);

#endif
