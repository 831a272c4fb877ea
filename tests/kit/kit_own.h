/* SPDX-License-Identifier: MIT */
/* The library's transports that need more than a few lines to make a pair. */
#ifndef MCP_TESTS_KIT_OWN_H
#define MCP_TESTS_KIT_OWN_H

#include "kit.h"

extern const kit_transport kit_stdio;
extern const kit_transport kit_process;
extern const kit_transport kit_tcp;
extern const kit_transport kit_unix;
extern const kit_transport kit_core;
extern const kit_transport kit_core_bare;
/* These two use private headers, but only for the server's end. */
extern const kit_transport kit_websocket;
extern const kit_transport kit_websocket_tls;
extern const kit_transport kit_sse;
/* An HTTP endpoint and its clients. */
extern const kit_transport kit_http;
extern const kit_transport kit_http_legacy;
extern const kit_transport kit_posts;
extern const kit_transport kit_sse_endpoint;
extern const kit_transport kit_core_http;
extern const kit_transport kit_core_websocket;

mcp_stream_options kit_stream_options(const kit_limits *limits);

/* Copies from one descriptor to the other until either ends. */
void kit_pass_on(int from, int to);

/* Runs the child of kit_process. Returns its exit code. */
int kit_relay(void);

#endif
