/* SPDX-License-Identifier: MIT */
/* Prints the help: --help, and the verb `help`. */
#include "line/usage.h"
#include "common/exit.h"
#include "common/nearest.h"
#include "common/report.h"
#include "line/target.h"

#include <ctype.h>
#include <string.h>

static const char head[] =
    "usage: mcpctl [OPTIONS] VERB [ARGS] -- COMMAND [ARGS]\n"
    "       mcpctl [OPTIONS] URL VERB [ARGS]\n"
    "       mcpctl [OPTIONS] NAME VERB [ARGS]\n"
    "       mcpctl [OPTIONS] diff A B\n"
    "       mcpctl [OPTIONS] schema check SCHEMA [FILES]\n"
    "       mcpctl replay FILE\n"
    "       mcpctl mock FILE [-- SERVER OPTIONS]\n"
    "       mcpctl pack DIR|PROGRAM [-- ARGS]\n"
    "\n"
    "Starts COMMAND, an MCP server, or connects to the server at URL, sends "
    "it\n"
    "one request and prints the answer. A URL begins with\n"
    "  " CTL_TARGETS_WEB ",\n"
    "or is " CTL_TARGETS_SOCKET ". NAME is a server of a configuration\n"
    "(mcpctl servers lists them), or a bundle: FILE.mcpb.\n"
    "\n"
    "  mcpctl tools -- hello-server\n"
    "  mcpctl http://127.0.0.1:8080/mcp call add a:=2 b:=3\n"
    "\n"
    "Verbs:\n";

static const char arguments[] = "Write each argument as key=value (a string; a "
                                "number or boolean if the tool\n"
                                "wants one), key:=JSON, key=@FILE or "
                                "key:=@FILE, or all of them as one JSON\n"
                                "object: @FILE, - (standard input) or {...}.\n"
                                "\n";

/* The options, in the order of --help. Options of one verb appear in that
 * verb's help, too. */
static const struct {
  const char *verbs; /* NULL: the options are not for some verbs only */
  const char *text;
} options_help[] = {
    {NULL, "  --json               print the result as JSON\n"
           "  --dialect NAME       mcp (default), mcp-core, mcp-core-bare or "
           "mcp-core-rpc\n"
           "  --era ERA            auto (default), legacy, modern, or a "
           "revision\n"
           "                       such as 2025-06-18\n"
           "  --timeout SECONDS    limit for an answer or progress (60)\n"
           "  --max-time SECONDS   limit for a whole request (600)\n"},
    {"read call task generate",
     "  --output FILE|DIR    read: write the resource's bytes to a file; "
     "call,\n"
     "                       task --wait: save images, audio and resources;\n"
     "                       generate: write the code to a file\n"},
    {"generate", "  --prefix NAME        generate: begin all names with NAME "
                 "(made of the\n"
                 "                       server's name)\n"},
    {"pack", "  --author NAME        pack: who made the server\n"
             "  --manifest FILE      pack: a JSON file with members of the "
             "manifest\n"
             "  --platform PLATFORM=FILE  pack: the program for darwin, linux "
             "or win32\n"
             "                       (repeatable)\n"
             "  --output FILE        pack: the bundle; else "
             "NAME-VERSION.mcpb\n"},
    {"describe", "  --registry           describe: as server.json, for an MCP "
                 "registry\n"
                 "  --name NAME          describe: the server's name there, "
                 "such as\n"
                 "                       io.github.you/weather\n"
                 "  --package URL        describe: where the bundle can be "
                 "fetched\n"},
    {"skill", "  --save DIR           skill: write all files of the skill into "
              "DIR/NAME\n"},
    {"skill add record snapshot pack",
     "  --overwrite          skill, add, record, snapshot, pack: replace what "
     "is\n"
     "                       there already\n"},
    {"watch", "  --read               watch: show the new content of a "
              "resource\n"
              "  --diff               watch: show the lines that have changed\n"
              "  --exec COMMAND       watch: run this for each event\n"},
    {"test", "  --junit FILE         test: also write the results as XML; -: "
             "only this\n"},
    {"shell", "  -e                   shell: end at the first line that "
              "fails\n"},
    {"servers", "  --check              servers: connect to each, and say "
                "which answer\n"},
    {"start", "  --idle SECONDS       start: end after this time without use "
              "(1800)\n"},
    {"stop", "  --all                stop: end all that start keeps running\n"},
    {"replay", "  --ignore POINTER     replay: do not compare this value, such "
               "as\n"
               "                       /result/content (repeatable)\n"},
    {"export", "  --for HOST           export: write the entry for mcpctl "
               "(default),\n"
               "                       claude-code, claude-desktop, cursor, "
               "vscode or\n"
               "                       windsurf\n"
               "  --secrets            export: write secrets, too\n"},
    {"call", "  --detach             call: if the call becomes a task, print "
             "its id and\n"
             "                       end\n"},
    {"task", "  --wait               task: wait for the end, and print the "
             "result\n"
             "  --cancel             task: cancel it\n"},
    {NULL,
     "  --setting KEY=VALUE  a setting that a bundle asks for; KEY=@FILE: "
     "what is in\n"
     "                       FILE (repeatable)\n"
     "  --config FILE        read only this configuration file\n"
     "  --no-session         do not use a server that start keeps "
     "running\n"
     "  --answer KEY=VALUE   answer the server's question by field, or "
     "with\n"
     "                       action=accept|decline|cancel; a model's answer "
     "with\n"
     "                       text=TEXT (repeatable)\n"
     "  --root DIR           offer the server this folder as a root "
     "(repeatable)\n"
     "  --env NAME=VALUE     set a variable for the server (repeatable)\n"
     "  --inherit-env        pass this whole environment to the server\n"
     "  --cwd DIR            run the server in this folder\n"
     "  --header 'NAME: VALUE'  send with each HTTP request "
     "(repeatable)\n"
     "  --plain              send plain POSTs to the URL instead of\n"
     "                       Streamable HTTP; implies --era legacy, "
     "unless\n"
     "                       --era is given\n"
     "  --insecure           accept any certificate of the server\n"
     "  --cacert FILE        trust the certificates in this file, not "
     "the\n"
     "                       system's\n"
     "  --cert FILE          show the server this certificate; the file "
     "holds\n"
     "                       its key, too\n"},
    {"login", "  --scope SCOPES       ask for these scopes (rights), too, with "
              "spaces\n"
              "                       between them\n"},
    {"login logout",
     "  --client-id ID       the client id that the authorization server has\n"
     "                       given; without it, mcpctl registers\n"
     "  --client-secret-env VAR  the variable of the environment with the\n"
     "                       secret of that id\n"
     "  --client-key FILE    the private key of that id (PEM)\n"
     "  --client-issuer URL  log in only at this authorization server, to "
     "which\n"
     "                       that id or the identity belongs\n"
     "  --client-credentials  log in as that client, without a user\n"
     "  --allow-private-addresses  a public server may lead the login to\n"
     "                       private addresses, as in an intranet\n"},
    {"login",
     "  --identity FILE      log in with the JWT in this file (workload "
     "identity)\n"
     "  --no-browser         only show the address of the page at which "
     "you log\n"
     "                       in; then paste the address at which the "
     "browser\n"
     "                       ends\n"},
    {NULL, "  --token-env VAR      send the token in this variable of the "
           "environment;\n"
           "                       needs no login\n"
           "  --keyring            keep logins in the keyring, not in files\n"},
    {"call bench", "  --no-validate        call, bench: send the arguments "
                   "without checking\n"
                   "                       them against the tool's schema\n"
                   "  --no-convert         call, bench: send key=value as a "
                   "string, even if\n"
                   "                       the tool wants a number or a "
                   "boolean\n"},
    {"call bench",
     "  --pin FILE           call, bench: call the tool only if it "
     "is as in this\n"
     "                       snapshot\n"},
    {"bench", "  --connections N      bench: use N connections (URL 10, "
              "command 1)\n"
              "  --duration SECONDS   bench: measure this long (10)\n"
              "  --html FILE          bench: also write a page with a plot\n"},
    {"schema", "  --formats            schema: check `format`, too\n"
               "  --draft DRAFT        schema: draft of schemas without "
               "`$schema`:\n"
               "                       2020-12 (default), draft-07, or the URI "
               "of an\n"
               "                       added one\n"
               "  --add URI=FILE       schema: add a document that schemas "
               "refer to\n"
               "                       (repeatable)\n"
               "  --max-errors N       schema: show at most N errors of a file "
               "(8)\n"},
    {NULL, "  --trace              show each message, without secrets\n"
           "  --trace-file FILE    write them to a file\n"
           "  -v, --verbose        show progress, log messages from info up, "
           "and\n"
           "                       the server's standard error\n"
           "  --color WHEN         auto (default), always or never\n"
           "  -V, --version\n"
           "  -h, --help\n"},
};

static const char codes[] =
    "\n"
    "Exit codes: 0 success, 1 wrong usage or a file that is not valid, 3 "
    "server\n"
    "refused access, 4 server failed or unreachable, 5 tool reported an "
    "error or\n"
    "a test failed, 6 unanswered question, 124 timeout, 130 interrupted; of "
    "diff: 10\n"
    "only compatible differences, 11 wording, 12 breaking ones.\n";

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
  if (verb->server == CTL_SERVER_NONE) {
    fprintf(out, "usage: mcpctl [OPTIONS] %s\n\n", verb->synopsis);
  } else if (verb->server == CTL_SERVER_WRITTEN) {
    fprintf(out,
            "usage: mcpctl [OPTIONS] %s\n"
            "       mcpctl [OPTIONS] %s NAME -- COMMAND [ARGS]\n\n",
            verb->synopsis, verb->name);
  } else if (verb->server == CTL_SERVER_ITSELF) {
    fprintf(out,
            "usage: mcpctl %s\n"
            "       mcpctl %s -- SERVER OPTIONS\n\n",
            verb->synopsis, verb->synopsis);
  } else if (verb->server == CTL_SERVER_PACKED) {
    fprintf(out,
            "usage: mcpctl [OPTIONS] %s\n"
            "       mcpctl [OPTIONS] %s -- ARGS\n\n",
            verb->synopsis, verb->synopsis);
  } else if (verb->server == CTL_SERVER_EITHER) {
    fprintf(out,
            "usage: mcpctl [OPTIONS] %s\n"
            "       mcpctl [OPTIONS] %s -- COMMAND [ARGS]\n"
            "       mcpctl [OPTIONS] URL %s\n"
            "       mcpctl [OPTIONS] NAME %s\n\n",
            verb->synopsis, verb->synopsis, verb->synopsis, verb->synopsis);
  } else if (verb->server == CTL_SERVER_WORDS) {
    fprintf(out,
            "usage: mcpctl [OPTIONS] %s\n"
            "       mcpctl [OPTIONS] %s A -- COMMAND [ARGS]\n\n",
            verb->synopsis, verb->name);
  } else if (verb->server == CTL_SERVER_WEB) {
    fprintf(out,
            "usage: mcpctl [OPTIONS] URL %s\n"
            "       mcpctl [OPTIONS] NAME %s\n\n",
            verb->synopsis, verb->synopsis);
  } else if (verb->server == CTL_SERVER_MAYBE) {
    fprintf(out, "usage: mcpctl [OPTIONS] [URL] %s\n\n", verb->synopsis);
  } else if (verb->server == CTL_SERVER_NAMED) {
    fprintf(out, "usage: mcpctl [OPTIONS] NAME %s\n\n", verb->synopsis);
  } else if (verb->server == CTL_SERVER_NAMES) {
    fprintf(out, "usage: mcpctl [OPTIONS] [NAME] %s\n\n", verb->synopsis);
  } else {
    fprintf(out,
            "usage: mcpctl [OPTIONS] %s -- COMMAND [ARGS]\n"
            "       mcpctl [OPTIONS] URL %s\n"
            "       mcpctl [OPTIONS] NAME %s\n\n",
            verb->synopsis, verb->synopsis, verb->synopsis);
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

/* What people type who know other tools, or the protocol. */
static const struct {
  const char *word;
  const char *meant;
} other_words[] = {
    {"list", "tools"},
    {"ls", "tools"},
    {"list-tools", "tools"},
    {"tools/list", "tools"},
    {"tools-list", "tools"},
    {"call-tool", "call"},
    {"tools/call", "call"},
    {"tools-call", "call"},
    {"run", "call"},
    {"exec", "call"},
    {"invoke", "call"},
    {"list-resources", "resources"},
    {"resources/list", "resources"},
    {"resources/templates/list", "templates"},
    {"resource", "read"},
    {"read-resource", "read"},
    {"resources/read", "read"},
    {"list-prompts", "prompts"},
    {"prompts/list", "prompts"},
    {"get-prompt", "prompt"},
    {"prompts/get", "prompt"},
    {"completion/complete", "complete"},
    {"initialize", "info"},
    {"server/discover", "info"},
    {"inspect", "info"},
    {"connect", "shell"},
    {"repl", "shell"},
    {"benchmark", "bench"},
    {"validate", "schema check"},
    {"config", "servers"},
    {"delete", "remove"},
    {"rm", "remove"},
    {"version", "--version"},
};

/* NULL: no other tool is known to have it. */
static const char *find_other_word(const char *word) {
  for (size_t i = 0; i < sizeof(other_words) / sizeof(*other_words); i++) {
    if (strcmp(word, other_words[i].word) == 0) {
      return other_words[i].meant;
    }
  }
  return NULL;
}

int ctl_usage_refuse_verb(const char *word, int has_server) {
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  const char *meant = find_other_word(word);
  if (meant != NULL) {
    return ctl_report(CTL_USAGE, "unknown verb '%s'; did you mean '%s'?", word,
                      meant);
  }
  if (strchr(word, '/') != NULL && strchr(word, ':') == NULL) {
    return ctl_report(CTL_USAGE,
                      "unknown verb '%s': mcpctl --help lists the verbs; a "
                      "server's command comes after --, as in mcpctl tools -- "
                      "%s",
                      word, word);
  }
  if (strpbrk(word, ":/") != NULL) {
    return ctl_report(CTL_USAGE,
                      "unknown verb '%s': mcpctl --help lists the verbs; a URL "
                      "begins with " CTL_TARGETS,
                      word);
  }
  ctl_nearest_begin(&nearest, word, SIZE_MAX);
  for (const ctl_verb *verb = ctl_verbs; verb->name != NULL; verb++) {
    ctl_nearest_offer(&nearest, verb->name);
  }
  if (nearest.name == NULL && has_server) {
    return ctl_report(CTL_USAGE,
                      "unknown verb '%s': mcpctl --help lists the verbs; for a "
                      "tool of this name write call %s",
                      word, word);
  }
  return ctl_report(CTL_USAGE, "unknown verb '%s'%s", word,
                    ctl_nearest_ending(&nearest,
                                       ": mcpctl --help lists the verbs; a "
                                       "server's command comes after --",
                                       ending));
}

int ctl_help(const ctl_options *options) {
  if (options->arg_count == 0) {
    ctl_usage_print(stdout);
    return CTL_OK;
  }
  const ctl_verb *verb = ctl_verb_find(options->args[0]);
  if (verb == NULL) {
    return ctl_usage_refuse_verb(options->args[0], 0);
  }
  print_verb(stdout, verb);
  return CTL_OK;
}
