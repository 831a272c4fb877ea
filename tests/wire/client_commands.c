/* SPDX-License-Identifier: MIT */
/* What the transcripts' client does: every request, and the answers to
 * questions. README.md lists the commands. */
#include "client_program.h"

#include "transcript.h"
#include <mcp/tasks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_URIS = 8 };

/* Requests that have begun and not completed. */
static int in_flight;
/* Inside a function of the client, where nothing completes. */
static int is_calling;

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

void client_check_ended(void) {
  check(in_flight == 0);
}

/* A name as the userdata of its completion, which only reads it. */
#define NAME(literal) ((void *)(uintptr_t)(literal))

const char *client_json_text(mcp_builder *builder, const mcp_json *value) {
  mcp_builder_clear(builder);
  mcp_builder_value(builder, NULL, value);
  return mcp_builder_text(builder, NULL);
}

/* ---- how requests end ---------------------------------------------------- */

/* "= VERB ok COUNT RESULT", or why it failed. */
static void saw_outcome(const char *verb, const mcp_outcome *outcome) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  const char *name = mcp_error_name(outcome->status);
  const char *data = outcome->error_data == NULL
                         ? NULL
                         : client_json_text(builder, outcome->error_data);
  check(outcome->error->code == outcome->status);
  check((outcome->result != NULL) == (outcome->status == 0));
  if (outcome->status == 0) {
    char about[100] = "";
    const char *task = mcp_result_task_id(outcome->result);
    if (task != NULL) {
      snprintf(about, sizeof about, "task %s %s ", task,
               mcp_result_task_status(outcome->result));
    }
    transcript_saw(
        "%s ok %d %s%s%s", verb, (int)mcp_result_count(outcome->result),
        mcp_result_is_checked(outcome->result) ? "checked " : "", about,
        client_json_text(builder, mcp_result_json(outcome->result)));
  } else if (outcome->status == MCP_ERR_REMOTE) {
    transcript_saw("%s %s %d %s %s", verb, name, (int)outcome->error->status,
                   outcome->error->message, data != NULL ? data : "null");
  } else {
    char status[24] = "";
    if (outcome->error->status != 0) {
      snprintf(status, sizeof status, " status=%d",
               (int)outcome->error->status);
    }
    transcript_saw("%s %s sent=%d%s %s %s", verb, name, (int)outcome->was_sent,
                   status, outcome->error->message, data != NULL ? data : "");
  }
  mcp_builder_free(builder);
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  (void)client;
  check(in_flight-- > 0 && !is_calling);
  saw_outcome(userdata, outcome);
}

static void on_connected(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  on_done(client, outcome, userdata);
  const char *verdict = mcp_client_verdict(client);
  transcript_saw("verdict %s", verdict != NULL ? verdict : "none");
}

static void on_progress(mcp_client *client, double progress, double total,
                        const char *message, void *userdata) {
  (void)client;
  (void)userdata;
  transcript_saw("progress %g of %g %s", progress, total,
                 message != NULL ? message : "");
}

static void on_open(mcp_client *client, const mcp_json *granted,
                    void *userdata) {
  (void)client;
  (void)userdata;
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  transcript_saw("listening %s", client_json_text(builder, granted));
  mcp_builder_free(builder);
}

void client_connect_by(client_self *me, client_connect_fn *begin,
                       const void *how) {
  mcp_error err = {0};
  me->why.code = 0;
  is_calling = 1;
  int rc = begin(me->client, on_connected, NAME("connect"), how, &err);
  is_calling = 0;
  if (rc == 0) {
    in_flight++;
  } else {
    transcript_saw("connect: %s", err.message);
  }
}

static int connect_to_end(mcp_client *client, mcp_done_cb on_connect,
                          void *userdata, const void *end, mcp_error *err) {
  return mcp_client_connect(client, (mcp_transport *)(uintptr_t)end, on_connect,
                            userdata, err);
}

void client_connect(client_self *me, mcp_transport *end) {
  client_connect_by(me, connect_to_end, client_end_prepare(me, end));
}

/* ---- requests ------------------------------------------------------------ */

/* Cuts "a b c" into at most `max` words, the last one with the rest; a word
 * that is missing, or "-", is NULL. */
static void split(char *line, char **words, size_t max) {
  for (size_t i = 0; i < max; i++) {
    char *blank = line != NULL && i + 1 < max ? strchr(line, ' ') : NULL;
    if (blank != NULL) {
      *blank++ = '\0';
    }
    words[i] =
        line != NULL && *line != '\0' && strcmp(line, "-") != 0 ? line : NULL;
    line = blank;
  }
}

static int run_list_tools(client_self *me, char *rest,
                          const mcp_request_options *options) {
  (void)rest;
  return mcp_client_list_tools(me->client, options, on_done, NAME("list_tools"),
                               &me->why);
}

static int run_list_resources(client_self *me, char *rest,
                              const mcp_request_options *options) {
  (void)rest;
  return mcp_client_list_resources(me->client, options, on_done,
                                   NAME("list_resources"), &me->why);
}

static int run_list_templates(client_self *me, char *rest,
                              const mcp_request_options *options) {
  (void)rest;
  return mcp_client_list_resource_templates(me->client, options, on_done,
                                            NAME("list_templates"), &me->why);
}

static int run_list_prompts(client_self *me, char *rest,
                            const mcp_request_options *options) {
  (void)rest;
  return mcp_client_list_prompts(me->client, options, on_done,
                                 NAME("list_prompts"), &me->why);
}

static int run_ping(client_self *me, char *rest,
                    const mcp_request_options *options) {
  (void)rest;
  return mcp_client_ping(me->client, options, on_done, NAME("ping"), &me->why);
}

static int run_discover(client_self *me, char *rest,
                        const mcp_request_options *options) {
  (void)rest;
  return mcp_client_discover(me->client, options, on_done, NAME("discover"),
                             &me->why);
}

/* NAME ARGUMENTS */
static int run_call_tool(client_self *me, char *rest,
                         const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return mcp_client_call_tool(me->client, w[0], w[1], options, on_done,
                              NAME("call_tool"), &me->why);
}

/* URI */
static int run_read(client_self *me, char *rest,
                    const mcp_request_options *options) {
  char *w[1];
  split(rest, w, 1);
  return mcp_client_read_resource(me->client, w[0], options, on_done,
                                  NAME("read"), &me->why);
}

/* NAME ARGUMENTS */
static int run_prompt(client_self *me, char *rest,
                      const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return mcp_client_get_prompt(me->client, w[0], w[1], options, on_done,
                               NAME("prompt"), &me->why);
}

/* REF_TYPE REF ARGUMENT VALUE ARGUMENTS */
static int run_complete(client_self *me, char *rest,
                        const mcp_request_options *options) {
  char *w[5];
  split(rest, w, 5);
  return mcp_client_complete(me->client, w[0], w[1], w[2],
                             w[3] != NULL ? w[3] : "", w[4], options, on_done,
                             NAME("complete"), &me->why);
}

/* URI */
static int run_subscribe(client_self *me, char *rest,
                         const mcp_request_options *options) {
  char *w[1];
  split(rest, w, 1);
  return mcp_client_subscribe(me->client, w[0], options, on_done,
                              NAME("subscribe"), &me->why);
}

/* URI */
static int run_unsubscribe(client_self *me, char *rest,
                           const mcp_request_options *options) {
  char *w[1];
  split(rest, w, 1);
  return mcp_client_unsubscribe(me->client, w[0], options, on_done,
                                NAME("unsubscribe"), &me->why);
}

/* LEVEL */
static int run_set_log_level(client_self *me, char *rest,
                             const mcp_request_options *options) {
  return mcp_client_set_log_level(me->client, atoi(rest), options, on_done,
                                  NAME("set_log_level"), &me->why);
}

/* METHOD PARAMS */
static int run_request(client_self *me, char *rest,
                       const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return mcp_client_request(me->client, w[0], w[1], options, on_done,
                            NAME("request"), &me->why);
}

/* Of "tools prompts resources once more=MEMBERS URI...", each may be left out.
 */
static int run_listen(client_self *me, char *rest,
                      const mcp_request_options *options) {
  const char *uris[MAX_URIS + 1] = {NULL};
  size_t count = 0;
  mcp_listen_filter listen = {.size = sizeof(mcp_listen_filter)};
  for (char *next, *word = rest; word != NULL && *word != '\0'; word = next) {
    next = strchr(word, ' ');
    if (next != NULL) {
      *next++ = '\0';
    }
    listen.tools |= strcmp(word, "tools") == 0;
    listen.prompts |= strcmp(word, "prompts") == 0;
    listen.resources |= strcmp(word, "resources") == 0;
    listen.once |= strcmp(word, "once") == 0;
    if (strncmp(word, "more=", 5) == 0) {
      listen.more = word + 5;
    } else if (strchr(word, ':') != NULL && count < MAX_URIS) {
      uris[count++] = word;
    }
  }
  listen.uris = count > 0 ? uris : NULL;
  return mcp_client_listen(me->client, &listen, options, on_open, on_done,
                           NAME("listen"), &me->why);
}

static int run_list_skills(client_self *me, char *rest,
                           const mcp_request_options *options) {
  char *w[2] = {rest, NULL};
  return client_skills_run(me, "list_skills", w, options, on_done);
}

/* URI */
static int run_get_skill(client_self *me, char *rest,
                         const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return client_skills_run(me, "get_skill", w, options, on_done);
}

/* FILE ENTRY */
static int run_read_skill(client_self *me, char *rest,
                          const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return client_skills_run(me, "read_skill", w, options, on_done);
}

/* FOLDER ENTRY */
static int run_list_skill_folder(client_self *me, char *rest,
                                 const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return client_skills_run(me, "list_skill_folder", w, options, on_done);
}

/* NAME ARGUMENTS */
static int run_start_task(client_self *me, char *rest,
                          const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return mcp_client_start_task(me->client, w[0], w[1], options, on_done,
                               NAME("start_task"), &me->why);
}

/* ID */
static int run_get_task(client_self *me, char *rest,
                        const mcp_request_options *options) {
  char *w[1];
  split(rest, w, 1);
  return mcp_client_get_task(me->client, w[0], options, on_done,
                             NAME("get_task"), &me->why);
}

/* ID TOOL */
static int run_wait_task(client_self *me, char *rest,
                         const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return mcp_client_wait_task(me->client, w[0], w[1], options, on_done,
                              NAME("wait_task"), &me->why);
}

/* ID ANSWERS */
static int run_answer_task(client_self *me, char *rest,
                           const mcp_request_options *options) {
  char *w[2];
  split(rest, w, 2);
  return mcp_client_answer_task(me->client, w[0], w[1], options, on_done,
                                NAME("answer_task"), &me->why);
}

/* ID */
static int run_cancel_task(client_self *me, char *rest,
                           const mcp_request_options *options) {
  char *w[1];
  split(rest, w, 1);
  return mcp_client_cancel_task(me->client, w[0], options, on_done,
                                NAME("cancel_task"), &me->why);
}

static int run_list_tasks(client_self *me, char *rest,
                          const mcp_request_options *options) {
  (void)rest;
  return mcp_client_list_tasks(me->client, options, on_done, NAME("list_tasks"),
                               &me->why);
}

/* Those that complete. */
static const struct request {
  const char *name;
  int (*run)(client_self *me, char *rest, const mcp_request_options *options);
} requests[] = {{"answer_task", run_answer_task},
                {"call_tool", run_call_tool},
                {"cancel_task", run_cancel_task},
                {"complete", run_complete},
                {"discover", run_discover},
                {"get_skill", run_get_skill},
                {"get_task", run_get_task},
                {"list_prompts", run_list_prompts},
                {"list_resources", run_list_resources},
                {"list_skill_folder", run_list_skill_folder},
                {"list_skills", run_list_skills},
                {"list_tasks", run_list_tasks},
                {"list_templates", run_list_templates},
                {"list_tools", run_list_tools},
                {"listen", run_listen},
                {"ping", run_ping},
                {"prompt", run_prompt},
                {"read", run_read},
                {"read_skill", run_read_skill},
                {"request", run_request},
                {"set_log_level", run_set_log_level},
                {"start_task", run_start_task},
                {"subscribe", run_subscribe},
                {"unsubscribe", run_unsubscribe},
                {"wait_task", run_wait_task}};

/* ---- others -------------------------------------------------------------- */

/* METHOD PARAMS */
static int run_notify(client_self *me, char *rest) {
  char *w[2];
  split(rest, w, 2);
  return mcp_client_notify(me->client, w[0], w[1], &me->why);
}

/* NUMBER REASON; without a number: the last request. */
static int run_cancel(client_self *me, char *rest) {
  char *w[1];
  uint64_t number = strtoul(rest, &rest, 10);
  split(rest + strspn(rest, " "), w, 1);
  return mcp_client_cancel(me->client, number > 0 ? number : me->last_request,
                           w[0]);
}

/* ROOTS */
static int run_set_roots(client_self *me, char *rest) {
  char *w[1];
  split(rest, w, 1);
  return mcp_client_set_roots(me->client, w[0], &me->why);
}

static int run_close(client_self *me, char *rest) {
  (void)rest;
  mcp_client_close(me->client);
  return 0;
}

static int run_describe(client_self *me, char *rest) {
  const mcp_client *client = me->client;
  const char *revision = mcp_client_revision(client);
  const char *says = mcp_client_instructions(client);
  const char *id = mcp_client_session_id(client);
  (void)rest;
  transcript_saw("%s %s session %s: %d members, %d capabilities, tools %d",
                 revision != NULL ? revision : "none", says != NULL ? says : "",
                 id != NULL ? id : "none",
                 (int)mcp_json_size(mcp_client_server_info(client)),
                 (int)mcp_json_size(mcp_client_server_capabilities(client)),
                 mcp_client_server_has(client, "tools.listChanged"));
  return 0;
}

/* The question of a number; NULL: there is no such one. */
static mcp_question **question_of(client_self *me, const char *number) {
  size_t n = number != NULL ? strtoul(number, NULL, 10) : 0;
  return n > 0 && n <= me->question_count && me->questions[n - 1] != NULL
             ? &me->questions[n - 1]
             : NULL;
}

/* CODE MESSAGE */
static int fail_question(mcp_question *question, char *rest) {
  char *w[2];
  split(rest, w, 2);
  return mcp_question_fail(question, w[0] != NULL ? atoi(w[0]) : 0,
                           w[1] != NULL ? w[1] : "");
}

static int answer_with(mcp_question *question, const char *how, char *rest,
                       mcp_error *err) {
  if (strcmp(how, "accept") == 0) {
    return mcp_question_accept(question, rest, err);
  } else if (strcmp(how, "decline") == 0) {
    return mcp_question_decline(question);
  } else if (strcmp(how, "cancel") == 0) {
    return mcp_question_cancel(question);
  } else if (strcmp(how, "fail") == 0) {
    return fail_question(question, rest);
  }
  return mcp_question_answer(question, rest, err);
}

/* N accept CONTENT, N decline, N cancel, N fail CODE MESSAGE, N result JSON */
static int run_answer(client_self *me, char *rest) {
  char *w[3];
  mcp_error err = {0};
  split(rest, w, 3);
  mcp_question **at = question_of(me, w[0]);
  if (at == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  if (mcp_question_is_cancelled(*at)) {
    transcript_saw("question %s is cancelled", w[0]);
  }
  int rc = answer_with(*at, w[1] != NULL ? w[1] : "decline", w[2], &err);
  if (rc != 0) {
    transcript_saw("answer %s %s", mcp_error_name(rc), err.message);
  }
  if (rc != MCP_ERR_INVALID && rc != MCP_ERR_SCHEMA) {
    *at = NULL; /* the question is gone */
  }
  return 0;
}

static const struct action {
  const char *name;
  int (*run)(client_self *me, char *rest);
} actions[] = {{"answer", run_answer}, {"cancel", run_cancel},
               {"close", run_close},   {"describe", run_describe},
               {"notify", run_notify}, {"set_roots", run_set_roots}};

/* ---- running ------------------------------------------------------------- */

/* Takes one word of `with`. */
static void take_option(mcp_request_options *options, const char *word) {
  if (strncmp(word, "timeout_ms=", 11) == 0) {
    options->timeout_ms = (uint32_t)strtoul(word + 11, NULL, 10);
  } else if (strncmp(word, "max_ms=", 7) == 0) {
    options->max_ms = (uint32_t)strtoul(word + 7, NULL, 10);
  } else if (strncmp(word, "ttl_ms=", 7) == 0) {
    options->task_ttl_ms = strtoul(word + 7, NULL, 10);
  } else if (strncmp(word, "meta=", 5) == 0) {
    options->meta = word + 5;
  } else if (strcmp(word, "progress") == 0) {
    options->on_progress = on_progress;
  } else if (strcmp(word, "skip_cache") == 0) {
    options->skip_cache = 1;
  } else if (strcmp(word, "is_idempotent") == 0) {
    options->is_idempotent = 1;
  } else if (strncmp(word, "name_member=", 12) == 0) {
    options->name_member = word + 12;
  }
}

/* "with WORDS | COMMAND": takes the words, and returns the command. */
static char *take_options(mcp_request_options *options, char *line) {
  char *bar = strncmp(line, "with ", 5) == 0 ? strstr(line, " | ") : NULL;
  if (bar == NULL) {
    return line;
  }
  *bar = '\0';
  for (char *next, *word = line + 5; word != NULL; word = next) {
    next = strchr(word, ' ');
    if (next != NULL) {
      *next++ = '\0';
    }
    take_option(options, word);
  }
  return bar + 3;
}

static int run_request_verb(client_self *me, const struct request *request,
                            char *rest, const mcp_request_options *options) {
  int rc = request->run(me, rest, options);
  in_flight += rc == 0;
  return rc;
}

/* Runs a verb, *rc is what it returned. 1, or 0: there is no such verb. */
static int run_verb(client_self *me, const char *verb, char *rest,
                    const mcp_request_options *options, int *rc) {
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    if (strcmp(verb, requests[i].name) == 0) {
      *rc = run_request_verb(me, &requests[i], rest, options);
      return 1;
    }
  }
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
    if (strcmp(verb, actions[i].name) == 0) {
      *rc = actions[i].run(me, rest);
      return 1;
    }
  }
  return 0;
}

int client_run_command(void *self, char *line) {
  client_self *me = self;
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .request = &me->last_request};
  line = take_options(&options, line);
  char *rest = line + strcspn(line, " ");
  rest += *rest != '\0';
  if (rest > line && rest[-1] == ' ') {
    rest[-1] = '\0';
  }
  if (strcmp(line, "wire") == 0) {
    return client_end_command(rest);
  }
  int rc = 0;
  is_calling = 1;
  int is_known = run_verb(me, line, rest, &options, &rc);
  is_calling = 0;
  if (rc != 0) {
    transcript_saw("%s %s%s%s", line, mcp_error_name(rc),
                   me->why.code == rc ? " " : "",
                   me->why.code == rc ? me->why.message : "");
  }
  return is_known;
}
