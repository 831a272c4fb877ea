/* SPDX-License-Identifier: MIT */
/* Every public structure that begins with its size, and its initialiser. */
#ifndef TESTS_SUPPORT_STRUCTURES_H
#define TESTS_SUPPORT_STRUCTURES_H

#include <mcp/auth.h>
#include <mcp/mcp.h>
#include <mcp/protect.h>
#include <mcp/sqlite.h>
#include <mcp/sys/crypto.h>
#include <mcp/sys/fetch.h>
#include <mcp/sys/platform.h>

#define EACH_STRUCTURE(X)                                                      \
  X(mcp_annotations, MCP_ANNOTATIONS_INIT)                                     \
  X(mcp_app, MCP_APP_INIT)                                                     \
  X(mcp_auth_options, MCP_AUTH_OPTIONS_INIT)                                   \
  X(mcp_auth_store, MCP_AUTH_STORE_INIT)                                       \
  X(mcp_client_options, MCP_CLIENT_OPTIONS_INIT)                               \
  X(mcp_connection_options, MCP_CONNECTION_OPTIONS_INIT)                       \
  X(mcp_content, MCP_CONTENT_INIT)                                             \
  X(mcp_crypto, MCP_CRYPTO_INIT)                                               \
  X(mcp_elicitation, MCP_ELICITATION_INIT)                                     \
  X(mcp_event_store, MCP_EVENT_STORE_INIT)                                     \
  X(mcp_fetch_request, MCP_FETCH_REQUEST_INIT)                                 \
  X(mcp_http_client_options, MCP_HTTP_CLIENT_OPTIONS_INIT)                     \
  X(mcp_http_listen_options, MCP_HTTP_LISTEN_OPTIONS_INIT)                     \
  X(mcp_http_options, MCP_HTTP_OPTIONS_INIT)                                   \
  X(mcp_http_request, MCP_HTTP_REQUEST_INIT)                                   \
  X(mcp_http_responder, MCP_HTTP_RESPONDER_INIT)                               \
  X(mcp_json_limits, MCP_JSON_LIMITS_INIT)                                     \
  X(mcp_limits, MCP_LIMITS_INIT)                                               \
  X(mcp_listen_filter, MCP_LISTEN_FILTER_INIT)                                 \
  X(mcp_loop_options, MCP_LOOP_OPTIONS_INIT)                                   \
  X(mcp_main_options, MCP_MAIN_OPTIONS_INIT)                                   \
  X(mcp_method, MCP_METHOD_INIT)                                               \
  X(mcp_platform, MCP_PLATFORM_INIT)                                           \
  X(mcp_process_options, MCP_PROCESS_OPTIONS_INIT)                             \
  X(mcp_prompt, MCP_PROMPT_INIT)                                               \
  X(mcp_protect_options, MCP_PROTECT_OPTIONS_INIT)                             \
  X(mcp_request_options, MCP_REQUEST_OPTIONS_INIT)                             \
  X(mcp_resource, MCP_RESOURCE_INIT)                                           \
  X(mcp_resource_template, MCP_RESOURCE_TEMPLATE_INIT)                         \
  X(mcp_sampling, MCP_SAMPLING_INIT)                                           \
  X(mcp_schema, MCP_SCHEMA_INIT)                                               \
  X(mcp_server_options, MCP_SERVER_OPTIONS_INIT)                               \
  X(mcp_skills_options, MCP_SKILLS_OPTIONS_INIT)                               \
  X(mcp_socket_listen_options, MCP_SOCKET_LISTEN_OPTIONS_INIT)                 \
  X(mcp_socket_options, MCP_SOCKET_OPTIONS_INIT)                               \
  X(mcp_sqlite_options, MCP_SQLITE_OPTIONS_INIT)                               \
  X(mcp_stream_options, MCP_STREAM_OPTIONS_INIT)                               \
  X(mcp_task_store, MCP_TASK_STORE_INIT)                                       \
  X(mcp_tasks_options, MCP_TASKS_OPTIONS_INIT)                                 \
  X(mcp_token_facts, MCP_TOKEN_FACTS_INIT)                                     \
  X(mcp_tool, MCP_TOOL_INIT)                                                   \
  X(mcp_transport, MCP_TRANSPORT_INIT)                                         \
  X(mcp_validate_options, MCP_VALIDATE_OPTIONS_INIT)                           \
  X(mcp_validator_options, MCP_VALIDATOR_OPTIONS_INIT)

#endif
