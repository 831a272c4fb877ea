/* SPDX-License-Identifier: MIT */
/* The client that the official conformance suite tests. The suite runs it once
 * for each scenario, whose name is in the environment, with the URL of a server
 * of the suite's as its last argument. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds. The suite waits for a client that hangs, and all others with it. */
enum { LIFETIME = 45 };

/* --- answering the servers ----------------------------------------------- */

/* The library fills in the form's defaults. */
static void on_elicit(mcp_question *question, void *userdata) {
  const scenario *what = userdata;
  mcp_error err;
  if (mcp_question_accept(question, what->answer, &err) == MCP_ERR_SCHEMA) {
    fprintf(stderr, "conformance-client: %s\n", err.message);
    mcp_question_cancel(question);
  }
}

static const char hello[] =
    MCP_JSON({
  "role": "assistant",
  "model": "none",
  "content": {"type": "text", "text": "Hello"}
});

static void on_sample(mcp_question *question, void *userdata) {
  (void)userdata;
  mcp_question_answer(question, hello, NULL);
}

/* --- one scenario -------------------------------------------------------- */

static int is_modern(const char *revision) {
  return revision != NULL && strcmp(revision, MCP_REVISION_2026_07_28) >= 0;
}

static mcp_client *make_client(mcp_loop *loop, const scenario *what) {
  const char *revision = getenv("MCP_CONFORMANCE_PROTOCOL_VERSION");
  const mcp_client_options options = {
      .size = sizeof(mcp_client_options),
      .policy = is_modern(revision) ? MCP_POLICY_MODERN : MCP_POLICY_LEGACY,
      .apply_defaults = 1,
      .on_elicit = on_elicit,
      .on_sample = on_sample,
      .userdata = (void *)what};
  mcp_client *client =
      mcp_client_new(loop, "conformance-client", "1.0.0", &options, NULL);
  mcp_client_set_roots(client, MCP_JSON([{"uri": "file:///test/root"}]), NULL);
  return client;
}

/* What the suite says of the scenario: NULL when it says nothing. */
static mcp_doc *read_context(void) {
  const char *text = getenv("MCP_CONFORMANCE_CONTEXT");
  mcp_doc *doc = NULL;
  if (text != NULL) {
    doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  }
  return doc;
}

static int play(run *self, const scenario *what, const char *url,
                mcp_auth *auth) {
  int rc = connect_url(self->client, url, auth, &self->err);
  if (rc == 0) {
    rc = what->steps(self);
  }
  if (rc != 0) {
    fprintf(stderr, "conformance-client: %s: %s\n", what->name,
            self->err.code == rc ? self->err.message : mcp_error_text(rc));
  }
  mcp_sync_close(self->client);
  return rc == 0 ? 0 : 1;
}

/* Plays a scenario with all that it needs. Returns an exit code. */
static int run_scenario(mcp_loop *loop, const scenario *what, const char *name,
                        const char *url) {
  mcp_doc *context = read_context();
  run self = {.client = make_client(loop, what),
              .context = context != NULL ? mcp_doc_root(context) : NULL};
  int has_auth = strncmp(name, "auth/", 5) == 0;
  mcp_auth *auth = has_auth ? make_auth(loop, name, self.context) : NULL;
  int exit_code = 1;
  if (self.client != NULL && (auth != NULL || !has_auth)) {
    exit_code = play(&self, what, url, auth);
  }
  mcp_client_free(self.client);
  mcp_auth_free(auth);
  mcp_doc_free(context);
  return exit_code;
}

int main(int argc, char **argv) {
  const char *name = getenv("MCP_CONFORMANCE_SCENARIO");
  const scenario *what = name != NULL ? find_scenario(name) : NULL;
  if (argc < 2 || what == NULL) {
    fprintf(stderr, "usage: MCP_CONFORMANCE_SCENARIO=NAME "
                    "conformance-client URL\n");
    return 2;
  }
  alarm(LIFETIME);
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  int exit_code = run_scenario(loop, what, name, argv[argc - 1]);
  mcp_loop_free(loop);
  return exit_code;
}
