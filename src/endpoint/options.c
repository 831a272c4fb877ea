/* SPDX-License-Identifier: MIT */
/* The endpoint's options: copies, with defaults. */
#include "endpoint/options.h"

#include "base/error.h"
#include "base/widen.h"
#include "codec/http_origin.h"
#include "core/transport.h"

static const uint32_t all_wires =
    MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET | MCP_HTTP_SSE;

/* The limit of the mcp-core dialect. */
enum { MAX_HEARTBEAT_MS = 30000 };

/* --- lists of names ----------------------------------------------------- */

static size_t count_names(const char *const *names) {
  size_t count = 0;
  while (names[count] != NULL) {
    count++;
  }
  return count;
}

static void free_string(const mcp_allocator *allocator, const char *string) {
  mcpi_strfree(allocator, (char *)(uintptr_t)string);
}

/* Frees a copy of a list. If copying failed, the entries that were not copied
 * are NULL. `count` is the number of entries of the list. */
static void free_names(const mcp_allocator *allocator, const char *const *names,
                       size_t count) {
  if (names == NULL) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    free_string(allocator, names[i]);
  }
  mcpi_free(allocator, (void *)(uintptr_t)names,
            (count + 1) * sizeof(names[0]));
}

static int copy_names(const mcp_allocator *allocator, const char *const *from,
                      const char *const **to) {
  *to = NULL;
  if (from == NULL) {
    return 0;
  }
  size_t count = count_names(from);
  const char **names = mcpi_calloc(allocator, count + 1, sizeof(names[0]));
  for (size_t i = 0; names != NULL && i < count; i++) {
    names[i] = mcpi_strdup(allocator, from[i]);
    if (names[i] == NULL) {
      free_names(allocator, names, count);
      names = NULL;
    }
  }
  *to = names;
  return names != NULL ? 0 : MCP_ERR_NOMEM;
}

/* --- strings ------------------------------------------------------------ */

#define STRING(member, otherwise)                                              \
  { offsetof(mcp_http_options, member), otherwise }

static const struct {
  size_t offset;
  const char *otherwise; /* the value if the program sets none */
} strings[] = {
    STRING(path, "/mcp"),
    STRING(health_path, "/health"),
    STRING(sse_path, "/sse"),
    STRING(messages_path, "/messages"),
    STRING(host_setting, "allowed_hosts"),
    STRING(origin_setting, "allowed_origins"),
    STRING(path_setting, "path"),
};

enum { STRINGS = sizeof(strings) / sizeof(strings[0]) };

static const char **string_of(mcp_http_options *options, size_t i) {
  return (const char **)(void *)((char *)options + strings[i].offset);
}

/* --- the whole ---------------------------------------------------------- */

static void fill_in(mcp_http_options *options) {
  for (size_t i = 0; i < STRINGS; i++) {
    const char **string = string_of(options, i);
    *string = *string != NULL ? *string : strings[i].otherwise;
  }
  mcpi_default_u32(&options->wires, MCP_HTTP_STREAMABLE);
  mcpi_default_u32(&options->max_sessions, 10000);
  mcpi_default_u32(&options->session_idle_ms, 1800000);
  mcpi_default_u32(&options->session_max_ms, 86400000);
  mcpi_default_u32(&options->initialized_ms, 60000);
  if (options->session_idle_ms > options->session_max_ms) {
    options->session_idle_ms = options->session_max_ms;
  }
  mcpi_default_u32(&options->replay_bytes, 256 * 1024);
  mcpi_default_u32(&options->keepalive_ms, 10000);
  mcpi_default_u32(&options->max_calls, 10000);
  mcpi_default_u32(&options->retry_ms, 1000);
}

static int check_events(const mcp_event_store *given, mcp_error *err) {
  mcp_event_store events;
  if (given == NULL) {
    return 0;
  }
  int rc = mcpi_widen(&events, sizeof(events), given, "mcp_event_store", err);
  if (rc != 0 || (events.append != NULL && events.replay != NULL &&
                  events.forget != NULL)) {
    return rc;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "events: append, replay or forget is NULL");
}

/* Refuses a host that no request can name: it would exclude the clients that it
 * was meant to allow. */
static int check_hosts(const char *const *names, mcp_error *err) {
  for (; names != NULL && *names != NULL; names++) {
    mcpi_header_host host;
    if (strcmp(*names, "*") != 0 &&
        (mcpi_header_host_parse(&host, mcpi_str_z(*names)) != 0 ||
         host.port != -1)) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "allowed_hosts: \"%.100s\" is not a host name, "
                           "such as example.org",
                           *names);
    }
  }
  return 0;
}

static int check_origins(const char *const *origins, mcp_error *err) {
  for (; origins != NULL && *origins != NULL; origins++) {
    mcpi_header_origin origin;
    if (strcmp(*origins, "*") != 0 && strcmp(*origins, "null") != 0 &&
        mcpi_header_origin_parse(&origin, mcpi_str_z(*origins)) != 0) {
      return mcp_error_set(
          err, MCP_ERR_INVALID,
          "allowed_origins: \"%.100s\" is not an origin, such as "
          "https://app.example.org",
          *origins);
    }
  }
  return 0;
}

/* Heartbeats must come before proxies think that the connection is dead. */
static int check_dialect(const mcp_http_options *options, mcp_error *err) {
  int rc = mcpi_dialect_check(options->dialect, err);
  if (rc != 0) {
    return rc;
  }
  if (options->dialect != MCP_DIALECT_MCP &&
      (options->wires & MCP_HTTP_SSE) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "wires: the mcp-core dialect is not spoken over "
                         "HTTP+SSE");
  }
  if (options->dialect != MCP_DIALECT_MCP &&
      options->keepalive_ms >= MAX_HEARTBEAT_MS) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "keepalive_ms: %lu, where the mcp-core dialect wants "
                         "less than %d",
                         (unsigned long)options->keepalive_ms,
                         MAX_HEARTBEAT_MS);
  }
  return 0;
}

static int check_path(const char *name, const char *path, mcp_error *err) {
  return path[0] == '/' ? 0
                        : mcp_error_set(err, MCP_ERR_INVALID,
                                        "%s: \"%.64s\" must begin with a slash",
                                        name, path);
}

/* Refuses two paths that are equal: one of them could never be reached. */
static int check_apart(const mcp_http_options *options, mcp_error *err) {
  const char *sse = options->sse_path;
  const char *messages = options->messages_path;
  int has_endpoint = (options->wires & ~(uint32_t)MCP_HTTP_SSE) != 0;
  if (has_endpoint && strcmp(options->path, options->health_path) == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "path: \"%.64s\" is the path of something else",
                         options->path);
  }
  if ((options->wires & MCP_HTTP_SSE) == 0) {
    return 0;
  }
  if (strcmp(sse, messages) == 0 || strcmp(sse, options->health_path) == 0 ||
      (has_endpoint && strcmp(sse, options->path) == 0)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "sse_path: \"%.64s\" is the path of something else",
                         sse);
  }
  if (strcmp(messages, options->health_path) == 0 ||
      (has_endpoint && strcmp(messages, options->path) == 0)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "messages_path: \"%.64s\" is the path of something "
                         "else",
                         messages);
  }
  return 0;
}

static int check_paths(const mcp_http_options *options, mcp_error *err) {
  int rc = check_path("path", options->path, err);
  if (rc == 0 && options->health_path[0] != '\0') {
    rc = check_path("health_path", options->health_path, err);
  }
  rc = rc == 0 ? check_path("sse_path", options->sse_path, err) : rc;
  rc = rc == 0 ? check_path("messages_path", options->messages_path, err) : rc;
  return rc == 0 ? check_apart(options, err) : rc;
}

static int endpoint_options_check(const mcp_http_options *options,
                                  mcp_error *err) {
  int rc = check_paths(options, err);
  if (rc != 0) {
    return rc;
  }
  if (options->legacy > MCP_HTTP_PLAIN) {
    return mcp_error_set(
        err, MCP_ERR_INVALID,
        "legacy: %lu is not a way to serve the legacy era; use "
        "MCP_HTTP_SESSIONS, MCP_HTTP_STATELESS or MCP_HTTP_PLAIN",
        (unsigned long)options->legacy);
  }
  if ((options->wires & ~all_wires) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "wires: %lu has a bit that names no wire; use "
                         "MCP_HTTP_STREAMABLE, MCP_HTTP_SSE and "
                         "MCP_HTTP_WEBSOCKET",
                         (unsigned long)options->wires);
  }
  rc = check_dialect(options, err);
  rc = rc == 0 ? check_hosts(options->allowed_hosts, err) : rc;
  rc = rc == 0 ? check_origins(options->allowed_origins, err) : rc;
  return rc == 0 ? check_events(options->events, err) : rc;
}

/* Replaces each string and list in *out, which the program owns, by a copy.
 * Goes on after a failure: then each is a copy or NULL, so the caller can free
 * all of them. */
static int copy_parts(const mcp_allocator *allocator, mcp_http_options *out) {
  const mcp_http_options from = *out;
  int rc = 0;
  for (size_t i = 0; i < STRINGS; i++) {
    const char **string = string_of(out, i);
    *string = mcpi_strdup(allocator, *string);
    rc = *string != NULL ? rc : MCP_ERR_NOMEM;
  }
  int hosts = copy_names(allocator, from.allowed_hosts, &out->allowed_hosts);
  int origins =
      copy_names(allocator, from.allowed_origins, &out->allowed_origins);
  return rc != 0 ? rc : hosts != 0 ? hosts : origins;
}

int mcpi_endpoint_copy_options(const mcp_allocator *allocator,
                               const mcp_http_options *options,
                               mcp_http_options *out, mcp_error *err) {
  mcp_http_options wide = {.size = sizeof(mcp_http_options)};
  int rc = 0;
  if (options != NULL) {
    rc = mcpi_widen(&wide, sizeof(wide), options, "mcp_http_options", err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_http_options.reserved2", wide.reserved2, err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_http_options.reserved3", wide.reserved3, err);
  }
  if (rc != 0) {
    return rc;
  }
  fill_in(&wide);
  rc = endpoint_options_check(&wide, err);
  if (rc == 0 && copy_parts(allocator, &wide) != 0) {
    mcpi_endpoint_free_options(allocator, &wide);
    rc = mcpi_no_memory(err);
  }
  if (rc == 0) {
    *out = wide;
  }
  return rc;
}

void mcpi_endpoint_free_options(const mcp_allocator *allocator,
                                mcp_http_options *options) {
  const char *const *hosts = options->allowed_hosts;
  const char *const *origins = options->allowed_origins;
  for (size_t i = 0; i < STRINGS; i++) {
    free_string(allocator, *string_of(options, i));
  }
  free_names(allocator, hosts, hosts != NULL ? count_names(hosts) : 0);
  free_names(allocator, origins, origins != NULL ? count_names(origins) : 0);
}
