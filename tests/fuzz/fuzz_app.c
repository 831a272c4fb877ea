/* SPDX-License-Identifier: MIT */
/* A page or a tool, as a server sends it to a host: one JSON text. The policy
 * always has its eleven directives, and in each of them only what the
 * specification puts there and what the server declared for it. */
#include <mcp/apps.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* The sources that a directive may have without any declaration, and the list
 * that may add more. */
static const struct {
  const char *name;
  const char *always;
  const char *list;
} directives[] = {{"default-src", "'none'", NULL},
                  {"script-src", "'self' 'unsafe-inline'", "resourceDomains"},
                  {"style-src", "'self' 'unsafe-inline'", "resourceDomains"},
                  {"connect-src", "'self' 'none'", "connectDomains"},
                  {"img-src", "'self' data:", "resourceDomains"},
                  {"font-src", "'self' 'none'", "resourceDomains"},
                  {"media-src", "'self' data:", "resourceDomains"},
                  {"frame-src", "'none'", "frameDomains"},
                  {"object-src", "'none'", NULL},
                  {"base-uri", "'self'", "baseUriDomains"},
                  {"form-action", "'none'", NULL}};

enum { DIRECTIVE_COUNT = sizeof(directives) / sizeof(directives[0]) };

/* Whether the word is one of those in `words`. */
static int is_among(const char *word, const char *words) {
  size_t len = strlen(word);
  for (const char *at = words; (at = strstr(at, word)) != NULL; at += len) {
    int begins = at == words || at[-1] == ' ';
    if (begins && (at[len] == ' ' || at[len] == '\0')) {
      return 1;
    }
  }
  return 0;
}

static int is_declared(const mcp_json *needs, const char *list,
                       const char *source) {
  mcp_json_iter iter;
  const mcp_json *item;
  const mcp_json *csp = mcp_json_get(needs, "csp");
  mcp_json_iter_init(&iter, list != NULL ? mcp_json_get(csp, list) : NULL);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *origin = mcp_json_string(item);
    if (origin != NULL && strcmp(origin, source) == 0) {
      return 1;
    }
  }
  return 0;
}

/* A declared source names a scheme and a host: a wildcard stands only before
 * a name. */
static void look_at_declared(const char *source) {
  const char *host = strstr(source, "://");
  check(host != NULL && strpbrk(source, "'\"(),;<> \t\r\n\\") == NULL);
  host += 3;
  host += strncmp(host, "*.", 2) == 0 ? 2 : 0;
  check(strchr(host, '*') == NULL && strchr(host, '/') == NULL);
  check((*host >= '0' && *host <= '9') || (*host >= 'a' && *host <= 'z') ||
        (*host >= 'A' && *host <= 'Z'));
}

/* Cuts the text at the separator, and returns what follows, or NULL. */
static char *cut(char *text, const char *separator) {
  char *found = strstr(text, separator);
  if (found == NULL) {
    return NULL;
  }
  *found = '\0';
  return found + strlen(separator);
}

static void look_at_directive(char *directive, size_t index,
                              const mcp_json *needs) {
  char *source = cut(directive, " ");
  check(strcmp(directive, directives[index].name) == 0);
  check(source != NULL);
  while (source != NULL) {
    char *next = cut(source, " ");
    if (!is_among(source, directives[index].always)) {
      check(is_declared(needs, directives[index].list, source));
      look_at_declared(source);
    }
    source = next;
  }
}

static void look_at_policy(const mcp_json *needs) {
  size_t left_out = SIZE_MAX;
  char *policy = mcp_app_csp(needs, &left_out);
  check(policy != NULL && left_out != SIZE_MAX);
  char *directive = policy;
  for (size_t i = 0; i < DIRECTIVE_COUNT; i++) {
    check(directive != NULL);
    char *next = cut(directive, "; ");
    look_at_directive(directive, i, needs);
    directive = next;
  }
  check(directive == NULL);
  mcp_text_free(policy);
}

static void look_at_tool(const mcp_json *tool) {
  const char *uri = mcp_app_tool_uri(tool);
  check(uri == NULL || strncmp(uri, "ui://", 5) == 0);
  mcp_app_tool_is_for_model(tool);
  mcp_app_tool_is_for_app(tool);
  mcp_app_is_supported(tool, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcp_doc *doc = mcp_doc_parse((const char *)data, len, NULL, NULL, NULL);
  const mcp_json *root = mcp_doc_root(doc);
  const mcp_json *needs = mcp_app_needs(root, NULL);
  look_at_policy(needs);
  look_at_policy(root);
  look_at_tool(root);
  uint32_t permissions = mcp_app_permissions(needs);
  check(permissions < 1 << 4);
  char *allow = mcp_app_allow(permissions);
  check(allow != NULL && (*allow == '\0') == (permissions == 0));
  mcp_text_free(allow);
  mcp_doc_free(doc);
  return 0;
}
