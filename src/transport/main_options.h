/* SPDX-License-Identifier: MIT */
/* The command line of mcp_main. */
#ifndef MCPI_TRANSPORT_MAIN_OPTIONS_H
#define MCPI_TRANSPORT_MAIN_OPTIONS_H

#include <mcp/main.h>
#include <stdio.h>

typedef struct mcpi_main_settings {
  const char *program; /* its name, for complaints */
  uint32_t drain_ms;
  int log_level;        /* MCP_LOG_* */
  const char *log_file; /* NULL: standard error */
  int wants_trace;
  int wants_help;
  int wants_version;
} mcpi_main_settings;

/* The library's options, or the program's. */
typedef struct mcpi_main_table {
  const mcp_main_option *options;
  size_t count;
} mcpi_main_table;

/* The library's own options, which fill `settings` in; `out` holds
 * MCPI_MAIN_OWN_COUNT of them. Sets the defaults. */
enum { MCPI_MAIN_OWN_COUNT = 7 };
void mcpi_main_own_options(mcp_main_option *out, mcpi_main_settings *settings,
                           const char *program);

/* Reads the command line; an option is sought in the tables in their order.
 * 0, or -1 having printed to standard error what is wrong. */
int mcpi_main_parse(const char *program, int argc, char **argv,
                    const mcpi_main_table *tables, size_t table_count);

/* Prints what --help shows. `summary` may be NULL. */
void mcpi_main_help(FILE *out, const char *program, const char *summary,
                    const mcpi_main_table *tables, size_t table_count);

/* argv[0] without folders. */
const char *mcpi_main_program_name(int argc, char **argv);

#endif
