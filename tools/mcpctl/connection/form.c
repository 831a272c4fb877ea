/* SPDX-License-Identifier: MIT */
/* Answers a question with a form (MCP, Elicitation).
 *
 * The answers given by --answer come first. If they and the form's defaults
 * complete the form, it is sent without asking. Otherwise the user is asked on
 * the terminal for each missing field. A form for which the user gave no answer
 * at all is never sent without asking, even if all of its fields are optional:
 * the user has not consented. */
#include "common/json.h"
#include "common/members.h"
#include "common/report.h"
#include "common/term.h"
#include "connection/answer.h"
#include "connection/ask.h"
#include "connection/field.h"
#include "connection/tty.h"
#include "schema/schema.h"

#include <stdlib.h>
#include <string.h>

typedef struct ctl_field {
  const char *name;
  const mcp_json *schema;
  int is_required;
  char *value; /* JSON text, owned; NULL: there is none yet */
} ctl_field;

typedef struct ctl_form {
  ctl_session *session;
  mcp_question *question;
  ctl_field *fields;
  size_t count;
  int is_answered; /* some --answer is for this form */
} ctl_form;

/* ---- its fields -------------------------------------------------------- */

static void read_fields(ctl_form *form, const mcp_json *schema) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *property = NULL;
  mcp_json_iter_init(&iter, mcp_json_get(schema, "properties"));
  while ((property = mcp_json_iter_next(&iter, &name)) != NULL) {
    const char *text = mcp_json_string(name);
    if (text != NULL) {
      ctl_field *field = &form->fields[form->count++];
      field->schema = property;
      field->name = text;
      field->is_required = ctl_schema_requires(schema, text);
    }
  }
}

static int form_init(ctl_form *form, ctl_session *session,
                     mcp_question *question) {
  const mcp_json *params = mcp_question_params(question);
  const mcp_json *schema = mcp_json_get(params, "requestedSchema");
  size_t size = mcp_json_size(mcp_json_get(schema, "properties"));
  *form = (ctl_form){.session = session, .question = question};
  form->fields = calloc(size + 1, sizeof(*form->fields));
  if (form->fields == NULL) {
    return MCP_ERR_NOMEM;
  }
  read_fields(form, schema);
  return 0;
}

static void forget_values(ctl_form *form) {
  for (size_t i = 0; i < form->count; i++) {
    free(form->fields[i].value);
    form->fields[i].value = NULL;
  }
}

static void form_deinit(ctl_form *form) {
  forget_values(form);
  free(form->fields);
}

static int use_default(ctl_field *field) {
  const mcp_json *value = mcp_json_get(field->schema, "default");
  if (value == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  field->value = ctl_json_text(value);
  return field->value != NULL ? 0 : MCP_ERR_NOMEM;
}

/* ---- --answer ---------------------------------------------------------- */

static int take_answer(ctl_form *form, ctl_field *field, mcp_error *err) {
  int is_json = 0;
  const char *text =
      ctl_answer_find(form->session->options, field->name, &is_json);
  if (text == NULL) {
    return 0;
  }
  form->is_answered = 1;
  if (!is_json) {
    return ctl_field_parse(field->schema, text, &field->value, err);
  }
  field->value = strdup(text);
  return field->value != NULL ? 0 : MCP_ERR_NOMEM;
}

/* Takes every --answer for the form, so that all of them count as used. On
 * failure *wrong is the first field whose answer is not valid. */
static int take_answers(ctl_form *form, const ctl_field **wrong,
                        mcp_error *err) {
  int action = ctl_answer_action(form->session->options);
  int error = 0;
  form->is_answered = action == CTL_ACTION_ACCEPT;
  for (size_t i = 0; i < form->count; i++) {
    mcp_error why = {0};
    int status = take_answer(form, &form->fields[i], &why);
    if (status != 0 && error == 0) {
      *wrong = &form->fields[i];
      *err = why;
      error = status;
    }
  }
  return error;
}

/* The first field that the user must be asked for; NULL: the form is
 * complete. */
static const ctl_field *find_missing(const ctl_form *form) {
  for (size_t i = 0; i < form->count; i++) {
    const ctl_field *field = &form->fields[i];
    int has_default = mcp_json_get(field->schema, "default") != NULL;
    if (field->value == NULL && field->is_required && !has_default) {
      return field;
    }
  }
  return form->is_answered || form->count == 0 ? NULL : form->fields;
}

/* ---- sending ----------------------------------------------------------- */

static void form_put_values(mcp_builder *builder, const ctl_form *form) {
  mcp_builder_object(builder, NULL);
  for (size_t i = 0; i < form->count; i++) {
    if (form->fields[i].value != NULL) {
      mcp_builder_json(builder, form->fields[i].name, form->fields[i].value);
    }
  }
  mcp_builder_end(builder);
}

/* Returns 0 when the question is answered, else why it is still open. */
static int send_form(ctl_form *form, mcp_error *err) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  form_put_values(builder, form);
  const char *content = mcp_builder_text(builder, NULL);
  int error = content != NULL
                  ? mcp_question_accept(form->question, content, err)
                  : mcp_error_set(err, MCP_ERR_SCHEMA, "%s",
                                  mcp_builder_error(builder)->message);
  mcp_builder_free(builder);
  /* After any other error the question is gone. */
  return error == MCP_ERR_SCHEMA || error == MCP_ERR_NOMEM ? error : 0;
}

/* ---- on the terminal --------------------------------------------------- */

static void form_put_line(ctl_tty *tty, const char *before, const char *text) {
  if (text != NULL) {
    fputs(before, tty->out);
    ctl_tty_put(tty, CTL_PLAIN, text);
    fputc('\n', tty->out);
  }
}

static void put_field(ctl_tty *tty, const ctl_field *field) {
  const char *title = ctl_json_member(field->schema, "title");
  const mcp_json *value = mcp_json_get(field->schema, "default");
  char *json = value != NULL ? ctl_json_text(value) : NULL;
  fputs("\n  ", tty->out);
  ctl_tty_put(tty, CTL_BOLD, title != NULL ? title : field->name);
  fputs(field->is_required ? ", required: " : ", optional: ", tty->out);
  ctl_field_put_kind(tty->out, field->schema);
  fputc('\n', tty->out);
  form_put_line(tty, "    ", ctl_json_member(field->schema, "description"));
  form_put_line(tty, "    Enter alone means ", json);
  free(json);
}

/* Returns 0 when the field has a value or needs none, -1 when the user cancels
 * the question. */
static int ask_field(ctl_tty *tty, ctl_field *field) {
  char line[CTL_TTY_LINE];
  put_field(tty, field);
  while (ctl_tty_read(tty, "  > ", line) == 0) {
    mcp_error err = {0};
    if (line[0] == '\0' && (use_default(field) == 0 || !field->is_required)) {
      return 0;
    }
    if (line[0] == '\0') {
      form_put_line(tty, "  ",
                    "This field is required; Ctrl-D cancels the form.");
    } else if (ctl_field_parse(field->schema, line, &field->value, &err) == 0) {
      return 0;
    } else {
      form_put_line(tty, "  ", err.message);
    }
  }
  return -1;
}

static int ask_fields(ctl_tty *tty, ctl_form *form) {
  for (size_t i = 0; i < form->count; i++) {
    ctl_field *field = &form->fields[i];
    if (field->value == NULL && ask_field(tty, field) != 0) {
      return -1;
    }
  }
  return 0;
}

enum { SEND_YES, SEND_EDIT, SEND_DECLINE };

/* Asks for each missing field, and whether to send the form. Returns the action
 * that the user chose; CTL_ACTION_NONE: ask again. */
static int ask_once(ctl_tty *tty, ctl_form *form) {
  static const char *const words[] = {"yes", "edit", "decline", NULL};
  mcp_error err = {0};
  if (ask_fields(tty, form) != 0) {
    return CTL_ACTION_CANCEL;
  }
  switch (ctl_tty_choose(tty, "\nSend this? (yes/edit/decline) ", words)) {
  case SEND_YES:
    if (send_form(form, &err) == 0) {
      return CTL_ACTION_ACCEPT;
    }
    form_put_line(tty, "", err.message);
    break;
  case SEND_EDIT:
    break;
  case SEND_DECLINE:
    return CTL_ACTION_DECLINE;
  default:
    return CTL_ACTION_CANCEL;
  }
  forget_values(form);
  return CTL_ACTION_NONE;
}

static void form_ask_on_terminal(ctl_tty *tty, ctl_form *form) {
  const mcp_json *params = mcp_question_params(form->question);
  int action = CTL_ACTION_NONE;
  ctl_tty_put(tty, CTL_BOLD, ctl_session_server_name(form->session));
  form_put_line(tty, " asks: ", ctl_json_member(params, "message"));
  while (action == CTL_ACTION_NONE) {
    action = ask_once(tty, form);
  }
  if (action != CTL_ACTION_ACCEPT) {
    ctl_answer_refuse(form->question, action);
  }
}

/* ---- either ------------------------------------------------------------ */

/* Whether the JSON pointer at the beginning of a complaint leads to the field
 * or into it. */
static int is_about(const char *complaint, const ctl_field *field) {
  char *pointer = ctl_members_path("", field->name);
  size_t len = pointer != NULL ? strlen(pointer) : 0;
  int begins = pointer != NULL && strncmp(complaint, pointer, len) == 0 &&
               (complaint[len] == ':' || complaint[len] == '/');
  free(pointer);
  return begins;
}

/* The field that an error is about; NULL: none of them. */
static const ctl_field *find_wrong(const ctl_form *form,
                                   const char *complaint) {
  for (size_t i = 0; i < form->count; i++) {
    if (is_about(complaint, &form->fields[i])) {
      return &form->fields[i];
    }
  }
  return NULL;
}

/* Returns 0 when the question is answered. Otherwise *open is the field without
 * a valid answer, or NULL. */
static int fill_in(ctl_form *form, const ctl_field **open, mcp_error *err) {
  ctl_tty tty;
  int error = take_answers(form, open, err);
  if (error != 0) {
    return error;
  }
  *open = find_missing(form);
  if (*open == NULL) {
    error = send_form(form, err);
    *open = error != 0 ? find_wrong(form, err->message) : NULL;
    return error;
  }
  if (ctl_tty_open(&tty, form->session, form->question) != 0) {
    return MCP_ERR_UNANSWERED;
  }
  form_ask_on_terminal(&tty, form);
  ctl_tty_close(&tty);
  return 0;
}

static void answer_form(ctl_form *form) {
  mcp_error err = {0};
  const ctl_field *open = NULL;
  if (fill_in(form, &open, &err) != 0) {
    ctl_answer_none(form->session, form->question,
                    open != NULL ? open->name : "action",
                    err.message[0] != '\0' ? err.message : NULL);
  }
}

void ctl_ask_form(ctl_session *session, mcp_question *question) {
  int action = ctl_answer_action(session->options);
  ctl_form form;
  if (action == CTL_ACTION_DECLINE || action == CTL_ACTION_CANCEL) {
    ctl_answer_refuse(question, action);
  } else if (form_init(&form, session, question) == 0) {
    answer_form(&form);
    form_deinit(&form);
  } else {
    ctl_answer_none(session, question, "action", "out of memory");
  }
}
