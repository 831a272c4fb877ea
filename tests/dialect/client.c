/* SPDX-License-Identifier: MIT */
/* A client of ours that speaks the mcp-core dialect, for servers of the tests':
 *
 *     dialect-client FORM URL CALL...
 *     dialect-client FORM -- COMMAND... with the calls in CALLS
 *
 * FORM is frame, bare or rpc; a CALL is NAME or NAME:ARGUMENTS. All are on
 * their way at once. For each it prints a line, in their order: the result, or
 * the error's code and message; and before them a line for each thing shown. */
#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 16 };

typedef struct waiting {
  char *line; /* what it prints */
  char *name;
} waiting;

static waiting calls[MAX_CALLS];
static size_t call_count;
static size_t left;
static mcp_loop *loop;

static uint32_t dialect_of(const char *form) {
  return strcmp(form, "bare") == 0  ? MCP_DIALECT_MCP_CORE_BARE
         : strcmp(form, "rpc") == 0 ? MCP_DIALECT_MCP_CORE_RPC
                                    : MCP_DIALECT_MCP_CORE;
}

static char *print(const mcp_outcome *outcome) {
  char text[512];
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  if (outcome->result != NULL) {
    int rc = mcp_builder_value(builder, NULL, mcp_result_json(outcome->result));
    snprintf(text, sizeof(text), "%s",
             rc == 0 ? mcp_builder_text(builder, NULL) : mcp_error_name(rc));
  } else {
    snprintf(text, sizeof(text), "%s %ld: %s", mcp_error_name(outcome->status),
             (long)outcome->error->status, outcome->error->message);
  }
  mcp_builder_free(builder);
  return strdup(text);
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  waiting *call = userdata;
  (void)client;
  call->line = print(outcome);
  left--;
  if (left == 0) {
    mcp_loop_stop(loop);
  }
}

static void on_progress(mcp_client *client, double progress, double total,
                        const char *message, void *userdata) {
  (void)client;
  (void)total;
  (void)userdata;
  printf("%g: %s\n", progress, message != NULL ? message : "");
  fflush(stdout);
}

static void start(mcp_client *client, const char *call) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_progress};
  waiting *w = &calls[call_count++];
  const char *colon = strchr(call, ':');
  w->name =
      strndup(call, colon != NULL ? (size_t)(colon - call) : strlen(call));
  int rc =
      mcp_client_call_tool(client, w->name, colon != NULL ? colon + 1 : NULL,
                           &options, on_done, w, NULL);
  if (rc != 0) {
    w->line = strdup(mcp_error_name(rc));
    left--;
  }
}

static mcp_transport *make_transport(char **argv, uint32_t dialect,
                                     mcp_error *err) {
  const mcp_http_client_options http = {
      .size = sizeof(mcp_http_client_options), .dialect = dialect, .proxy = ""};
  if (strncmp(argv[2], "ws", 2) == 0) {
    return mcp_transport_websocket(loop, argv[2], &http, err);
  }
  if (strcmp(argv[2], "--") != 0) {
    return mcp_transport_post(loop, argv[2], &http, err);
  }
  const mcp_process_options options = {.size = sizeof(mcp_process_options),
                                       .argv = (const char *const *)&argv[3],
                                       .inherit_env = 1};
  return mcp_transport_dialect(loop, mcp_transport_process(loop, &options, err),
                               dialect, 0, NULL);
}

/* From the command line, or a word each of CALLS. */
static size_t find_calls(char **argv, char *texts[MAX_CALLS]) {
  size_t count = 0;
  if (strcmp(argv[2], "--") != 0) {
    while (argv[3 + count] != NULL && count < MAX_CALLS) {
      texts[count] = argv[3 + count];
      count++;
    }
    return count;
  }
  char *text = getenv("CALLS");
  for (char *word = strtok(text, " "); word != NULL && count < MAX_CALLS;
       word = strtok(NULL, " ")) {
    texts[count++] = word;
  }
  return count;
}

static int run(char **argv) {
  char *texts[MAX_CALLS];
  mcp_error err = {0};
  mcp_client *client = mcp_client_new(loop, "dialect-client", "1", NULL, NULL);
  mcp_transport *transport = make_transport(argv, dialect_of(argv[1]), &err);
  if (transport == NULL || mcp_sync_connect(client, transport, &err) != 0) {
    fprintf(stderr, "%s\n", err.message);
    mcp_client_free(client);
    return 1;
  }
  size_t count = find_calls(argv, texts);
  left = count;
  for (size_t i = 0; i < count; i++) {
    start(client, texts[i]);
  }
  if (left > 0) {
    mcp_loop_run(loop);
  }
  for (size_t i = 0; i < count; i++) {
    printf("%s\n", calls[i].line);
    free(calls[i].line);
    free(calls[i].name);
  }
  mcp_sync_close(client);
  mcp_client_free(client);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: dialect-client FORM URL|-- ...\n");
    return 2;
  }
  loop = mcp_loop_new(NULL, NULL);
  int rc = run(argv);
  mcp_loop_free(loop);
  return rc;
}
