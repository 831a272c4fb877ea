/* SPDX-License-Identifier: MIT */
/* usage: schema-suite [--quiet] DIR
 *
 * Runs the official JSON Schema test suite: the JSON files in DIR, with those
 * of the folder `remotes` above DIR as documents under http://localhost:1234/.
 * Below a folder draft7 the draft is draft-07, else 2020-12; in a folder
 * named `format` formats are checked. Prints each test that fails, then a
 * summary; ends with 1 when there was one. */
#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HOST "http://localhost:1234/"

enum { MAX_REMOTES = 512 };

typedef struct suite {
  mcp_schema_document remotes[MAX_REMOTES];
  mcp_doc *docs[MAX_REMOTES];
  size_t remote_count;
  const char *draft;
  int has_formats;
  int is_quiet;
  size_t passed;
  size_t failed;
} suite;

static void die(const char *what, const char *path) {
  fprintf(stderr, "schema-suite: %s: %s\n", path, what);
  exit(2);
}

/* --- files --------------------------------------------------------------- */

static mcp_doc *read_json(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t size = 16 * 1024 * 1024;
  char *text = malloc(size);
  mcp_doc *doc = NULL;
  mcp_error err;
  if (file == NULL || text == NULL) {
    die("cannot be read", path);
  }
  size_t len = fread(text, 1, size, file);
  fclose(file);
  if ((doc = mcp_doc_parse(text, len, NULL, NULL, &err)) == NULL) {
    die(err.message, path);
  }
  free(text);
  return doc;
}

static int is_json(const char *name) {
  size_t len = strlen(name);
  return len > 5 && strcmp(name + len - 5, ".json") == 0;
}

/* Calls for each JSON file below a folder, in the order of their names. */
static void each_file(const char *folder, const char *prefix, int is_deep,
                      void (*each)(suite *s, const char *path,
                                   const char *name),
                      suite *s) {
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, alphasort);
  if (count < 0) {
    die("no such folder", folder);
  }
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX];
    char name[PATH_MAX];
    struct stat info;
    const char *entry = entries[i]->d_name;
    snprintf(path, sizeof(path), "%s/%s", folder, entry);
    snprintf(name, sizeof(name), "%s%s", prefix, entry);
    if (entry[0] != '.' && stat(path, &info) == 0) {
      if (S_ISDIR(info.st_mode) && is_deep) {
        strncat(name, "/", sizeof(name) - strlen(name) - 1);
        each_file(path, name, is_deep, each, s);
      } else if (is_json(entry)) {
        each(s, path, name);
      }
    }
    free(entries[i]);
  }
  free(entries);
}

static void add_remote(suite *s, const char *path, const char *name) {
  char uri[2 * PATH_MAX];
  if (s->remote_count == MAX_REMOTES) {
    die("too many files", path);
  }
  snprintf(uri, sizeof(uri), HOST "%s", name);
  mcp_doc *doc = read_json(path);
  s->docs[s->remote_count] = doc;
  s->remotes[s->remote_count++] =
      (mcp_schema_document){.uri = strdup(uri), .schema = mcp_doc_root(doc)};
}

/* The first folder of that name beside one that the path leads through. */
static void find_remotes(suite *s, const char *folder) {
  char at[PATH_MAX];
  if (realpath(folder, at) == NULL) {
    die("no such folder", folder);
  }
  while (strcmp(at, "/") != 0) {
    char path[PATH_MAX + 16];
    struct stat info;
    snprintf(path, sizeof(path), "%s/remotes", at);
    if (stat(path, &info) == 0) {
      each_file(path, "", 1, add_remote, s);
      return;
    }
    char copy[PATH_MAX];
    memcpy(copy, at, sizeof(copy));
    snprintf(at, sizeof(at), "%s", dirname(copy));
  }
  die("there is no folder `remotes` above it", folder);
}

/* --- tests --------------------------------------------------------------- */

static const char *text(const mcp_json *value) {
  return mcp_json_string(mcp_json_get(value, "description"));
}

static void note(suite *s, const char *file, const mcp_json *group,
                 const mcp_json *test, const char *why) {
  s->failed++;
  if (!s->is_quiet) {
    printf("%s: %s: %s: %s\n", file, text(group), text(test), why);
  }
}

/* Both ways of asking must agree. */
static void run_test(suite *s, const char *file, const mcp_json *group,
                     const mcp_json *test, const mcp_validator *validator) {
  const mcp_json *data = mcp_json_get(test, "data");
  int is_valid = mcp_json_bool(mcp_json_get(test, "valid"));
  mcp_builder *errors = mcp_builder_new(NULL, NULL);
  int is_accepted = mcp_validator_accepts(validator, data);
  int rc = mcp_validator_check(validator, data, NULL, errors);
  if (is_accepted != is_valid) {
    note(s, file, group, test,
         is_accepted ? "is accepted" : mcp_builder_text(errors, NULL));
  } else if (rc != (is_valid ? 0 : MCP_ERR_SCHEMA)) {
    note(s, file, group, test, "mcp_validator_check says something else");
  } else {
    s->passed++;
  }
  mcp_builder_free(errors);
}

static void run_group(suite *s, const char *file, const mcp_json *group) {
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .draft = s->draft,
                                         .documents = s->remotes,
                                         .document_count = s->remote_count,
                                         .assert_formats =
                                             (uint32_t)s->has_formats};
  mcp_error err;
  mcp_json_iter iter;
  const mcp_json *test;
  mcp_validator *validator =
      mcp_validator_new(mcp_json_get(group, "schema"), &options, &err);
  mcp_json_iter_init(&iter, mcp_json_get(group, "tests"));
  while ((test = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (validator == NULL) {
      note(s, file, group, test, err.message);
    } else {
      run_test(s, file, group, test, validator);
    }
  }
  mcp_validator_unref(validator);
}

static void run_file(suite *s, const char *path, const char *name) {
  mcp_doc *doc = read_json(path);
  mcp_json_iter iter;
  const mcp_json *group;
  mcp_json_iter_init(&iter, mcp_doc_root(doc));
  while ((group = mcp_json_iter_next(&iter, NULL)) != NULL) {
    run_group(s, name, group);
  }
  mcp_doc_free(doc);
}

int main(int argc, char **argv) {
  static suite s;
  int at = 1;
  char folder[PATH_MAX];
  if (at < argc && strcmp(argv[at], "--quiet") == 0) {
    s.is_quiet = 1;
    at++;
  }
  if (at + 1 != argc) {
    fprintf(stderr, "usage: schema-suite [--quiet] DIR\n");
    return 2;
  }
  if (realpath(argv[at], folder) == NULL) {
    die("no such folder", argv[at]);
  }
  mcp_regex_provide(mcp_regex_pcre2());
  s.draft =
      strstr(folder, "/draft7") != NULL ? MCP_DRAFT_07 : MCP_DRAFT_2020_12;
  s.has_formats = strcmp(basename(folder), "format") == 0;
  find_remotes(&s, argv[at]);
  each_file(argv[at], "", 0, run_file, &s);
  printf("%zu passed, %zu failed, 0 skipped\n", s.passed, s.failed);
  for (size_t i = 0; i < s.remote_count; i++) {
    free((char *)(uintptr_t)s.remotes[i].uri);
    mcp_doc_free(s.docs[i]);
  }
  return s.failed == 0 && s.passed > 0 ? 0 : 1;
}
