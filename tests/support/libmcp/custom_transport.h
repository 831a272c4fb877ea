/* SPDX-License-Identifier: MIT */
/* A transport of the program's around one of libmcp's, which tells the test
 * when the library calls its functions. */
#ifndef MCP_TESTS_CUSTOM_TRANSPORT_H
#define MCP_TESTS_CUSTOM_TRANSPORT_H

#include <mcp/transport.h>

typedef enum custom_function {
  CUSTOM_START, /* when the inner one has started */
  CUSTOM_SEND,  /* before the inner one is called, as in all that follow */
  CUSTOM_CLOSE,
  CUSTOM_RELEASE,
  CUSTOM_QUEUED,
  CUSTOM_SESSION_ID,
  CUSTOM_SET_VERSION,
  CUSTOM_FUNCTIONS
} custom_function;

typedef void (*custom_call_cb)(custom_function function, void *userdata);

/* Takes inner, which must not open later. */
mcp_transport *custom_transport(mcp_transport *inner, custom_call_cb on_call,
                                void *userdata);

#endif
