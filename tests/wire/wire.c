/* SPDX-License-Identifier: MIT */
/* Runs wire transcripts: see transcript.h.
 *
 *     wire FILE...            each must match, those of 2026-07-28 in the
 *                             newest revision
 *     wire --update FILE...   rewrites what was expected
 */
#include "newest.h"
#include "transcript.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *content = NULL;
  size_t size = 0;
  if (file == NULL || getdelim(&content, &size, '\0', file) < 0) {
    perror(path);
    exit(2);
  }
  fclose(file);
  return content;
}

static void write_file(const char *path, const char *content) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fputs(content, file) < 0 || fclose(file) != 0) {
    perror(path);
    exit(2);
  }
}

static int run_file(const char *path) {
  char *content = read_file(path);
  char *newest = transcript_in_newest(content);
  int failures = transcript_run(path, newest, NULL);
  free(newest);
  free(content);
  return failures;
}

static void update_file(const char *path) {
  char *content = read_file(path);
  char *rewritten = NULL;
  transcript_run(path, content, &rewritten);
  write_file(path, rewritten);
  free(rewritten);
  free(content);
}

int main(int argc, char **argv) {
  int update = argc > 1 && strcmp(argv[1], "--update") == 0;
  int failures = 0;
  int files = 0;
  for (int i = 1 + update; i < argc; i++) {
    if (update) {
      update_file(argv[i]);
    } else {
      failures += run_file(argv[i]);
    }
    files++;
  }
  if (files == 0) {
    fprintf(stderr, "usage: wire [--update] FILE...\n");
    return 2;
  }
  if (update) {
    return 0;
  }
  printf("%d transcripts, %d differences\n", files, failures);
  return failures != 0;
}
