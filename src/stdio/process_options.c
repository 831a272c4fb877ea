/* SPDX-License-Identifier: MIT */
/* A copy of the program's options for a child. */
#include "stdio/process_options.h"

#include "base/widen.h"
#include "net/stream.h"
#include "platform/environment.h"
#include <string.h>

enum { CLOSE_WAIT_MS = 2000, TERM_WAIT_MS = 2000 };

/* --- copying ------------------------------------------------------------- */

static size_t count_strings(const char *const *strings) {
  size_t count = 0;
  while (strings != NULL && strings[count] != NULL) {
    count++;
  }
  return count;
}

static size_t string_size(const char *string) {
  return string != NULL ? strlen(string) + 1 : 0;
}

/* Returns the size of the pointers and characters of a list. */
static size_t list_size(const char *const *strings) {
  size_t count = count_strings(strings);
  size_t size = (count + 1) * sizeof(*strings);
  for (size_t i = 0; i < count; i++) {
    size += string_size(strings[i]);
  }
  return size;
}

/* Copies to where `text` points, and moves `text` on. */
static const char *put_string(char **text, const char *string) {
  size_t size = string_size(string);
  char *copy = *text;
  if (size == 0) {
    return NULL;
  }
  memcpy(copy, string, size);
  *text += size;
  return copy;
}

static void put_list(const char **slots, char **text,
                     const char *const *strings) {
  size_t count = count_strings(strings);
  for (size_t i = 0; i < count; i++) {
    slots[i] = put_string(text, strings[i]);
  }
  slots[count] = NULL;
}

static int process_options_copy_strings(mcpi_process_options *options,
                                        const mcp_allocator *allocator) {
  mcp_process_options *given = &options->given;
  options->memory_size = list_size(given->argv) + list_size(given->env) +
                         string_size(given->working_directory);
  options->memory = mcpi_alloc(allocator, options->memory_size);
  if (options->memory == NULL) {
    return MCP_ERR_NOMEM;
  }
  const char **argv = options->memory;
  const char **env = argv + count_strings(given->argv) + 1;
  char *text = (char *)(env + count_strings(given->env) + 1);
  put_list(argv, &text, given->argv);
  put_list(env, &text, given->env);
  given->argv = argv;
  given->env = env;
  given->working_directory = put_string(&text, given->working_directory);
  return 0;
}

int mcpi_process_options_init(mcpi_process_options *options,
                              const mcp_process_options *given,
                              const mcp_allocator *allocator, mcp_error *err) {
  mcp_process_options *copy = &options->given;
  int rc = mcpi_widen(copy, sizeof(*copy), given, "mcp_process_options", err);
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_process_options.reserved", copy->reserved,
                             err);
  }
  if (rc == 0) {
    rc = mcpi_stream_options_copy(&options->stream, copy->stream, err);
  }
  if (rc != 0) {
    return rc;
  }
  copy->stream = &options->stream;
  if (count_strings(copy->argv) == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID, "no command to start");
  }
  mcpi_default_u32(&copy->close_wait_ms, CLOSE_WAIT_MS);
  mcpi_default_u32(&copy->term_wait_ms, TERM_WAIT_MS);
  rc = process_options_copy_strings(options, allocator);
  return rc == 0 ? 0 : mcp_error_set(err, rc, "%s", mcp_error_text(rc));
}

void mcpi_process_options_deinit(mcpi_process_options *options,
                                 const mcp_allocator *allocator) {
  mcpi_free(allocator, options->memory, options->memory_size);
}

/* --- the environment ----------------------------------------------------- */

static size_t name_len(const char *setting) {
  return strcspn(setting, "=");
}

static int has_name(const char *setting, const char *name, size_t len) {
  return name_len(setting) == len &&
         mcpi_environment_compare(setting, name, len) == 0;
}

static int is_safe(const char *setting) {
  for (size_t i = 0; mcpi_environment_safe[i] != NULL; i++) {
    const char *name = mcpi_environment_safe[i];
    if (has_name(setting, name, strlen(name))) {
      return 1;
    }
  }
  return strncmp(setting, "LC_", 3) == 0;
}

static int is_set_anew(const mcp_process_options *options,
                       const char *setting) {
  for (size_t i = 0; options->env[i] != NULL; i++) {
    if (has_name(options->env[i], setting, name_len(setting))) {
      return 1;
    }
  }
  return 0;
}

static void environment_fill(mcpi_process_environment *environment,
                             const mcp_process_options *options) {
  char **ours = environment->ours;
  size_t used = 0;
  for (size_t i = 0; ours[i] != NULL; i++) {
    if ((options->inherit_env || is_safe(ours[i])) &&
        !is_set_anew(options, ours[i])) {
      environment->list[used++] = ours[i];
    }
  }
  for (size_t i = 0; options->env[i] != NULL; i++) {
    environment->list[used++] = (char *)(uintptr_t)options->env[i];
  }
}

int mcpi_process_environment_init(mcpi_process_environment *environment,
                                  const mcp_process_options *options,
                                  const mcp_allocator *allocator) {
  char **ours = mcpi_environment_get(allocator);
  if (ours == NULL) {
    return MCP_ERR_NOMEM;
  }
  size_t size = count_strings((const char *const *)ours) +
                count_strings(options->env) + 1;
  char **list = mcpi_calloc(allocator, size, sizeof(*list));
  if (list == NULL) {
    mcpi_environment_free(ours, allocator);
    return MCP_ERR_NOMEM;
  }
  *environment = (mcpi_process_environment){list, size, ours};
  environment_fill(environment, options);
  return 0;
}

void mcpi_process_environment_deinit(mcpi_process_environment *environment,
                                     const mcp_allocator *allocator) {
  mcpi_free(allocator, environment->list,
            environment->size * sizeof(*environment->list));
  mcpi_environment_free(environment->ours, allocator);
}
