/* SPDX-License-Identifier: MIT */
/* The command line of mcp_main. */
#ifndef MCPI_MAIN_OPTIONS_H
#define MCPI_MAIN_OPTIONS_H

#include "net/address.h"
#include <mcp/http.h>
#include <mcp/main.h>
#include <mcp/server.h>
#include <mcp/socket.h>
#include <stdio.h>

enum {
  /* For --allow-host, --allow-origin, --auth-issuer and --auth-audience. */
  MCPI_MAIN_NAMES_MAX = 31,
  /* For --http, --sse, --ws, --tcp and --unix together. */
  MCPI_MAIN_ADDRESSES_MAX = 16
};

typedef struct mcpi_main_names {
  const char *list[MCPI_MAIN_NAMES_MAX + 1]; /* NULL at the end */
  int count;
} mcpi_main_names;

/* An address that is served besides standard input and output. */
typedef struct mcpi_main_address {
  char text[MCPI_ADDRESS_TEXT];
  uint32_t wires; /* the transports of HTTP, MCP_HTTP_*; 0: lines */
} mcpi_main_address;

/* limits.c */
enum { MCPI_MAIN_LIMIT_COUNT = 35 };

typedef struct mcpi_main_settings mcpi_main_settings;

/* What HTTP addresses are opened with. It must not be moved. */
typedef struct mcpi_main_http {
  mcp_http_listen_options listen; /* points to the next */
  mcp_http_options endpoint;      /* likewise, if there is protection */
  mcp_protect_options protect;
} mcpi_main_http;

/* What the command line states of tokens; NULL: nothing. */
typedef struct mcpi_main_protection {
  mcpi_main_names issuers;
  mcpi_main_names audiences;
  const char *scopes;
  const char *resource;
  const char *jwks_uri;
  const char *token_file;
  const char *introspection;
  const char *client_id;
  const char *secret_env; /* the name of a variable */
} mcpi_main_protection;

/* What the option of a limit knows. */
typedef struct mcpi_main_limit {
  mcpi_main_settings *settings;
  uint32_t index;
} mcpi_main_limit;

struct mcpi_main_settings {
  const char *program; /* its name, for error messages */
  uint32_t transports; /* MCP_MAIN_*: those that the program offers */
  uint32_t drain_ms;
  int log_level;        /* MCP_LOG_* */
  const char *log_file; /* NULL: standard error */
  uint32_t eras;        /* MCP_ERA_*; 0: as the program sets them */
  uint32_t dialect;     /* MCP_DIALECT_*, for every transport */
  int wants_stdio;
  mcpi_main_address addresses[MCPI_MAIN_ADDRESSES_MAX];
  size_t address_count;
  mcp_http_listen_options listen; /* what the command line states; 0: nothing */
  mcp_http_options http;          /* likewise */
  mcpi_main_protection protection; /* likewise */
  int has_legacy;                  /* 1: http.legacy was stated */
  mcpi_main_http given;            /* what the program states */
  mcpi_main_http whole;            /* both: of each HTTP address */
  mcpi_main_names hosts;
  mcpi_main_names origins;
  int wants_trace;
  int wants_help;
  int wants_version;
  mcp_limits server;                /* 0: not given */
  mcp_loop_options loop;            /* 0: not given */
  mcp_socket_listen_options socket; /* of each address of lines; points to: */
  mcp_stream_options stream;
  mcpi_main_limit limits[MCPI_MAIN_LIMIT_COUNT];
};

/* The library's options, or the program's. */
typedef struct mcpi_main_table {
  const mcp_main_option *options;
  size_t count;
  /* How many options follow that the program does not offer. */
  size_t withheld_count;
} mcpi_main_table;

/* settings.c: the library's own options, which fill `settings` in; `out`
 * holds MCPI_MAIN_OWN_COUNT of them. Sets the defaults. */
enum {
  MCPI_MAIN_OWN_COUNT = 32,
  MCPI_MAIN_ALL = MCP_MAIN_STDIO | MCP_MAIN_HTTP | MCP_MAIN_TCP | MCP_MAIN_UNIX
};
void mcpi_main_own_options(mcp_main_option *out, mcpi_main_settings *settings,
                           const char *program);
/* Orders the library's own options anew: first those that a program offers with
 * these transports (MCP_MAIN_*; 0: all), then the others. Returns how many the
 * program offers. Call it after the function above. */
size_t mcpi_main_offer(mcp_main_option *out, mcpi_main_settings *settings,
                       uint32_t transports);
/* Writes the options of limits: `out` holds MCPI_MAIN_LIMIT_COUNT of them. Call
 * it after the function above. */
void mcpi_main_limit_options(mcp_main_option *out,
                             mcpi_main_settings *settings);
/* Copies the limits that were given into a server's. */
void mcpi_main_limit_server(const mcpi_main_settings *settings,
                            mcp_limits *out);
/* Likewise into the options of the loop. */
void mcpi_main_limit_loop(const mcpi_main_settings *settings,
                          mcp_loop_options *out);
/* Likewise into the options of HTTP. */
void mcpi_main_limit_http(const mcpi_main_settings *settings,
                          mcpi_main_http *out);
/* The first limit that was given and is for none of the transports `served`
 * (MCP_MAIN_*): returns its option, and sets *transports to those that it is
 * for. NULL: there is no such limit. */
const char *mcpi_main_find_unused_limit(const mcpi_main_settings *settings,
                                        uint32_t served, uint32_t *transports);
/* protection.c */

/* The option that was given for tokens, if one was: its name; else NULL. */
const char *mcpi_main_find_protection(const mcpi_main_protection *stated);
/* Whether what is stated of tokens is complete. Returns NULL; or the option
 * that is wrong, and why in err. `given`: the program's options; NULL: it has
 * none, or serves no HTTP. */
const char *mcpi_main_check_protection(const mcpi_main_protection *stated,
                                       const mcp_protect_options *given,
                                       mcp_error *err);
/* Lays it over the program's options in `out`. Call it after the function
 * above. */
void mcpi_main_lay_protection(const mcpi_main_protection *stated,
                              mcpi_main_http *out);
/* Returns the option that sets a member of mcp_protect_options; NULL: there is
 * none. */
const char *mcpi_main_protection_option(const char *member, size_t len);

/* Notes the program's options of HTTP. 0, or MCP_ERR_INVALID: it states what
 * only the command line may. `options` may be NULL. */
int mcpi_main_take_http(mcpi_main_settings *settings,
                        const mcp_http_listen_options *options, mcp_error *err);
/* Lays what the command line states over what the program states. */
void mcpi_main_make_whole(mcpi_main_settings *settings);
/* Whether standard input and output are served: nothing else is, or both. */
int mcpi_main_serves_stdio(const mcpi_main_settings *settings);
/* Whether it serves an HTTP address. */
int mcpi_main_serves_http(const mcpi_main_settings *settings);
/* Whether the settings are compatible: returns 0, or -1 having printed to
 * standard error which are not. */
int mcpi_main_check_settings(const mcpi_main_settings *settings);
/* Prints why the library refuses an option. The library's message names the
 * member; the printed text names the option. Returns -1. */
int mcpi_main_refuse(const mcpi_main_settings *settings, const char *message);

/* Reads the command line; options are searched in the tables in order. Returns
 * 0, or -1 having printed to standard error what is wrong. */
int mcpi_main_parse(const char *program, int argc, char **argv,
                    const mcpi_main_table *tables, size_t table_count);

/* Prints what --help shows. `summary` may be NULL. */
void mcpi_main_help(FILE *out, const char *program, const char *summary,
                    const mcpi_main_table *tables, size_t table_count);

/* argv[0] without folders. */
const char *mcpi_main_program_name(int argc, char **argv);

#endif
