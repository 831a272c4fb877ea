/* SPDX-License-Identifier: MIT */
#include "doctor/judge.h"
#include "common/copy.h"
#include "common/find.h"
#include "common/json.h"
#include "platform/clock.h"

#include <ctype.h>
#include <mcp/schema.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { LEAST_SESSION_ID = 16 };

/* ---- names and URIs ---------------------------------------------------- */

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";

static int is_made_of(const char *name, size_t len, size_t letter_count) {
  for (size_t i = 0; i < len; i++) {
    if (memchr(letters, name[i], letter_count) == NULL) {
      return 0;
    }
  }
  return 1;
}

int ctl_doctor_is_tool_name(const char *name, size_t len) {
  return len >= 1 && len <= 128 && is_made_of(name, len, sizeof(letters) - 1);
}

int ctl_doctor_is_host_name(const char *name, size_t len) {
  return len >= 1 && len <= 64 && is_made_of(name, len, sizeof(letters) - 2);
}

int ctl_doctor_is_uri(const char *text) {
  size_t len = 0;
  while (isalnum((unsigned char)text[len]) ||
         (len > 0 && text[len] != '\0' && strchr("+-.", text[len]) != NULL)) {
    len++;
  }
  return len > 0 && isalpha((unsigned char)text[0]) && text[len] == ':' &&
         strcspn(text, " \t\r\n") == strlen(text);
}

/* The schema engine knows the format. */
int ctl_doctor_is_template(const mcp_json *value) {
  static const char schema[] = "{\"format\":\"uri-template\"}";
  const mcp_validator_options options = {.size = sizeof(options),
                                         .assert_formats = 1};
  mcp_doc *doc = mcp_doc_parse(schema, strlen(schema), NULL, NULL, NULL);
  mcp_validator *validator =
      mcp_validator_new(mcp_doc_root(doc), &options, NULL);
  int is_valid = validator == NULL || mcp_validator_accepts(validator, value);
  mcp_validator_unref(validator);
  mcp_doc_free(doc);
  return is_valid;
}

/* ---- tools and resources ----------------------------------------------- */

static int is_flag_or_absent(const mcp_json *value) {
  return value == NULL || mcp_json_type(value) == MCP_JSON_BOOL;
}

int ctl_doctor_are_annotations(const mcp_json *annotations) {
  static const char *const hints[] = {"readOnlyHint", "destructiveHint",
                                      "idempotentHint", "openWorldHint"};
  const mcp_json *title = mcp_json_get(annotations, "title");
  if (annotations == NULL) {
    return 1;
  }
  for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
    if (!is_flag_or_absent(mcp_json_get(annotations, hints[i]))) {
      return 0;
    }
  }
  return mcp_json_type(annotations) == MCP_JSON_OBJECT &&
         (title == NULL || mcp_json_string(title) != NULL);
}

static int is_base64(const mcp_json *value) {
  size_t len = 0;
  const char *text = mcp_json_string_n(value, &len);
  if (text == NULL || len % 4 != 0) {
    return 0;
  }
  size_t pad = len > 0 && text[len - 1] == '=';
  pad += len > 1 && pad == 1 && text[len - 2] == '=';
  for (size_t i = 0; i < len - pad; i++) {
    if (strchr("+/", text[i]) == NULL &&
        memchr(letters, text[i], sizeof(letters) - 4) == NULL) {
      return 0;
    }
  }
  return 1;
}

/* A text may contain NUL. */
static int has_text(const mcp_json *object) {
  return mcp_json_type(mcp_json_get(object, "text")) == MCP_JSON_STRING;
}

const char *ctl_doctor_contents_fault(const mcp_json *contents) {
  const mcp_json *blob = mcp_json_get(contents, "blob");
  if (ctl_json_member(contents, "uri") == NULL) {
    return "it has no uri";
  }
  if (blob == NULL && !has_text(contents)) {
    return "it has neither a text nor a blob";
  }
  return blob != NULL && !is_base64(blob) ? "its blob is not base64" : NULL;
}

const char *ctl_doctor_block_fault(const mcp_json *block) {
  const char *type = ctl_json_member(block, "type");
  if (type == NULL) {
    return "it has no type";
  }
  if (strcmp(type, "text") == 0) {
    return has_text(block) ? NULL : "it has no text";
  }
  if (strcmp(type, "image") == 0 || strcmp(type, "audio") == 0) {
    return ctl_json_member(block, "mimeType") == NULL ? "it has no mimeType"
           : !is_base64(mcp_json_get(block, "data"))  ? "its data is not base64"
                                                      : NULL;
  }
  if (strcmp(type, "resource") == 0) {
    return ctl_doctor_contents_fault(mcp_json_get(block, "resource"));
  }
  if (strcmp(type, "resource_link") == 0) {
    return ctl_json_member(block, "uri") == NULL    ? "it has no uri"
           : ctl_json_member(block, "name") == NULL ? "it has no name"
                                                    : NULL;
  }
  return "its type is not known";
}

/* ---- HTTP -------------------------------------------------------------- */

int ctl_doctor_is_loopback(const char *url) {
  static const char *const hosts[] = {"localhost", "127.", "[::1]"};
  const char *host = strstr(url, "://");
  host = host != NULL ? host + 3 : url;
  const char *at = ctl_find_last(host, '@', strcspn(host, "/?#"));
  host = at != NULL ? at + 1 : host;
  for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
    size_t len = strlen(hosts[i]);
    if (strncasecmp(host, hosts[i], len) == 0 &&
        (hosts[i][len - 1] == '.' || strchr(":/?#", host[len]) != NULL)) {
      return 1;
    }
  }
  return 0;
}

char *ctl_doctor_metadata_url(const char *challenge) {
  static const char name[] = "resource_metadata=";
  const char *found = ctl_find_word(challenge, name);
  if (found == NULL) {
    return NULL;
  }
  found += strlen(name);
  int is_quoted = *found == '"';
  found += is_quoted;
  return ctl_copy(found, strcspn(found, is_quoted ? "\"" : ", \t"));
}

int ctl_doctor_is_guessable(const char *one, const char *other) {
  size_t len = strlen(one);
  size_t differences = 0;
  if (len < LEAST_SESSION_ID || strlen(other) < LEAST_SESSION_ID) {
    return 1;
  }
  if (len != strlen(other)) {
    return 0;
  }
  for (size_t i = 0; i < len; i++) {
    differences += one[i] != other[i];
  }
  return differences <= 3;
}

/* Reads the date of RFC 9110, as in "Sun, 06 Nov 1994 08:49:37 GMT". */
static int read_date(const char *date, struct tm *parts) {
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  char month[4];
  int len = 0;
  int count = sscanf(date, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n",
                     &parts->tm_mday, month, &parts->tm_year, &parts->tm_hour,
                     &parts->tm_min, &parts->tm_sec, &len);
  const char *found = count == 6 ? strstr(months, month) : NULL;
  if (found == NULL || len == 0 || (found - months) % 3 != 0) {
    return -1;
  }
  parts->tm_mon = (int)(found - months) / 3;
  parts->tm_year -= 1900;
  return 0;
}

int64_t ctl_doctor_clock_gap(const char *date, int64_t now) {
  struct tm then = {0};
  return read_date(date, &then) == 0 ? (int64_t)ctl_time_of_utc(&then) - now
                                     : INT64_MIN;
}
