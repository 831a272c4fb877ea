/* SPDX-License-Identifier: MIT */
/* Runs a fuzzer's function over every file of the folders that are named, so
 * that what a fuzzer once found is tested everywhere. */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The file's bytes in memory of just that size, so that a sanitizer sees a
 * read past them. */
static int run_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    return -1;
  }
  size_t len = (size_t)ftell(file);
  uint8_t *data = malloc(len > 0 ? len : 1);
  rewind(file);
  if (data == NULL || fread(data, 1, len, file) != len) {
    perror(path);
    return -1;
  }
  fclose(file);
  LLVMFuzzerTestOneInput(data, len);
  free(data);
  return 0;
}

/* How many files there were, or -1. */
static int run_folder(const char *folder) {
  DIR *dir = opendir(folder);
  const struct dirent *entry;
  int count = 0;
  if (dir == NULL) {
    perror(folder);
    return -1;
  }
  while (count >= 0 && (entry = readdir(dir)) != NULL) {
    char path[4096];
    if (entry->d_name[0] != '.') {
      snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
      count = run_file(path) == 0 ? count + 1 : -1;
    }
  }
  closedir(dir);
  return count;
}

int main(int argc, char **argv) {
  int total = 0;
  for (int i = 1; i < argc; i++) {
    int count = run_folder(argv[i]);
    if (count <= 0) {
      fprintf(stderr, "%s: no input was run\n", argv[i]);
      return 1;
    }
    total += count;
  }
  printf("%d inputs\n", total);
  return total > 0 ? 0 : 1;
}
