/* SPDX-License-Identifier: MIT */
/* What --help prints. */
#include "usage.h"
#include "verbs.h"

static const char head[] =
    "usage: mcpctl [OPTIONS] VERB [ARGS] -- COMMAND [ARGS]\n"
    "       mcpctl [OPTIONS] URL VERB [ARGS]\n"
    "\n"
    "Starts COMMAND, an MCP server, or connects to the one at URL (http, "
    "https,\n"
    "tcp://HOST:PORT, unix:PATH), and asks it something:\n"
    "\n"
    "  mcpctl tools -- hello-server\n"
    "  mcpctl http://127.0.0.1:8080/mcp call add a:=2 b:=3\n"
    "\n"
    "Verbs:\n";

static const char tail[] =
    "\n"
    "Arguments are key=value (a string) or key:=JSON; @FILE, - (standard\n"
    "input) or {...} give all of them as one JSON object.\n"
    "\n"
    "Options:\n"
    "  --json               print the result as JSON\n"
    "  --era ERA            auto (default), legacy, modern, or a revision\n"
    "                       such as 2025-06-18\n"
    "  --timeout SECONDS    for each request, unless progress comes (60)\n"
    "  --output FILE        write the bytes that read gets to a file\n"
    "  --answer KEY=VALUE   answer a question of the server's by field, or\n"
    "                       with action=accept|decline|cancel (repeatable)\n"
    "  --root DIR           show the server a folder as a root (repeatable)\n"
    "  --env NAME=VALUE     set for the server (repeatable)\n"
    "  --inherit-env        give the server this whole environment\n"
    "  --cwd DIR            run the server there\n"
    "  --header 'NAME: VALUE'  send with each HTTP request (repeatable)\n"
    "  --insecure           do not look at the server's certificate\n"
    "  --cacert FILE        trust the certificates in this file instead\n"
    "  --cert FILE          show the server this certificate; its key is in "
    "the\n"
    "                       same file\n"
    "  --connections N      of bench: at once (a URL 10, a command 1)\n"
    "  --duration SECONDS   of bench: how long (10)\n"
    "  --html FILE          of bench: write a page with a plot too\n"
    "  --trace              show the messages, secrets left out\n"
    "  --verbose            show progress, log messages and the server's\n"
    "                       standard error\n"
    "  --color WHEN         auto (default), always or never\n"
    "  --version, --help\n"
    "\n"
    "Exit codes: 0 ok, 1 usage, 3 authorization, 4 unreachable or protocol\n"
    "failure, 5 the tool reported an error, 6 unanswered question, 124 "
    "timeout,\n"
    "130 interrupted.\n";

void ctl_usage_print(FILE *out) {
  fputs(head, out);
  for (const ctl_verb *verb = ctl_verbs; verb->name != NULL; verb++) {
    fprintf(out, "  %-29s  %s\n", verb->synopsis, verb->summary);
  }
  fputs(tail, out);
}
