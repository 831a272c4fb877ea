/* SPDX-License-Identifier: MIT */
/* Suggests what may be wrong with a command that could not be started.
 *
 * The system has one word for many mistakes: "permission denied" for a folder
 * and for a script without the right, "no such file" for a script whose
 * interpreter is missing. */
#include "common/report.h"
#include "connection/hint.h"
#include "platform/files.h"
#include "platform/paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PLACE_SIZE = 4096 };

/* What runs a file with this ending. */
static const struct {
  const char *ending;
  const char *with;
} interpreters[] = {
    {".js", "node"},    {".mjs", "node"},   {".cjs", "node"},
    {".ts", "npx tsx"}, {".py", "python3"}, {".sh", "sh"},
    {".rb", "ruby"},    {".php", "php"},    {".jar", "java -jar"},
};

/* NULL: it is not known. */
static const char *interpreter_of(const char *program) {
  const char *ending = strrchr(program, '.');
  for (size_t i = 0;
       ending != NULL && i < sizeof(interpreters) / sizeof(*interpreters);
       i++) {
    if (strcmp(ending, interpreters[i].ending) == 0) {
      return interpreters[i].with;
    }
  }
  return NULL;
}

/* Where the system looks for a program that is a path. */
static void find_place(char place[PLACE_SIZE], const ctl_options *options,
                       const char *program) {
  const char *folder = options->cwd != NULL ? options->cwd : ".";
  int is_whole = ctl_path_root_len(program) > 0;
  snprintf(place, PLACE_SIZE, "%s%s%s", is_whole ? "" : folder,
           is_whole ? "" : "/", program);
}

static void hint_interpreter(const char *program) {
  const char *with = interpreter_of(program);
  if (with != NULL) {
    ctl_report(0, "this file is not a program: write -- %s %s", with, program);
  } else {
    ctl_report(0, "this file is not a program: chmod +x makes a script one");
  }
}

/* The file is there, and `why` is the system's error. */
static void hint_file(const char *program, ctl_path_kind kind, int why) {
  if (kind == CTL_PATH_FOLDER) {
    ctl_report(0, "this is a folder: name the program that is in it");
  } else if (why == EACCES && kind == CTL_PATH_FILE) {
    hint_interpreter(program);
  } else if (why == ENOENT) {
    ctl_report(0, "the file is there, but not the interpreter that its first "
                  "line names");
  }
}

/* The program is a word without a slash, and not in PATH. `may_be_name`: it may
 * also be meant as the name of a server. */
static void hint_word(const char *program, int is_here, int may_be_name) {
  const char *with = interpreter_of(program);
  if (strchr(program, ' ') != NULL) {
    ctl_report(0, "this is one word: without the quotes, the first word is the "
                  "program, and the others are its arguments");
  } else if (is_here && with != NULL) {
    ctl_report(0, "a file of this name is here: write -- %s %s", with, program);
  } else if (is_here) {
    ctl_report(0, "a file of this name is here: write -- ./%s", program);
  } else {
    ctl_report(0, "is it installed, and in a folder of PATH?%s",
               may_be_name ? " The name of a configured server stands before "
                             "the verb, without --"
                           : "");
  }
}

void ctl_hint_command(const ctl_options *options, const mcp_error *err) {
  char place[PLACE_SIZE];
  const char *program = options->command != NULL ? options->command[0] : NULL;
  if (program == NULL || strncmp(err->message, "cannot start", 12) != 0 ||
      strstr(err->message, "\": the working directory") != NULL) {
    return;
  }
  find_place(place, options, program);
  ctl_path_kind kind = ctl_path_is(place);
  if (program[strcspn(program, ctl_path_separators)] == '\0') {
    hint_word(program, kind == CTL_PATH_FILE,
              options->server == NULL && options->command[1] == NULL);
  } else if (kind != CTL_PATH_NOTHING) {
    hint_file(program, kind, (int)err->status);
  } else if (strchr(program, ' ') != NULL) {
    hint_word(program, 0, 0);
  }
}
