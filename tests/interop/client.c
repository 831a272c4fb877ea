/* SPDX-License-Identifier: MIT */
/* usage: interop-client ERA COMMAND [ARGUMENT]...
 *        interop-client ERA URL | sse+URL | tcp://HOST:PORT | unix:PATH
 *
 * A client for other people's servers: what mcpctl does not do. The server is
 * one that has the tools of peer.mjs. Prints a line for each test. */
#include "report.h"

#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <mcp/socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOTE "note://today"

enum { LIMIT_S = 20, MANY = 100 };

/* A turn of the loop ends with whatever happens: turns are no measure of
 * time. */
static int is_in_time(time_t since) {
  return time(NULL) - since < LIMIT_S;
}

/* What the callbacks have recorded. */
typedef struct seen {
  mcp_client *client;
  mcp_loop *loop;
  int progress_count;
  double progress; /* the last */
  double total;
  int done_count;
  int status; /* of the last that is done */
  int granted;
  char changed[16]; /* the list */
  char updated[64]; /* the URI */
  char logger[64];
  int log_level;
  int log_count;
  int64_t exit_status;
  int exit_signal;
  int error_count;
  int closed_count;
} seen;

/* ---- callbacks --------------------------------------------------------- */

static void on_progress(mcp_client *client, double progress, double total,
                        const char *message, void *userdata) {
  seen *s = userdata;
  (void)client;
  (void)message;
  s->progress_count++;
  s->progress = progress;
  s->total = total;
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  seen *s = userdata;
  (void)client;
  s->done_count++;
  s->status = outcome->status;
}

static void on_granted(mcp_client *client, const mcp_json *granted,
                       void *userdata) {
  seen *s = userdata;
  (void)client;
  s->granted =
      mcp_json_bool(mcp_json_get(granted, "toolsListChanged")) ? 1 : -1;
}

static void on_list_changed(mcp_client *client, const char *list,
                            void *userdata) {
  seen *s = userdata;
  (void)client;
  snprintf(s->changed, sizeof(s->changed), "%s", list);
}

static void on_updated(mcp_client *client, const char *uri, void *userdata) {
  seen *s = userdata;
  (void)client;
  snprintf(s->updated, sizeof(s->updated), "%s", uri);
}

static void on_log(mcp_client *client, int level, const char *logger,
                   const mcp_json *data, void *userdata) {
  seen *s = userdata;
  (void)client;
  (void)data;
  s->log_count++;
  s->log_level = level;
  snprintf(s->logger, sizeof(s->logger), "%s", logger != NULL ? logger : "");
}

static void on_error(mcp_client *client, const mcp_error *err, void *userdata) {
  seen *s = userdata;
  (void)client;
  s->error_count++;
  fprintf(stderr, "interop-client: %s\n", err->message);
}

static void on_closed(mcp_client *client, const mcp_error *err,
                      void *userdata) {
  seen *s = userdata;
  (void)client;
  (void)err;
  s->closed_count++;
}

static void on_exit_of_child(mcp_transport *transport, int64_t status,
                             int signal, void *userdata) {
  seen *s = userdata;
  (void)transport;
  s->exit_status = status;
  s->exit_signal = signal;
}

/* Turns the loop until *value changes, or the time limit is over. */
static int wait_while(const seen *s, const int *value, int old) {
  const time_t since = time(NULL);
  while (*value == old && is_in_time(since)) {
    mcp_loop_wait(s->loop, 100);
  }
  return *value != old;
}

/* ---- tests ------------------------------------------------------------- */

static void test_progress(seen *s) {
  mcp_error err = {0};
  mcp_result *result = NULL;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_progress,
                                       .progress_userdata = s};
  int rc = mcp_sync_request(s->client, "tools/call",
                            "{\"name\":\"count\",\"arguments\":{\"to\":5}}",
                            &options, &result, &err);
  report("progress",
         rc == 0 && s->progress_count == 5 && s->progress == 5 &&
             s->total == 5 && strcmp(mcp_result_text(result), "5") == 0,
         "%s; told %d times, at last %g of %g", err.message, s->progress_count,
         s->progress, s->total);
  mcp_result_unref(result);
}

/* The server reports how many calls were cancelled. */
static void test_cancel(seen *s) {
  uint64_t number = 0;
  mcp_error err = {0};
  mcp_result *result = NULL;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_progress,
                                       .progress_userdata = s,
                                       .request = &number};
  s->progress_count = 0;
  s->done_count = 0;
  mcp_client_call_tool(s->client, "wait", NULL, &options, on_done, s, NULL);
  int has_begun = wait_while(s, &s->progress_count, 0);
  mcp_client_cancel(s->client, number, "enough");
  wait_while(s, &s->done_count, 0);
  int rc =
      mcp_sync_call_tool(s->client, "cancelled", NULL, NULL, &result, &err);
  const char *text = rc == 0 ? mcp_result_text(result) : err.message;
  report("cancellation",
         has_begun && s->done_count == 1 && s->status == MCP_ERR_CANCELLED &&
             strcmp(text, "1") == 0,
         "begun %d, ended %d times with %s; the server says '%s'", has_begun,
         s->done_count, mcp_error_name(s->status), text);
  mcp_result_unref(result);
}

/* Legacy servers send notices of changes without a request. */
static void test_list_changed(seen *s) {
  const mcp_listen_filter filter = {.size = sizeof(mcp_listen_filter),
                                    .tools = 1};
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  mcp_error err = {0};
  const int is_modern =
      strcmp(mcp_client_revision(s->client), MCP_REVISION_2026_07_28) == 0;
  s->granted = is_modern ? 0 : 1;
  s->done_count = 0;
  if (is_modern) {
    mcp_client_listen(s->client, &filter, &options, on_granted, on_done, s,
                      NULL);
    wait_while(s, &s->granted, 0);
  }
  int rc = mcp_sync_call_tool(s->client, "grow", NULL, NULL, NULL, &err);
  const time_t since = time(NULL);
  while (is_in_time(since) && s->changed[0] == '\0') {
    mcp_loop_wait(s->loop, 100);
  }
  report("list changed",
         rc == 0 && s->granted == 1 && strcmp(s->changed, "tools") == 0,
         "%s; granted %d, changed '%s'", err.message, s->granted, s->changed);
  if (is_modern) {
    mcp_client_cancel(s->client, number, NULL);
    wait_while(s, &s->done_count, 0);
    report("ending a listen",
           s->done_count == 1 && s->status == MCP_ERR_CANCELLED,
           "ended %d times with %s", s->done_count, mcp_error_name(s->status));
  }
}

static void test_updated(seen *s) {
  mcp_error err = {0};
  int rc = mcp_sync_subscribe(s->client, NOTE, NULL, &err);
  if (rc == 0) {
    rc = mcp_sync_call_tool(s->client, "touch", NULL, NULL, NULL, &err);
  }
  const time_t since = time(NULL);
  while (rc == 0 && is_in_time(since) && s->updated[0] == '\0') {
    mcp_loop_wait(s->loop, 100);
  }
  report("resource updated", rc == 0 && strcmp(s->updated, NOTE) == 0,
         "%s; updated '%s'", err.message, s->updated);
  rc = mcp_sync_unsubscribe(s->client, NOTE, NULL, &err);
  report("unsubscribing", rc == 0, "%s", err.message);
}

static void test_log(seen *s) {
  mcp_error err = {0};
  int rc = mcp_sync_set_log_level(s->client, MCP_LOG_WARNING, NULL, &err);
  s->log_count = 0;
  if (rc == 0) {
    rc = mcp_sync_call_tool(s->client, "log", NULL, NULL, NULL, &err);
  }
  if (rc == 0) {
    wait_while(s, &s->log_count, 0); /* it may have come another way */
  }
  report("logging",
         rc == 0 && s->log_count == 1 && s->log_level == MCP_LOG_WARNING &&
             strcmp(s->logger, "disk") == 0,
         "%s; told %d times, level %d, logger '%s'", err.message, s->log_count,
         s->log_level, s->logger);
}

static void test_ping(seen *s) {
  mcp_error err = {0};
  report("ping", mcp_sync_ping(s->client, NULL, &err) == 0, "%s", err.message);
}

/* Many at once, each with its own answer. */
static void on_sum(mcp_client *client, const mcp_outcome *outcome,
                   void *userdata) {
  char **expected = userdata;
  (void)client;
  if (outcome->status == 0 &&
      strcmp(mcp_result_text(outcome->result), *expected) == 0) {
    (*expected)[0] = '\0';
  } else if (outcome->status != 0) {
    fprintf(stderr, "many in flight: %s\n", outcome->error->message);
  }
}

static void test_many(seen *s) {
  static char texts[MANY][16];
  static char *expected[MANY];
  int missing = MANY;
  for (int i = 0; i < MANY; i++) {
    char arguments[64];
    snprintf(texts[i], sizeof(texts[i]), "%d", 2 * i + 1);
    expected[i] = texts[i];
    snprintf(arguments, sizeof(arguments), "{\"a\":%d,\"b\":%d}", i, i + 1);
    mcp_client_call_tool(s->client, "add", arguments, NULL, on_sum,
                         &expected[i], NULL);
  }
  const time_t since = time(NULL);
  while (missing > 0 && is_in_time(since)) {
    mcp_loop_wait(s->loop, 100);
    missing = 0;
    for (int i = 0; i < MANY; i++) {
      missing += texts[i][0] != '\0';
    }
  }
  report("many in flight", missing == 0,
         "%d of %d have no answer or a wrong one", missing, MANY);
}

static void test_close(seen *s) {
  mcp_sync_close(s->client);
  report("closing",
         s->closed_count == 1 && s->exit_status == 0 && s->exit_signal == 0,
         "told %d times; the server ended with status %lld, signal %d",
         s->closed_count, (long long)s->exit_status, s->exit_signal);
  report("no message of the server's was refused", s->error_count == 0,
         "%d errors", s->error_count);
}

/* ------------------------------------------------------------------------ */

/* NULL: the target is not a stream socket. */
static const char *socket_address(const char *target) {
  if (strncmp(target, "tcp://", 6) == 0) {
    return target + 6;
  }
  return strncmp(target, "unix:", 5) == 0 ? target : NULL;
}

/* argv: the server's address, or a command. A server that is not our child ends
 * well. */
static int connect_to(seen *s, char **argv, mcp_error *err) {
  const mcp_process_options process = {.size = sizeof(mcp_process_options),
                                       .argv = (const char *const *)argv,
                                       .on_exit = on_exit_of_child,
                                       .userdata = s};
  const char *address = socket_address(argv[0]);
  if (address != NULL) {
    return mcp_client_connect(s->client,
                              mcp_transport_socket(s->loop, address, NULL, err),
                              on_done, s, err);
  }
  if (strstr(argv[0], "://") == NULL) {
    s->exit_status = -1;
    return mcp_client_connect_command(s->client, &process, on_done, s, err);
  }
  return mcp_client_connect_url(s->client, argv[0], NULL, on_done, s, err);
}

static int test_connect(seen *s, const char *era, char **argv) {
  mcp_error err = {0};
  const mcp_client_options options = {
      .size = sizeof(mcp_client_options),
      .policy = strcmp(era, "legacy") == 0   ? MCP_POLICY_LEGACY
                : strcmp(era, "modern") == 0 ? MCP_POLICY_MODERN
                                             : MCP_POLICY_AUTO,
      .userdata = s,
      .on_log = on_log,
      .on_list_changed = on_list_changed,
      .on_resource_updated = on_updated,
      .on_error = on_error,
      .on_closed = on_closed};
  s->client =
      mcp_client_new(s->loop, "interop-client", "1.0.0", &options, &err);
  int rc = s->client != NULL ? 0 : err.code;
  s->status = 1;
  if (rc == 0) {
    rc = connect_to(s, argv, &err);
  }
  if (rc == 0) {
    wait_while(s, &s->status, 1);
  }
  report("connecting", rc == 0 && s->status == 0, "%s; %s", err.message,
         mcp_error_name(s->status));
  return rc == 0 ? s->status : rc;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: interop-client ERA COMMAND [ARGUMENT]...\n"
                    "       interop-client ERA URL\n");
    return 1;
  }
  seen s = {0};
  s.loop = mcp_loop_new(NULL, NULL);
  if (test_connect(&s, argv[1], argv + 2) == 0) {
    printf("revision %s\n", mcp_client_revision(s.client));
    test_progress(&s);
    test_cancel(&s);
    test_list_changed(&s);
    test_updated(&s);
    test_log(&s);
    test_ping(&s);
    test_many(&s);
    test_close(&s);
  }
  mcp_client_free(s.client);
  mcp_loop_free(s.loop);
  return report_status();
}
