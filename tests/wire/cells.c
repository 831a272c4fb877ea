/* SPDX-License-Identifier: MIT */
/* Checks that the wire transcripts show every cell of the method table: each
 * method in each revision that has it, in a transcript of that revision. */
#include "core/method.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shown[MCPI_M_COUNT][MCPI_REVISION_COUNT];

/* Notes what one line names as its method (of each method it holds: embedded
 * requests count too). */
static void note(const char *line, const mcpi_revision *revision) {
  static const char key[] = "\"method\":\"";
  for (const char *at = strstr(line, key); at != NULL; at = strstr(at, key)) {
    at += sizeof key - 1;
    const mcpi_method *method =
        mcpi_method_find(mcpi_str_n(at, strcspn(at, "\"")));
    if (method != NULL) {
      shown[method->id][revision->index] = 1;
    }
  }
}

static void read_transcript(const char *path) {
  static char line[1 << 20];
  const mcpi_revision *revision = NULL;
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "revision ", 9) == 0) {
      revision = mcpi_revision_find(mcpi_str_z(line + 9));
    } else if ((line[0] == 'C' || line[0] == 'S') && revision != NULL) {
      note(line, revision);
    }
  }
  fclose(file);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    read_transcript(argv[i]);
  }
  int missing = 0;
  int cells = 0;
  for (int m = 0; m < MCPI_M_COUNT; m++) {
    for (int r = 0; r < MCPI_REVISION_COUNT; r++) {
      if (mcpi_method_in(&mcpi_methods[m], &mcpi_revisions[r])) {
        cells++;
        if (!shown[m][r]) {
          printf("no transcript shows %s in %s\n", mcpi_methods[m].name,
                 mcpi_revisions[r].name);
          missing++;
        }
      }
    }
  }
  printf("%d of %d cells shown\n", cells - missing, cells);
  return missing != 0;
}
