/* SPDX-License-Identifier: MIT */
/* The options of mcp_main itself. */
#include "main/options.h"

#include "base/widen.h"
#include "core/log_level.h"
#include "core/transport.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

MCP_PRINTF(3, 4)
static int settings_refuse(const mcpi_main_settings *settings,
                           const char *option, const char *format, ...) {
  va_list args;
  fprintf(stderr, "%s: --%s: ", settings->program, option);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  return -1;
}

/* --- single values ------------------------------------------------------- */

static int on_log_level(const mcp_main_option *option, const char *value,
                        void *userdata) {
  mcpi_main_settings *settings = userdata;
  int level = mcpi_log_level_find(mcpi_str_z(value));
  if (level != 0) {
    settings->log_level = level;
    return 0;
  }
  return settings_refuse(
      settings, option->name,
      "\"%s\" is not a level; use debug, info, notice, warning, "
      "error, critical, alert or emergency",
      value);
}

static int on_drain_ms(const mcp_main_option *option, const char *value,
                       void *userdata) {
  mcpi_main_settings *settings = userdata;
  char *end = NULL;
  errno = 0;
  unsigned long number = strtoul(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
      number > INT32_MAX) {
    return settings_refuse(settings, option->name,
                           "\"%s\" is not a number of milliseconds", value);
  }
  settings->drain_ms = (uint32_t)number;
  return 0;
}

static int on_threads(const mcp_main_option *option, const char *value,
                      void *userdata) {
  mcpi_main_settings *settings = userdata;
  char *end = NULL;
  unsigned long number = strtoul(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end != '\0' || number < 1 ||
      number > 64) {
    return settings_refuse(settings, option->name,
                           "\"%s\" is not a number from 1 to 64", value);
  }
  settings->listen.threads = (uint32_t)number;
  return 0;
}

static int on_socket_mode(const mcp_main_option *option, const char *value,
                          void *userdata) {
  mcpi_main_settings *settings = userdata;
  char *end = NULL;
  unsigned long mode = strtoul(value, &end, 8);
  if (value[0] < '0' || value[0] > '7' || *end != '\0' || mode == 0 ||
      mode > 0777) {
    return settings_refuse(settings, option->name,
                           "\"%s\" is not a mode in octal digits, such as 660",
                           value);
  }
  settings->listen.socket_mode = (uint32_t)mode;
  settings->socket.socket_mode = (uint32_t)mode;
  return 0;
}

static int on_flag(const mcp_main_option *option, const char *value,
                   void *userdata) {
  (void)option;
  int *flag = userdata;
  (void)value;
  *flag = 1;
  return 0;
}

/* --- addresses ----------------------------------------------------------- */

/* The transports of HTTP share an address that is given for each of them. */
static int settings_share(mcpi_main_settings *settings,
                          const mcpi_main_address *added) {
  for (size_t i = 0; i < settings->address_count; i++) {
    mcpi_main_address *known = &settings->addresses[i];
    if (known->wires != 0 && added->wires != 0 &&
        (known->wires & added->wires) == 0 &&
        strcmp(known->text, added->text) == 0) {
      known->wires |= added->wires;
      return 1;
    }
  }
  return 0;
}

/* Kept in the form of the socket: the same address has one form, however it is
 * written. */
static int add_address(mcpi_main_settings *settings, const char *option,
                       const char *value, uint32_t wires) {
  mcpi_main_address added = {.wires = wires};
  mcpi_address address;
  mcp_error err;
  if (mcpi_address_parse(&address, value, &err) != 0) {
    return settings_refuse(settings, option, "%s", err.message);
  }
  mcpi_address_format(&address, added.text);
  if (settings_share(settings, &added)) {
    return 0;
  }
  if (settings->address_count == MCPI_MAIN_ADDRESSES_MAX) {
    return settings_refuse(settings, option, "more than %d addresses",
                           MCPI_MAIN_ADDRESSES_MAX);
  }
  settings->addresses[settings->address_count++] = added;
  return 0;
}

static int on_http(const mcp_main_option *option, const char *value,
                   void *userdata) {
  return add_address(userdata, option->name, value, MCP_HTTP_STREAMABLE);
}

static int on_sse(const mcp_main_option *option, const char *value,
                  void *userdata) {
  return add_address(userdata, option->name, value, MCP_HTTP_SSE);
}

static int on_ws(const mcp_main_option *option, const char *value,
                 void *userdata) {
  return add_address(userdata, option->name, value, MCP_HTTP_WEBSOCKET);
}

static const char *skip_unix(const char *value) {
  return strncmp(value, "unix:", 5) == 0 ? value + 5 : NULL;
}

static int on_tcp(const mcp_main_option *option, const char *value,
                  void *userdata) {
  if (skip_unix(value) != NULL) {
    return settings_refuse(userdata, option->name,
                           "\"%s\" is not HOST:PORT; see --unix PATH", value);
  }
  return add_address(userdata, option->name, value, 0);
}

/* One that is too long is still so when it is cut. */
static int on_unix(const mcp_main_option *option, const char *value,
                   void *userdata) {
  char text[MCPI_ADDRESS_TEXT + 1];
  const char *path = skip_unix(value);
  snprintf(text, sizeof(text), "unix:%s", path != NULL ? path : value);
  return add_address(userdata, option->name, text, 0);
}

/* --- names --------------------------------------------------------------- */

static int on_string(const mcp_main_option *option, const char *value,
                     void *userdata) {
  (void)option;
  const char **string = userdata;
  *string = value;
  return 0;
}

static int on_era(const mcp_main_option *option, const char *value,
                  void *userdata) {
  mcpi_main_settings *settings = userdata;
  if (strcmp(value, "both") == 0) {
    settings->eras = MCP_ERA_BOTH;
  } else if (strcmp(value, "legacy") == 0) {
    settings->eras = MCP_ERA_LEGACY;
  } else if (strcmp(value, "modern") == 0) {
    settings->eras = MCP_ERA_MODERN;
  } else {
    return settings_refuse(settings, option->name,
                           "\"%s\" is not an era; use both, legacy or modern",
                           value);
  }
  return 0;
}

static int on_dialect(const mcp_main_option *option, const char *value,
                      void *userdata) {
  mcpi_main_settings *settings = userdata;
  mcp_error why;
  if (strcmp(value, "mcp") == 0) {
    settings->dialect = MCP_DIALECT_MCP;
  } else if (strcmp(value, "mcp-core") == 0) {
    settings->dialect = MCP_DIALECT_MCP_CORE;
  } else {
    return settings_refuse(settings, option->name,
                           "\"%s\" is not a dialect; use mcp or mcp-core",
                           value);
  }
  if (mcpi_dialect_check(settings->dialect, &why) != 0) {
    return settings_refuse(settings, option->name, "%s", why.message);
  }
  return 0;
}

static int settings_on_legacy(const mcp_main_option *option, const char *value,
                              void *userdata) {
  mcpi_main_settings *settings = userdata;
  settings->has_legacy = 1;
  if (strcmp(value, "sessions") == 0) {
    settings->http.legacy = MCP_HTTP_SESSIONS;
  } else if (strcmp(value, "stateless") == 0) {
    settings->http.legacy = MCP_HTTP_STATELESS;
  } else if (strcmp(value, "plain") == 0) {
    settings->http.legacy = MCP_HTTP_PLAIN;
  } else {
    return settings_refuse(
        settings, option->name,
        "\"%s\" is not a mode; use sessions, stateless or plain", value);
  }
  return 0;
}

/* --- lists --------------------------------------------------------------- */

static int settings_add_name(const mcpi_main_settings *settings,
                             mcpi_main_names *names, const char *option,
                             const char *value) {
  if (names->count == MCPI_MAIN_NAMES_MAX) {
    return settings_refuse(settings, option, "more than %d of them",
                           MCPI_MAIN_NAMES_MAX);
  }
  names->list[names->count++] = value;
  return 0;
}

static int on_allow_host(const mcp_main_option *option, const char *value,
                         void *userdata) {
  mcpi_main_settings *settings = userdata;
  settings->http.allowed_hosts = settings->hosts.list;
  return settings_add_name(settings, &settings->hosts, option->name, value);
}

static int on_allow_origin(const mcp_main_option *option, const char *value,
                           void *userdata) {
  mcpi_main_settings *settings = userdata;
  settings->http.allowed_origins = settings->origins.list;
  return settings_add_name(settings, &settings->origins, option->name, value);
}

static int on_auth_issuer(const mcp_main_option *option, const char *value,
                          void *userdata) {
  mcpi_main_settings *settings = userdata;
  return settings_add_name(settings, &settings->protection.issuers,
                           option->name, value);
}

static int on_auth_audience(const mcp_main_option *option, const char *value,
                            void *userdata) {
  mcpi_main_settings *settings = userdata;
  return settings_add_name(settings, &settings->protection.audiences,
                           option->name, value);
}

/* --- all of them --------------------------------------------------------- */

/* An option, and the member of the settings that its function gets as
 * userdata. */
typedef struct own_option {
  mcp_main_option option;
  size_t at;
  uint32_t transports; /* it belongs to any of these; 0: to all */
} own_option;

#define OWN(name, value, text, on_value, member, transports)                   \
  {                                                                            \
    {name, value, text, on_value, NULL, {NULL}},                               \
        offsetof(mcpi_main_settings, member), transports                       \
  }
/* Its function gets the settings. */
#define ALL(name, value, text, on_value, transports)                           \
  { {name, value, text, on_value, NULL, {NULL}}, 0, transports }

static const own_option own_options[] = {
    OWN("stdio", NULL,
        "serve standard input and output (the default without an address); the "
        "end of input ends the program",
        on_flag, wants_stdio, MCP_MAIN_STDIO),
    ALL("http", "HOST:PORT",
        "serve HTTP at this address (port 0: any free port), or at unix:PATH",
        on_http, MCP_MAIN_HTTP),
    ALL("sse", "HOST:PORT",
        "serve HTTP+SSE, for clients of 2024-11-05, at this address or at "
        "unix:PATH",
        on_sse, MCP_MAIN_HTTP),
    ALL("ws", "HOST:PORT",
        "serve WebSockets at this address or at unix:PATH; it may be the "
        "address of --http",
        on_ws, MCP_MAIN_HTTP),
    ALL("tcp", "HOST:PORT",
        "serve messages as lines at this address (port 0: any free port)",
        on_tcp, MCP_MAIN_TCP),
    ALL("unix", "PATH", "serve messages as lines at this Unix socket", on_unix,
        MCP_MAIN_UNIX),
    ALL("socket-mode", "MODE",
        "permissions of Unix sockets, such as 660 (default 600: only their "
        "owner)",
        on_socket_mode, MCP_MAIN_HTTP | MCP_MAIN_UNIX),
    OWN("path", "PATH", "where the HTTP endpoint is (default /mcp)", on_string,
        http.path, MCP_MAIN_HTTP),
    ALL("legacy", "HOW",
        "serve the legacy era over HTTP with sessions (default), stateless "
        "(each request alone), or plain (stateless, with only POST and JSON)",
        settings_on_legacy, MCP_MAIN_HTTP),
    ALL("allow-host", "NAME",
        "serve requests to this host name too (default: loopback names; *: "
        "any)",
        on_allow_host, MCP_MAIN_HTTP),
    ALL("allow-origin", "ORIGIN",
        "serve web pages of this origin too (default: loopback; *: any)",
        on_allow_origin, MCP_MAIN_HTTP),
    ALL("threads", "N",
        "serve HTTP on N threads (1 to 64); only for programs whose handlers "
        "may run on several threads at once",
        on_threads, MCP_MAIN_HTTP),
    OWN("tls-cert", "FILE", "speak TLS with this certificate (PEM)", on_string,
        listen.tls_cert, MCP_MAIN_HTTP),
    OWN("tls-key", "FILE", "the certificate's key (PEM)", on_string,
        listen.tls_key, MCP_MAIN_HTTP),
    OWN("tls-client-ca", "FILE",
        "serve only clients with a certificate of these authorities (PEM)",
        on_string, listen.tls_client_ca, MCP_MAIN_HTTP),
    ALL("auth-issuer", "URL",
        "serve HTTP only to clients with an access token of this authorization "
        "server; may be repeated",
        on_auth_issuer, MCP_MAIN_HTTP),
    ALL("auth-audience", "NAME",
        "accept tokens whose aud is this (default: the server's URL); may be "
        "repeated",
        on_auth_audience, MCP_MAIN_HTTP),
    OWN("auth-scopes", "SCOPES",
        "the scopes that every request needs, such as \"files:read mail\"",
        on_string, protection.scopes, MCP_MAIN_HTTP),
    OWN("auth-resource", "URL",
        "the server's URL as its clients know it; needed with --allow-host",
        on_string, protection.resource, MCP_MAIN_HTTP),
    OWN("auth-jwks-uri", "URL",
        "where the issuer's keys are (default: its metadata say so)", on_string,
        protection.jwks_uri, MCP_MAIN_HTTP),
    OWN("auth-token-file", "FILE",
        "accept the tokens in this file, each on a line: TOKEN [CLIENT "
        "[SCOPE...]]",
        on_string, protection.token_file, MCP_MAIN_HTTP),
    OWN("auth-introspection", "URL",
        "ask there about tokens that are not JWTs (RFC 7662)", on_string,
        protection.introspection, MCP_MAIN_HTTP),
    OWN("auth-client-id", "ID", "the server's id at --auth-introspection",
        on_string, protection.client_id, MCP_MAIN_HTTP),
    OWN("auth-client-secret-env", "VARIABLE",
        "the environment variable that holds the secret of --auth-client-id",
        on_string, protection.secret_env, MCP_MAIN_HTTP),
    ALL("dialect", "NAME",
        "speak mcp (default), or mcp-core, a JSON protocol for calling tools "
        "that is not MCP (see docs/TRANSPORTS.md)",
        on_dialect, 0),
    ALL("era", "ERA",
        "serve both eras of the protocol (default), or only legacy or modern",
        on_era, 0),
    ALL("drain-ms", "N",
        "at the end, wait up to N milliseconds for calls in flight (default "
        "1000)",
        on_drain_ms, 0),
    ALL("log-level", "LEVEL",
        "the least severity to log: debug, info, notice, warning (default), "
        "error, critical, alert, emergency",
        on_log_level, 0),
    OWN("log-file", "FILE",
        "append the log to a file (default: standard error)", on_string,
        log_file, 0),
    OWN("trace", NULL, "log every message, without secrets", on_flag,
        wants_trace, 0),
    OWN("version", NULL, "print the version and exit", on_flag, wants_version,
        0),
    OWN("help", NULL, "print this text and exit", on_flag, wants_help, 0),
};

_Static_assert(sizeof(own_options) / sizeof(own_options[0]) ==
                   MCPI_MAIN_OWN_COUNT,
               "");

static void settings_set_defaults(mcpi_main_settings *settings,
                                  const char *program) {
  *settings = (mcpi_main_settings){
      .program = program,
      .drain_ms = 1000,
      .log_level = MCP_LOG_WARNING,
      .given = {.listen = {.size = sizeof(mcp_http_listen_options)},
                .endpoint = {.size = sizeof(mcp_http_options)},
                .protect = {.size = sizeof(mcp_protect_options)}},
      .socket = {.size = sizeof(mcp_socket_listen_options),
                 .stream = &settings->stream},
      .stream = {.size = sizeof(mcp_stream_options)}};
}

void mcpi_main_own_options(mcp_main_option *out, mcpi_main_settings *settings,
                           const char *program) {
  settings_set_defaults(settings, program);
  mcpi_main_offer(out, settings, 0);
}

size_t mcpi_main_offer(mcp_main_option *out, mcpi_main_settings *settings,
                       uint32_t transports) {
  size_t offered = 0;
  size_t withheld = MCPI_MAIN_OWN_COUNT;
  settings->transports = transports != 0 ? transports : MCPI_MAIN_ALL;
  for (size_t i = 0; i < MCPI_MAIN_OWN_COUNT; i++) {
    const own_option *own = &own_options[i];
    int is_offered =
        own->transports == 0 || (own->transports & settings->transports) != 0;
    mcp_main_option *at = is_offered ? &out[offered++] : &out[--withheld];
    *at = own->option;
    at->userdata = (char *)settings + own->at;
  }
  return offered;
}

/* --- what the program states of HTTP ------------------------------------- */

/* What says where and how to serve is the command line's alone. */
static int check_given(const mcpi_main_http *given, mcp_error *err) {
  const struct {
    const char *member;
    int is_set;
    const char *options;
  } members[] = {
      {"address", given->listen.address != NULL,
       "--http, --sse and --ws state"},
      {"http.wires", given->endpoint.wires != 0,
       "--http, --sse and --ws state"},
      {"http.dialect", given->endpoint.dialect != MCP_DIALECT_MCP,
       "--dialect states"},
  };
  for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
    if (members[i].is_set) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "mcp_main_options.listen: %s must not be set: %s it",
                           members[i].member, members[i].options);
    }
  }
  return 0;
}

int mcpi_main_take_http(mcpi_main_settings *settings,
                        const mcp_http_listen_options *options,
                        mcp_error *err) {
  mcpi_main_http *given = &settings->given;
  if (options == NULL) {
    return 0;
  }
  int rc = mcpi_widen(&given->listen, sizeof(given->listen), options,
                      "mcp_http_listen_options", err);
  if (rc == 0 && given->listen.http != NULL) {
    rc = mcpi_widen(&given->endpoint, sizeof(given->endpoint),
                    given->listen.http, "mcp_http_options", err);
  }
  if (rc == 0 && given->endpoint.protect != NULL) {
    rc = mcpi_widen(&given->protect, sizeof(given->protect),
                    given->endpoint.protect, "mcp_protect_options", err);
  }
  return rc == 0 ? check_given(given, err) : rc;
}

static void lay_string(const char *stated, const char **out) {
  if (stated != NULL) {
    *out = stated;
  }
}

/* A certificate does not go with another one's key. */
static void lay_tls(const mcp_http_listen_options *stated,
                    mcp_http_listen_options *out) {
  if (stated->tls_cert != NULL) {
    out->tls_cert = stated->tls_cert;
    out->tls_key = stated->tls_key;
  }
  lay_string(stated->tls_client_ca, &out->tls_client_ca);
}

static void lay_endpoint(const mcpi_main_settings *settings,
                         mcp_http_options *out) {
  const mcp_http_options *stated = &settings->http;
  lay_string(stated->path, &out->path);
  if (settings->has_legacy) {
    out->legacy = stated->legacy;
  }
  if (stated->allowed_hosts != NULL) {
    out->allowed_hosts = stated->allowed_hosts;
  }
  if (stated->allowed_origins != NULL) {
    out->allowed_origins = stated->allowed_origins;
  }
  out->dialect = settings->dialect;
}

/* How a refusal names what to change, unless the program says so. */
static void name_settings(mcp_http_options *out) {
  if (out->host_setting == NULL) {
    out->host_setting = "--allow-host";
  }
  if (out->origin_setting == NULL) {
    out->origin_setting = "--allow-origin";
  }
  if (out->path_setting == NULL) {
    out->path_setting = "--path";
  }
}

void mcpi_main_make_whole(mcpi_main_settings *settings) {
  const mcp_http_listen_options *stated = &settings->listen;
  mcpi_main_http *whole = &settings->whole;
  *whole = settings->given;
  whole->listen.http = &whole->endpoint;
  mcpi_main_limit_http(settings, whole);
  if (stated->threads != 0) {
    whole->listen.threads = stated->threads;
  }
  if (stated->socket_mode != 0) {
    whole->listen.socket_mode = stated->socket_mode;
  }
  lay_tls(stated, &whole->listen);
  lay_endpoint(settings, &whole->endpoint);
  mcpi_main_lay_protection(&settings->protection, whole);
  name_settings(&whole->endpoint);
}

/* --- whether they go together -------------------------------------------- */

int mcpi_main_serves_stdio(const mcpi_main_settings *settings) {
  return settings->wants_stdio || settings->address_count == 0;
}

int mcpi_main_serves_http(const mcpi_main_settings *settings) {
  for (size_t i = 0; i < settings->address_count; i++) {
    if (settings->addresses[i].wires != 0) {
      return 1;
    }
  }
  return 0;
}

static int serves_sse(const mcpi_main_settings *settings) {
  for (size_t i = 0; i < settings->address_count; i++) {
    if ((settings->addresses[i].wires & MCP_HTTP_SSE) != 0) {
      return 1;
    }
  }
  return 0;
}

/* Checks options that need an HTTP address. */
static int check_http(const mcpi_main_settings *settings) {
  const char *auth = mcpi_main_find_protection(&settings->protection);
  const struct {
    const char *option;
    int is_given;
  } of_http[] = {
      {"path", settings->http.path != NULL},
      {"legacy", settings->http.legacy != MCP_HTTP_SESSIONS},
      {"allow-host", settings->hosts.count > 0},
      {"allow-origin", settings->origins.count > 0},
      {"threads", settings->listen.threads != 0},
      {"tls-cert", settings->listen.tls_cert != NULL},
      {"tls-key", settings->listen.tls_key != NULL},
      {"tls-client-ca", settings->listen.tls_client_ca != NULL},
      {auth, auth != NULL},
  };
  for (size_t i = 0; i < sizeof(of_http) / sizeof(of_http[0]); i++) {
    if (of_http[i].is_given && !mcpi_main_serves_http(settings)) {
      return settings_refuse(
          settings, of_http[i].option,
          "it belongs to --http HOST:PORT, --sse or --ws: give one "
          "of them");
    }
  }
  return 0;
}

/* Ends a complaint: prints the options with an address of these transports,
 * those that the program offers. */
static void print_addresses(const mcpi_main_settings *settings,
                            uint32_t transports) {
  static const struct {
    uint32_t transport;
    const char *options;
  } list[] = {{MCP_MAIN_HTTP, "--http HOST:PORT, --sse or --ws"},
              {MCP_MAIN_TCP, "--tcp HOST:PORT"},
              {MCP_MAIN_UNIX, "--unix PATH"}};
  const char *before = ": give ";
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    if ((settings->transports & transports & list[i].transport) != 0) {
      fprintf(stderr, "%s%s", before, list[i].options);
      before = ", or ";
    }
  }
  fputc('\n', stderr);
}

static int check_auth(const mcpi_main_settings *settings) {
  const mcpi_main_http *given = &settings->given;
  int is_given =
      given->endpoint.protect != NULL && mcpi_main_serves_http(settings);
  mcp_error err;
  const char *wrong = mcpi_main_check_protection(
      &settings->protection, is_given ? &given->protect : NULL, &err);
  return wrong == NULL ? 0
                       : settings_refuse(settings, wrong, "%s", err.message);
}

/* Without --stdio there must be an address. */
static int settings_check_address(const mcpi_main_settings *settings) {
  if (settings->address_count > 0 ||
      (settings->transports & MCP_MAIN_STDIO) != 0) {
    return 0;
  }
  fprintf(stderr, "%s: there is no address", settings->program);
  print_addresses(settings, MCPI_MAIN_ALL);
  return -1;
}

/* Checks limits of transports that are not served. Those of the server are for
 * every transport. */
static int settings_check_limits(const mcpi_main_settings *settings) {
  uint32_t served = MCP_MAIN_STDIO;
  uint32_t transports = 0;
  for (size_t i = 0; i < settings->address_count; i++) {
    served |= settings->addresses[i].wires != 0 ? MCP_MAIN_HTTP
                                                : MCP_MAIN_TCP | MCP_MAIN_UNIX;
  }
  const char *option =
      mcpi_main_find_unused_limit(settings, served, &transports);
  if (option == NULL) {
    return 0;
  }
  fprintf(stderr, "%s: --%s: it has no effect", settings->program, option);
  print_addresses(settings, transports);
  return -1;
}

int mcpi_main_check_settings(const mcpi_main_settings *settings) {
  int is_mcp = settings->dialect == MCP_DIALECT_MCP;
  const struct {
    const char *option;
    int is_wrong;
    const char *why;
  } clashes[] = {
      {"sse", !is_mcp && serves_sse(settings),
       "it does not work with --dialect mcp-core: use --http, --ws, --tcp, "
       "--unix or --stdio"},
      {"legacy", !is_mcp && settings->http.legacy != MCP_HTTP_SESSIONS,
       "it has no effect with --dialect mcp-core"},
      {"era", !is_mcp && settings->eras != 0 && settings->eras != MCP_ERA_BOTH,
       "it has no effect with --dialect mcp-core"},
      {"tls-cert",
       settings->listen.tls_cert != NULL && settings->listen.tls_key == NULL,
       "its --tls-key is missing"},
      {"tls-key",
       settings->listen.tls_key != NULL && settings->listen.tls_cert == NULL,
       "its --tls-cert is missing"},
      {"tls-client-ca",
       settings->listen.tls_client_ca != NULL &&
           settings->listen.tls_cert == NULL &&
           settings->given.listen.tls_cert == NULL,
       "it needs --tls-cert and --tls-key"},
  };
  int rc = settings_check_address(settings);
  if (rc == 0) {
    rc = check_http(settings);
  }
  if (rc == 0) {
    rc = check_auth(settings);
  }
  if (rc == 0) {
    rc = settings_check_limits(settings);
  }
  for (size_t i = 0; rc == 0 && i < sizeof(clashes) / sizeof(clashes[0]); i++) {
    if (clashes[i].is_wrong) {
      rc = settings_refuse(settings, clashes[i].option, "%s", clashes[i].why);
    }
  }
  return rc;
}

int mcpi_main_refuse(const mcpi_main_settings *settings, const char *message) {
  const mcp_http_listen_options *listen = &settings->listen;
  const mcp_http_options *http = &settings->http;
  const struct {
    const char *member;
    const char *option;
    const void *stated; /* NULL: not on the command line */
  } names[] = {
      {"path", "path", http->path},
      {"sse_path", "path", http->path},
      {"messages_path", "path", http->path},
      {"allowed_hosts", "allow-host", http->allowed_hosts},
      {"allowed_origins", "allow-origin", http->allowed_origins},
      {"tls_cert", "tls-cert", listen->tls_cert},
      {"tls_key", "tls-key", listen->tls_key},
      {"tls_client_ca", "tls-client-ca", listen->tls_client_ca},
  };
  size_t len = strcspn(message, ":");
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (names[i].stated != NULL && strlen(names[i].member) == len &&
        strncmp(names[i].member, message, len) == 0) {
      return settings_refuse(settings, names[i].option, "%s",
                             message + len + strspn(message + len, ": "));
    }
  }
  const char *auth = settings->whole.endpoint.protect != NULL
                         ? mcpi_main_protection_option(message, len)
                         : NULL;
  if (auth != NULL) {
    return settings_refuse(settings, auth, "%s",
                           message + len + strspn(message + len, ": "));
  }
  fprintf(stderr, "%s: %s\n", settings->program, message);
  return -1;
}
