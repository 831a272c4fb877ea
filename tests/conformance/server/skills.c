/* SPDX-License-Identifier: MIT */
/* Two skills of the extension io.modelcontextprotocol/skills. The program
 * brings them along: it writes them to a folder that it removes at the end. */
#define _GNU_SOURCE
#include "conformance.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char folder[] = "/tmp/conformance-skills-XXXXXX";

static int remove_one(const char *path, const struct stat *status, int flag,
                      struct FTW *at) {
  (void)status;
  (void)flag;
  (void)at;
  return remove(path);
}

static void remove_folder(void) {
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  mkdir(path, 0700);
}

static void write_file(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (file != NULL) {
    fputs(text, file);
    fclose(file);
  }
}

void add_skills(mcp_server *server) {
  if (mkdtemp(folder) == NULL) {
    perror(folder);
    exit(1);
  }
  atexit(remove_folder);
  make_folder("git-workflow");
  write_file("git-workflow/SKILL.md",
             "---\n"
             "name: git-workflow\n"
             "description: How to name branches, and how to write commits\n"
             "license: MIT\n"
             "metadata:\n"
             "  version: \"1.0\"\n"
             "---\n"
             "# Git\n\n"
             "Read [the rules](references/COMMITS.md) first.\n");
  make_folder("git-workflow/references");
  write_file("git-workflow/references/COMMITS.md",
             "# Commits\n\nOne change a commit.\n");
  make_folder("git-workflow/scripts");
  write_file("git-workflow/scripts/check.sh", "#!/bin/sh\ngit log -1\n");
  make_folder("pdf-forms");
  write_file("pdf-forms/SKILL.md", "---\n"
                                   "name: pdf-forms\n"
                                   "description: >-\n"
                                   "  How to fill in\n"
                                   "  forms in PDF\n"
                                   "---\n"
                                   "# Forms\n");
  mcp_server_add_skills(
      server, folder,
      &(mcp_skills_options){.size = sizeof(mcp_skills_options),
                            .directory_read = 1},
      NULL);
}
