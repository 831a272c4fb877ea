/* SPDX-License-Identifier: MIT */
/* The command line of mcp_main: a word in each line. The program
 * can show each option that it accepts. It reads the addresses that the options
 * name, and writes them as addresses again. */
#include "../steps.h"
#include "main/options.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <unistd.h>

enum { MAX_WORDS = 64 };

/* No name is looked up away from this machine. */
__attribute__((visibility("default"))) int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
            struct addrinfo **list) {
  int (*real)(const char *, const char *, const struct addrinfo *,
              struct addrinfo **);
  void *found = dlsym(RTLD_NEXT, "getaddrinfo");
  memcpy(&real, &found, sizeof(real));
  return strcmp(name, "localhost") == 0 ? real(name, service, hints, list)
                                        : EAI_NONAME;
}

static int on_own(const mcp_main_option *option, const char *value,
                  void *userdata) {
  (void)option;
  (void)userdata;
  return value != NULL && strcmp(value, "bad") == 0 ? -1 : 0;
}

static void check_address(const mcpi_main_address *given) {
  mcpi_address address;
  mcpi_address again;
  char text[MCPI_ADDRESS_TEXT];
  char text_again[MCPI_ADDRESS_TEXT];
  mcp_error err = {0};
  if (mcpi_address_parse(&address, given->text, &err) != 0) {
    check(err.message[0] != '\0');
    return;
  }
  mcpi_address_format(&address, text);
  check(mcpi_address_parse(&again, text, &err) == 0);
  mcpi_address_format(&again, text_again);
  check(strcmp(text, text_again) == 0);
}

static void show(const mcpi_main_table *tables, size_t count) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  check(out != NULL);
  mcpi_main_help(out, "fuzz", "A summary.", tables, count);
  fclose(out);
  check(len > 0);
  free(text);
}

static void read_words(int argc, char **argv) {
  static const mcp_main_option program[] = {
      {"allow", "NAME", "a name to allow", on_own, NULL, {NULL}},
      {"dry", NULL, NULL, on_own, NULL, {NULL}},
      {NULL, "DIR", "the folder to serve", on_own, NULL, {NULL}}};
  static mcpi_main_settings settings;
  mcp_main_option own[MCPI_MAIN_OWN_COUNT];
  mcp_main_option limits[MCPI_MAIN_LIMIT_COUNT];
  const mcpi_main_table tables[] = {{program, 3, 0},
                                    {own, MCPI_MAIN_OWN_COUNT, 0},
                                    {limits, MCPI_MAIN_LIMIT_COUNT, 0}};
  const char *name = mcpi_main_program_name(argc, argv);
  mcpi_main_own_options(own, &settings, name);
  mcpi_main_limit_options(limits, &settings);
  if (mcpi_main_parse(name, argc, argv, tables, 3) == 0 &&
      mcpi_main_check_settings(&settings) == 0) {
    mcp_limits options = {.size = sizeof(mcp_limits)};
    mcpi_main_limit_server(&settings, &options);
    mcpi_main_make_whole(&settings);
    check(settings.whole.endpoint.path == settings.http.path);
    check(mcpi_main_serves_stdio(&settings) || settings.address_count > 0);
    check(settings.address_count <= MCPI_MAIN_ADDRESSES_MAX);
    for (size_t i = 0; i < settings.address_count; i++) {
      check_address(&settings.addresses[i]);
    }
  }
  mcpi_main_refuse(&settings, "max_calls: too many");
  if (settings.wants_help) {
    show(tables, 3);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  char *argv[MAX_WORDS + 1] = {NULL};
  int argc = 0;
  if (len > 4096) {
    return 0;
  }
  char *text = calloc(len + 1, 1);
  check(text != NULL);
  if (len > 0) {
    memcpy(text, data, len);
  }
  for (char *word = text; word != NULL && argc < MAX_WORDS;) {
    char *end = strchr(word, '\n');
    argv[argc++] = word;
    if (end != NULL) {
      *end++ = '\0';
    }
    word = end;
  }
  int saved = dup(STDERR_FILENO); /* complaints go nowhere */
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO);
  read_words(argc, argv);
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(nowhere);
  free(text);
  return 0;
}
