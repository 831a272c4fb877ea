/* SPDX-License-Identifier: MIT */
#include "pack/ask.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "config/bundled.h"
#include "connection/session.h"
#include "diff/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The session is the first member: the functions of the verb find the rest by
 * it. */
typedef struct asking {
  ctl_session session;
  ctl_asked *asked;
  const char *prompt; /* the one that is asked for */
  const char *arguments;
} asking;

/* ---- texts of prompts -------------------------------------------------- */

/* The value of each argument is the variable that a host replaces. Returns
 * JSON text, owned; NULL: out of memory. */
static char *make_arguments(const mcp_json *prompt) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_json_iter iter;
  const mcp_json *argument = NULL;
  mcp_builder_object(out, NULL);
  mcp_json_iter_init(&iter, mcp_json_get(prompt, "arguments"));
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = ctl_json_member(argument, "name");
    char *value = NULL;
    if (name != NULL && asprintf(&value, "${arguments.%s}", name) >= 0) {
      mcp_builder_string(out, name, value);
      free(value);
    }
  }
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, NULL);
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(out);
  return copy;
}

static int start_prompt(ctl_session *session,
                        const mcp_request_options *options) {
  asking *self = (asking *)session;
  return mcp_client_get_prompt(session->client, self->prompt, self->arguments,
                               options, ctl_session_done, session,
                               &session->error);
}

/* The text of a prompt with one message, which has text only; else NULL. */
static const char *only_text(const mcp_result *result) {
  const mcp_json *content = mcp_json_get(mcp_result_item(result, 0), "content");
  const char *type = ctl_json_member(content, "type");
  return mcp_result_count(result) == 1 && type != NULL &&
                 strcmp(type, "text") == 0
             ? ctl_json_member(content, "text")
             : NULL;
}

/* A prompt that refuses such arguments has no text in the manifest. */
static void ask_prompt(asking *self, const mcp_json *prompt, mcp_builder *out) {
  char *arguments = make_arguments(prompt);
  self->prompt = ctl_json_member(prompt, "name");
  self->arguments = arguments;
  if (self->prompt != NULL && arguments != NULL &&
      ctl_session_request(&self->session, start_prompt) == 0 &&
      only_text(self->session.result) != NULL) {
    mcp_builder_string(out, self->prompt, only_text(self->session.result));
  }
  free(arguments);
}

static int ask_prompts(asking *self) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_json_iter iter;
  const mcp_json *prompt = NULL;
  size_t len = 0;
  mcp_builder_object(out, NULL);
  mcp_json_iter_init(
      &iter, mcp_json_get(mcp_doc_root(self->session.listing), "prompts"));
  while ((prompt = mcp_json_iter_next(&iter, NULL)) != NULL) {
    ask_prompt(self, prompt, out);
  }
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, &len);
  self->asked->texts =
      text != NULL ? mcp_doc_parse(text, len, NULL, NULL, NULL) : NULL;
  mcp_builder_free(out);
  return self->asked->texts != NULL
             ? 0
             : mcp_error_set(&self->session.error, MCP_ERR_NOMEM,
                             "out of memory");
}

/* ---- the verb ---------------------------------------------------------- */

static int ask_all(ctl_session *session) {
  int status = ctl_snapshot_follow(session);
  if (status == 0) {
    status = ask_prompts((asking *)session);
    session->status = status;
  }
  return status;
}

static int ask_keep(ctl_session *session, const mcp_result *result) {
  asking *self = (asking *)session;
  (void)result;
  self->asked->listing = session->listing;
  session->listing = NULL;
  return CTL_OK;
}

static const ctl_verb ask_verb = {.name = "snapshot",
                                  .synopsis = "snapshot FILE",
                                  .follow = ask_all,
                                  .show = ask_keep};

static int ask_server(ctl_asked *asked, ctl_options *options) {
  asking *self = calloc(1, sizeof(*self));
  if (self == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  self->asked = asked;
  options->verb = &ask_verb;
  options->is_json = 0;
  options->arg_count = 0;
  int code = ctl_session_open(&self->session, options);
  if (code == CTL_OK) {
    code = ctl_session_do(&self->session, options);
  }
  ctl_session_close(&self->session);
  free(self);
  return code;
}

int ctl_ask_bundle(ctl_asked *asked, const ctl_options *options,
                   const ctl_bundle *bundle, const char *path) {
  ctl_options copy;
  mcp_error err = {0};
  *asked = (ctl_asked){0};
  int code = CTL_OK;
  if (ctl_options_copy(&copy, options) != 0) {
    code = ctl_report(CTL_USAGE, "out of memory");
  } else if (ctl_bundled_take(&copy, bundle, path, &err) != 0) {
    code =
        ctl_report(err.code == MCP_ERR_CANCELLED ? CTL_INTERRUPTED : CTL_USAGE,
                   "%s: %s", path, err.message);
  } else if (ctl_options_name_target(&copy) != CTL_GO_ON) {
    code = CTL_USAGE;
  }
  if (code == CTL_OK) {
    code = ask_server(asked, &copy);
  }
  ctl_options_copy_deinit(&copy);
  return code;
}

void ctl_asked_deinit(ctl_asked *asked) {
  mcp_doc_free(asked->listing);
  mcp_doc_free(asked->texts);
  *asked = (ctl_asked){0};
}
