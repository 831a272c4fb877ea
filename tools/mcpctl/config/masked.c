/* SPDX-License-Identifier: MIT */
#include "config/masked.h"
#include "common/find.h"
#include "common/json.h"
#include "config/server.h"
#include "line/target.h"
#include "platform/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mask[] = "***";

int ctl_masked_is_secret(const char *name, size_t len) {
  static const char *const parts[] = {"token",      "key",        "secret",
                                      "password",   "passwd",     "auth",
                                      "credential", "passphrase", "cookie"};
  char *copied = strndup(name, len);
  int is_secret = copied == NULL;
  for (size_t i = 0; copied != NULL && i < sizeof(parts) / sizeof(*parts);
       i++) {
    is_secret |= ctl_find_word(copied, parts[i]) != NULL;
  }
  free(copied);
  return is_secret;
}

int ctl_masked_announces(const char *arg) {
  return arg[0] == '-' && strpbrk(arg, "=:") == NULL &&
         ctl_masked_is_secret(arg, strlen(arg));
}

/* Whether the text is a reference such as ${TOKEN}, which tells nothing. One
 * with a default value, ${TOKEN:-x}, may tell the secret. */
static int is_reference(const char *text) {
  size_t end = strcspn(text, "}");
  return strncmp(text, "${", 2) == 0 && text[end] == '}' &&
         text[end + 1] == '\0' && strstr(text, ":-") == NULL;
}

/* "--token=x" and "Authorization: x" have their secret in themselves. */
char *ctl_masked_arg(const char *arg, int is_after_name) {
  size_t name_len = strcspn(arg, "=: ");
  char *shown = NULL;
  if (is_reference(arg)) {
    return strdup(arg);
  }
  if (is_after_name) {
    return strdup(mask);
  }
  if (strstr(arg, "://") != NULL) {
    return ctl_target_shown(arg);
  }
  if (arg[name_len] == '\0' || is_reference(arg + name_len + 1) ||
      !ctl_masked_is_secret(arg, name_len)) {
    return strdup(arg);
  }
  int len =
      asprintf(&shown, "%.*s%c%s", (int)name_len, arg, arg[name_len], mask);
  return len >= 0 ? shown : NULL;
}

static void put_command(FILE *out, const mcp_json *entry) {
  const char *command = ctl_json_member(entry, "command");
  const mcp_json *args = mcp_json_get(entry, "args");
  mcp_json_iter iter;
  const mcp_json *arg;
  int is_secret = 0;
  fputs(command != NULL ? command : "(neither command nor url)", out);
  mcp_json_iter_init(&iter, args);
  while ((arg = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *text = mcp_json_string(arg);
    if (text != NULL) {
      char *shown = ctl_masked_arg(text, is_secret);
      fprintf(out, " %s", shown != NULL ? shown : mask);
      is_secret = ctl_masked_announces(text);
      free(shown);
    }
  }
}

char *ctl_masked_target(const ctl_named *named) {
  const char *url = ctl_server_url(named);
  char *text = NULL;
  size_t len = 0;
  if (url != NULL) {
    return ctl_target_shown(url);
  }
  FILE *out = ctl_memory_open(&text, &len);
  if (out == NULL) {
    return NULL;
  }
  put_command(out, named->entry);
  if (ctl_memory_close(out, &text, &len) != 0) {
    free(text);
    return NULL;
  }
  return text;
}
