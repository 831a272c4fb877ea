/* SPDX-License-Identifier: MIT */
#include "support/case_file.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *case_after(char *line, const char *word) {
  size_t len = strlen(word);
  return strncmp(line, word, len) == 0 && line[len] == ' ' ? line + len + 1
                                                           : NULL;
}

static void give_up(const char *path, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  exit(1);
}

/* A test without a line would check nothing. */
static void add_case(const char *path, const struct CMUnitTest *test) {
  if (test->name == NULL) {
    give_up(path, "has no test");
  }
  if (((const char *)test->initial_state)[0] == '\0') {
    fprintf(stderr, "%s: ", path);
    give_up(test->name, "the test has no line");
  }
  tests_add(test);
}

static void read_tests(const char *path, struct CMUnitTest *test) {
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    give_up(path, "cannot be read");
  }
  for (ssize_t len; (len = getline(&line, &size, file)) > 0;) {
    const char *name = case_after(line, "test");
    if (name != NULL) {
      if (test->name != NULL) {
        add_case(path, test);
      }
      test->name = strndup(name, strcspn(name, "\n"));
      test->initial_state = strdup("");
    } else if (line[0] != '#' && line[0] != '\n') {
      if (test->name == NULL) {
        give_up(path, "a line before the first test");
      }
      size_t used = strlen(test->initial_state);
      char *lines = realloc(test->initial_state, used + (size_t)len + 1);
      memcpy(lines + used, line, (size_t)len + 1);
      test->initial_state = lines;
    }
  }
  if (ferror(file)) {
    give_up(path, "cannot be read to its end");
  }
  add_case(path, test);
  free(line);
  fclose(file);
}

void case_files_add(const char *pattern, CMUnitTestFunction run,
                    CMFixtureFunction tear_down) {
  glob_t files;
  if (glob(pattern, 0, NULL, &files) != 0) {
    give_up(pattern, "no such file");
  }
  for (size_t i = 0; i < files.gl_pathc; i++) {
    struct CMUnitTest test = {.test_func = run, .teardown_func = tear_down};
    read_tests(files.gl_pathv[i], &test);
  }
  globfree(&files);
}
