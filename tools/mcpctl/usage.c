/* SPDX-License-Identifier: MIT */
/* What --help and the verb `help` print. */
#include "usage.h"
#include "exit.h"
#include "report.h"
#include "target.h"

#include <ctype.h>
#include <string.h>

static const char head[] =
    "usage: mcpctl [OPTIONS] VERB [ARGS] -- COMMAND [ARGS]\n"
    "       mcpctl [OPTIONS] URL VERB [ARGS]\n"
    "       mcpctl [OPTIONS] schema check SCHEMA [FILES]\n"
    "\n"
    "Starts COMMAND, an MCP server, or connects to the one at URL, and asks "
    "it\n"
    "something. A URL begins with\n"
    "  " CTL_TARGETS_WEB ",\n"
    "or is " CTL_TARGETS_SOCKET ".\n"
    "\n"
    "  mcpctl tools -- hello-server\n"
    "  mcpctl http://127.0.0.1:8080/mcp call add a:=2 b:=3\n"
    "\n"
    "Verbs:\n";

static const char arguments[] =
    "Arguments are key=value (a string) or key:=JSON; @FILE, - (standard\n"
    "input) or {...} give all of them as one JSON object.\n"
    "\n";

/* In their order; those of one verb are said in its own help as well. */
static const struct {
  const char *verbs; /* NULL: many */
  const char *text;
} options_help[] = {
    {NULL, "  --json               print the result as JSON\n"
           "  --dialect NAME       mcp (default), mcp-core, mcp-core-bare or "
           "mcp-core-rpc\n"
           "  --era ERA            auto (default), legacy, modern, or a "
           "revision\n"
           "                       such as 2025-06-18\n"
           "  --timeout SECONDS    for each request, unless progress comes "
           "(60)\n"
           "  --max-time SECONDS   for each request, whatever progress comes "
           "(600)\n"},
    {"read", "  --output FILE        write the bytes that read gets to a "
             "file\n"},
    {NULL, "  --answer KEY=VALUE   answer a question of the server's by field, "
           "or\n"
           "                       with action=accept|decline|cancel "
           "(repeatable)\n"
           "  --root DIR           show the server a folder as a root "
           "(repeatable)\n"
           "  --env NAME=VALUE     set for the server (repeatable)\n"
           "  --inherit-env        give the server this whole environment\n"
           "  --cwd DIR            run the server there\n"
           "  --header 'NAME: VALUE'  send with each HTTP request "
           "(repeatable)\n"
           "  --plain              speak with the URL by plain POSTs, not by\n"
           "                       Streamable HTTP; in the legacy era, unless\n"
           "                       --era says else\n"
           "  --insecure           do not look at the server's certificate\n"
           "  --cacert FILE        trust the certificates in this file "
           "instead\n"
           "  --cert FILE          show the server this certificate; its key "
           "is in the\n"
           "                       same file\n"},
    {"call bench", "  --no-validate        of call, bench: send arguments that "
                   "break the\n"
                   "                       tool's schema all the same\n"},
    {"bench", "  --connections N      of bench: at once (a URL 10, a command "
              "1)\n"
              "  --duration SECONDS   of bench: how long (10)\n"
              "  --html FILE          of bench: write a page with a plot "
              "too\n"},
    {"schema", "  --formats            of schema: check `format` too\n"
               "  --draft DRAFT        of schema: 2020-12 (default), draft-07, "
               "or the\n"
               "                       URI of one that is added; `$schema` "
               "goes before\n"
               "  --add URI=FILE       of schema: a document that schemas "
               "refer to\n"
               "                       (repeatable)\n"
               "  --max-errors N       of schema: of each file at most (8)\n"},
    {NULL, "  --trace              show the messages, secrets left out\n"
           "  --verbose            show progress, log messages and the "
           "server's\n"
           "                       standard error\n"
           "  --color WHEN         auto (default), always or never\n"
           "  --version, --help\n"},
};

static const char codes[] =
    "\n"
    "Exit codes: 0 ok, 1 usage, or what was checked is not valid, 3 "
    "authorization,\n"
    "4 unreachable or protocol failure, 5 the tool reported an error, 6 "
    "unanswered\n"
    "question, 124 timeout, 130 interrupted.\n";

enum { OPTIONS = sizeof(options_help) / sizeof(*options_help) };

void ctl_usage_print(FILE *out) {
  fputs(head, out);
  for (const ctl_verb *verb = ctl_verbs; verb->name != NULL; verb++) {
    fprintf(out, "  %-29s  %s\n", verb->synopsis, verb->summary);
  }
  fprintf(out, "\n%sOptions:\n", arguments);
  for (size_t i = 0; i < OPTIONS; i++) {
    fputs(options_help[i].text, out);
  }
  fputs(codes, out);
}

/* ---- one verb ---------------------------------------------------------- */

static void print_verb(FILE *out, const ctl_verb *verb) {
  if (verb->run != NULL) {
    fprintf(out, "usage: mcpctl [OPTIONS] %s\n\n", verb->synopsis);
  } else {
    fprintf(out,
            "usage: mcpctl [OPTIONS] %s -- COMMAND [ARGS]\n"
            "       mcpctl [OPTIONS] URL %s\n\n",
            verb->synopsis, verb->synopsis);
  }
  fprintf(out, "%c%s.\n\n%s", toupper((unsigned char)verb->summary[0]),
          verb->summary + 1, verb->arguments_at > 0 ? arguments : "");
  for (size_t i = 0; i < OPTIONS; i++) {
    const char *verbs = options_help[i].verbs;
    if (verbs != NULL && strstr(verbs, verb->name) != NULL) {
      fprintf(out, "%s\n", options_help[i].text);
    }
  }
  fputs("mcpctl --help lists all options.\n", out);
}

int ctl_help(const ctl_options *options) {
  if (options->arg_count == 0) {
    ctl_usage_print(stdout);
    return CTL_OK;
  }
  const ctl_verb *verb = ctl_verb_find(options->args[0]);
  if (verb == NULL) {
    return ctl_report(CTL_USAGE, "no verb '%s': mcpctl --help lists them",
                      options->args[0]);
  }
  print_verb(stdout, verb);
  return CTL_OK;
}
