/* SPDX-License-Identifier: MIT */
/* The options that mcp_main has of its own. */
#include "transport/main_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- single values ------------------------------------------------------- */

static const char *const level_names[] = {
    "debug", "info",     "notice", "warning",
    "error", "critical", "alert",  "emergency",
};

static int on_log_level(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  for (int i = 0; i < (int)(sizeof(level_names) / sizeof(char *)); i++) {
    if (strcmp(value, level_names[i]) == 0) {
      settings->log_level = MCP_LOG_DEBUG + i;
      return 0;
    }
  }
  fprintf(stderr,
          "%s: --log-level: \"%s\" is none of debug, info, notice, warning, "
          "error, critical, alert, emergency\n",
          settings->program, value);
  return -1;
}

static int on_drain_ms(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  char *end = NULL;
  errno = 0;
  unsigned long number = strtoul(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
      number > INT32_MAX) {
    fprintf(stderr, "%s: --drain-ms: \"%s\" is not a number of milliseconds\n",
            settings->program, value);
    return -1;
  }
  settings->drain_ms = (uint32_t)number;
  return 0;
}

static int on_threads(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  char *end = NULL;
  unsigned long number = strtoul(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end != '\0' || number < 1 ||
      number > 64) {
    fprintf(stderr, "%s: --threads: \"%s\" is not a number from 1 to 64\n",
            settings->program, value);
    return -1;
  }
  settings->listen.threads = (uint32_t)number;
  return 0;
}

static int on_log_file(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  settings->log_file = value;
  return 0;
}

static int on_flag(const char *value, void *userdata) {
  int *flag = userdata;
  (void)value;
  *flag = 1;
  return 0;
}

static int add_address(mcpi_main_settings *settings,
                       const mcpi_main_address *address) {
  if (settings->address_count == MCPI_MAIN_ADDRESSES_MAX) {
    fprintf(stderr, "%s: more than %d addresses\n", settings->program,
            MCPI_MAIN_ADDRESSES_MAX);
    return -1;
  }
  settings->addresses[settings->address_count++] = *address;
  return 0;
}

/* The wires of HTTP share an address that is given for each of them. */
static int add_wire(mcpi_main_settings *settings, uint32_t wire,
                    const char *address) {
  for (size_t i = 0; i < settings->address_count; i++) {
    mcpi_main_address *known = &settings->addresses[i];
    if (known->kind == MCPI_MAIN_HTTP && (known->wires & wire) == 0 &&
        strcmp(known->address, address) == 0) {
      known->wires |= wire;
      return 0;
    }
  }
  const mcpi_main_address added = {MCPI_MAIN_HTTP, address, wire};
  return add_address(settings, &added);
}

static int add_socket(mcpi_main_settings *settings, const char *address) {
  const mcpi_main_address added = {MCPI_MAIN_SOCKET, address, 0};
  return add_address(settings, &added);
}

static int on_http(const char *value, void *userdata) {
  return add_wire(userdata, MCP_HTTP_STREAMABLE, value);
}

static int on_sse(const char *value, void *userdata) {
  return add_wire(userdata, MCP_HTTP_SSE, value);
}

static int on_ws(const char *value, void *userdata) {
  return add_wire(userdata, MCP_HTTP_WEBSOCKET, value);
}

static int on_tcp(const char *value, void *userdata) {
  const mcpi_main_settings *settings = userdata;
  if (strncmp(value, "unix:", 5) == 0) {
    fprintf(stderr, "%s: --tcp: \"%s\" is no HOST:PORT; see --unix PATH\n",
            settings->program, value);
    return -1;
  }
  return add_socket(userdata, value);
}

static int on_unix(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  mcpi_main_path *path = &settings->paths[settings->path_count];
  int len = settings->path_count < MCPI_MAIN_ADDRESSES_MAX
                ? snprintf(path->text, sizeof(path->text), "unix:%s", value)
                : 0;
  if (len >= (int)sizeof(path->text)) {
    fprintf(stderr, "%s: --unix: \"%s\" is too long for a socket's path\n",
            settings->program, value);
    return -1;
  }
  settings->path_count++;
  return add_socket(settings, path->text);
}

static int on_string(const char *value, void *userdata) {
  const char **string = userdata;
  *string = value;
  return 0;
}

static int on_era(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  if (strcmp(value, "both") == 0) {
    settings->eras = MCP_ERA_BOTH;
  } else if (strcmp(value, "legacy") == 0) {
    settings->eras = MCP_ERA_LEGACY;
  } else if (strcmp(value, "modern") == 0) {
    settings->eras = MCP_ERA_MODERN;
  } else {
    fprintf(stderr, "%s: --era: \"%s\" is none of both, legacy, modern\n",
            settings->program, value);
    return -1;
  }
  return 0;
}

static int on_dialect(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  if (strcmp(value, "mcp") == 0) {
    settings->dialect = MCP_DIALECT_MCP;
  } else if (strcmp(value, "mcp-core") == 0) {
    settings->dialect = MCP_DIALECT_MCP_CORE;
  } else {
    fprintf(stderr, "%s: --dialect: \"%s\" is none of mcp, mcp-core\n",
            settings->program, value);
    return -1;
  }
  return 0;
}

static int on_legacy(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  if (strcmp(value, "sessions") == 0) {
    settings->http.legacy = MCP_HTTP_SESSIONS;
  } else if (strcmp(value, "stateless") == 0) {
    settings->http.legacy = MCP_HTTP_STATELESS;
  } else if (strcmp(value, "plain") == 0) {
    settings->http.legacy = MCP_HTTP_PLAIN;
  } else {
    fprintf(stderr,
            "%s: --legacy: \"%s\" is none of sessions, stateless, plain\n",
            settings->program, value);
    return -1;
  }
  return 0;
}

/* --- lists --------------------------------------------------------------- */

static int add_name(const mcpi_main_settings *settings, mcpi_main_names *names,
                    const char *option, const char *value) {
  if (names->count == MCPI_MAIN_NAMES_MAX) {
    fprintf(stderr, "%s: --%s: more than %d of them\n", settings->program,
            option, MCPI_MAIN_NAMES_MAX);
    return -1;
  }
  names->list[names->count++] = value;
  return 0;
}

static int on_allow_host(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  settings->http.allowed_hosts = settings->hosts.list;
  return add_name(settings, &settings->hosts, "allow-host", value);
}

static int on_allow_origin(const char *value, void *userdata) {
  mcpi_main_settings *settings = userdata;
  settings->http.allowed_origins = settings->origins.list;
  return add_name(settings, &settings->origins, "allow-origin", value);
}

/* --- all of them --------------------------------------------------------- */

static void set_defaults(mcpi_main_settings *settings, const char *program) {
  *settings = (mcpi_main_settings){
      .program = program,
      .drain_ms = 1000,
      .log_level = MCP_LOG_WARNING,
      .listen = {.size = MCP_HTTP_LISTEN_OPTIONS_INIT, .http = &settings->http},
      .http = {.size = MCP_HTTP_OPTIONS_INIT}};
}

void mcpi_main_own_options(mcp_main_option *out, mcpi_main_settings *settings,
                           const char *program) {
  const mcp_main_option options[MCPI_MAIN_OWN_COUNT] = {
      {"stdio", NULL,
       "serve standard input and output (what happens without an address)",
       on_flag, &settings->wants_stdio},
      {"http", "HOST:PORT",
       "serve HTTP there (port 0: any free one), or at unix:PATH", on_http,
       settings},
      {"sse", "HOST:PORT",
       "serve HTTP+SSE, of clients of 2024-11-05, there, or at unix:PATH",
       on_sse, settings},
      {"ws", "HOST:PORT",
       "serve WebSockets there; the address of --http serves both", on_ws,
       settings},
      {"tcp", "HOST:PORT",
       "serve messages as lines there (port 0: any free one)", on_tcp,
       settings},
      {"unix", "PATH", "serve messages as lines at this Unix socket", on_unix,
       settings},
      {"path", "PATH", "where the HTTP endpoint is (default /mcp)", on_string,
       &settings->http.path},
      {"legacy", "HOW",
       "serve the legacy era over HTTP with sessions (default); stateless: "
       "each "
       "request alone; plain: likewise, by POST and JSON and nothing else",
       on_legacy, settings},
      {"allow-host", "NAME",
       "serve requests to this host name too (default: loopback names; *: any)",
       on_allow_host, settings},
      {"allow-origin", "ORIGIN",
       "serve web pages of this origin too (default: loopback; *: any)",
       on_allow_origin, settings},
      {"threads", "N",
       "serve HTTP on so many threads (1 to 64); only for programs whose "
       "handlers may run on several at once",
       on_threads, settings},
      {"tls-cert", "FILE", "speak TLS with this certificate (PEM)", on_string,
       &settings->listen.tls_cert},
      {"tls-key", "FILE", "the certificate's key (PEM)", on_string,
       &settings->listen.tls_key},
      {"tls-client-ca", "FILE",
       "serve only clients with a certificate of these authorities (PEM)",
       on_string, &settings->listen.tls_client_ca},
      {"dialect", "NAME",
       "speak mcp (default), or mcp-core: calls of tools alone, see "
       "docs/TRANSPORTS.md",
       on_dialect, settings},
      {"era", "ERA",
       "serve both eras of the protocol (default), or only legacy or modern",
       on_era, settings},
      {"drain-ms", "N",
       "at the end, give calls in flight so many milliseconds to answer "
       "(default 1000)",
       on_drain_ms, settings},
      {"log-level", "LEVEL",
       "the least severity to log: debug, info, notice, warning (default), "
       "error, critical, alert, emergency",
       on_log_level, settings},
      {"log-file", "FILE", "append the log to a file (default: standard error)",
       on_log_file, settings},
      {"trace", NULL, "log every message, secrets left out", on_flag,
       &settings->wants_trace},
      {"version", NULL, "print the version and exit", on_flag,
       &settings->wants_version},
      {"help", NULL, "print this text and exit", on_flag,
       &settings->wants_help},
  };
  set_defaults(settings, program);
  memcpy(out, options, sizeof(options));
}

int mcpi_main_serves_stdio(const mcpi_main_settings *settings) {
  return settings->wants_stdio || settings->address_count == 0;
}

int mcpi_main_serves_http(const mcpi_main_settings *settings) {
  for (size_t i = 0; i < settings->address_count; i++) {
    if (settings->addresses[i].kind == MCPI_MAIN_HTTP) {
      return 1;
    }
  }
  return 0;
}

int mcpi_main_check_settings(const mcpi_main_settings *settings) {
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
  };
  for (size_t i = 0; i < sizeof(of_http) / sizeof(of_http[0]); i++) {
    if (of_http[i].is_given && !mcpi_main_serves_http(settings)) {
      fprintf(stderr,
              "%s: --%s belongs to --http HOST:PORT, --sse or --ws, none of "
              "which is there\n",
              settings->program, of_http[i].option);
      return -1;
    }
  }
  return 0;
}
