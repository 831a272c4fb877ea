/* SPDX-License-Identifier: MIT */
#include "generate/names.h"

#include <mcp/error.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the set ----------------------------------------------------------- */

static size_t names_hash(const char *name) {
  uint64_t hash = 14695981039346656037U; /* FNV-1a */
  for (; *name != '\0'; name++) {
    hash = (hash ^ (unsigned char)*name) * 1099511628211U;
  }
  return (size_t)(hash ^ (hash >> 32));
}

/* The slot that has the name, or the free one for it. */
static ctl_named *names_slot(ctl_named *slots, size_t size, const char *name) {
  size_t at = names_hash(name) & (size - 1);
  while (slots[at].name != NULL && strcmp(slots[at].name, name) != 0) {
    at = (at + 1) & (size - 1);
  }
  return &slots[at];
}

static int names_grow(ctl_names *names) {
  size_t size = names->size == 0 ? 64 : names->size * 2;
  ctl_named *slots = calloc(size, sizeof(*slots));
  if (slots == NULL) {
    return MCP_ERR_NOMEM;
  }
  for (size_t i = 0; i < names->size; i++) {
    if (names->slots[i].name != NULL) {
      *names_slot(slots, size, names->slots[i].name) = names->slots[i];
    }
  }
  free(names->slots);
  names->slots = slots;
  names->size = size;
  return 0;
}

/* The slot of a name, which gets one if it has none. NULL: out of memory. */
static ctl_named *names_put(ctl_names *names, const char *name) {
  if (names->count * 2 >= names->size && names_grow(names) != 0) {
    return NULL;
  }
  ctl_named *slot = names_slot(names->slots, names->size, name);
  if (slot->name == NULL) {
    slot->name = strdup(name);
    names->count += slot->name != NULL;
  }
  return slot->name != NULL ? slot : NULL;
}

int ctl_names_has(const ctl_names *names, const char *name) {
  return names->size > 0 &&
         names_slot(names->slots, names->size, name)->is_taken;
}

int ctl_names_add(ctl_names *names, const char *name) {
  ctl_named *slot = names_put(names, name);
  if (slot == NULL) {
    return MCP_ERR_NOMEM;
  }
  slot->is_taken = 1;
  return 0;
}

unsigned ctl_names_number(ctl_names *names, const char *name) {
  ctl_named *slot = names_put(names, name);
  if (slot == NULL) {
    return 0;
  }
  slot->number = slot->number == 0 ? 2 : slot->number + 1;
  return slot->number;
}

void ctl_names_deinit(ctl_names *names) {
  for (size_t i = 0; i < names->size; i++) {
    free(names->slots[i].name);
  }
  free(names->slots);
  *names = (ctl_names){0};
}

/* ---- parts ------------------------------------------------------------- */

/* Not isalnum: the locale must not matter. */
static int is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static int is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

static int is_upper(char byte) {
  return byte >= 'A' && byte <= 'Z';
}

/* Adds a byte, or an underscore unless one is there. */
static size_t part_put(char out[CTL_NAME_SIZE], size_t len, char byte) {
  if (len + 1 >= CTL_NAME_SIZE ||
      (byte == '_' && (len == 0 || out[len - 1] == '_'))) {
    return len;
  }
  out[len] = byte;
  return len + 1;
}

void ctl_name_part(char out[CTL_NAME_SIZE], const char *name) {
  size_t len = 0;
  for (; *name != '\0'; name++) {
    len = part_put(out, len, is_letter(*name) || is_digit(*name) ? *name : '_');
  }
  while (len > 0 && out[len - 1] == '_') {
    len--;
  }
  out[len] = '\0';
}

void ctl_name_upper(char out[CTL_NAME_SIZE], const char *name) {
  ctl_name_part(out, name);
  for (char *at = out; *at != '\0'; at++) {
    *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
  }
}

void ctl_name_lower(char out[CTL_NAME_SIZE], const char *name) {
  char part[CTL_NAME_SIZE];
  size_t len = 0;
  ctl_name_part(part, name);
  for (size_t i = 0; part[i] != '\0'; i++) {
    int begins_word = is_upper(part[i]) && i > 0 && !is_upper(part[i - 1]);
    len = begins_word ? part_put(out, len, '_') : len;
    len = part_put(out, len,
                   is_upper(part[i]) ? (char)(part[i] - 'A' + 'a') : part[i]);
  }
  while (len > 0 && out[len - 1] == '_') {
    len--;
  }
  out[len] = '\0';
}

/* ---- members ----------------------------------------------------------- */

/* Words of C up to C23 and of C++ up to C++23, and macros that common headers
 * or compilers have. */
static const char *const taken_words[] = {"alignas",       "alignof",
                                          "and",           "and_eq",
                                          "asm",           "assert",
                                          "auto",          "bitand",
                                          "bitor",         "bool",
                                          "break",         "case",
                                          "catch",         "char",
                                          "char16_t",      "char32_t",
                                          "char8_t",       "class",
                                          "co_await",      "co_return",
                                          "co_yield",      "compl",
                                          "complex",       "concept",
                                          "const",         "const_cast",
                                          "consteval",     "constexpr",
                                          "constinit",     "continue",
                                          "decltype",      "default",
                                          "delete",        "do",
                                          "double",        "dynamic_cast",
                                          "else",          "enum",
                                          "errno",         "explicit",
                                          "export",        "extern",
                                          "false",         "far",
                                          "float",         "for",
                                          "friend",        "goto",
                                          "i386",          "if",
                                          "imaginary",     "inline",
                                          "int",           "interface",
                                          "linux",         "long",
                                          "mutable",       "namespace",
                                          "near",          "new",
                                          "noexcept",      "noreturn",
                                          "not",           "not_eq",
                                          "nullptr",       "offsetof",
                                          "operator",      "or",
                                          "or_eq",         "private",
                                          "protected",     "public",
                                          "register",      "reinterpret_cast",
                                          "requires",      "restrict",
                                          "return",        "short",
                                          "signed",        "sizeof",
                                          "small",         "static",
                                          "static_assert", "static_cast",
                                          "stderr",        "stdin",
                                          "stdout",        "struct",
                                          "switch",        "template",
                                          "this",          "thread_local",
                                          "throw",         "true",
                                          "try",           "typedef",
                                          "typeid",        "typename",
                                          "typeof",        "typeof_unqual",
                                          "union",         "unix",
                                          "unsigned",      "using",
                                          "virtual",       "void",
                                          "volatile",      "wchar_t",
                                          "while",         "xor",
                                          "xor_eq",        "CHAR_BIT",
                                          "EOF",           "FILE",
                                          "NULL",          "RAND_MAX",
                                          "BUFSIZ",        "TRUE",
                                          "FALSE",         "IN",
                                          "OUT",           "min",
                                          "max",           NULL};

static int is_word(const char *name) {
  for (const char *const *word = taken_words; *word != NULL; word++) {
    if (strcmp(name, *word) == 0) {
      return 1;
    }
  }
  return 0;
}

int ctl_name_is_reserved(const char *name) {
  size_t len = strlen(name);
  return is_word(name) || (len > 2 && strcmp(name + len - 2, "_t") == 0);
}

int ctl_name_is_usable(const char *name) {
  if (!is_letter(name[0]) || strstr(name, "__") != NULL ||
      strlen(name) >= CTL_NAME_SIZE) {
    return 0;
  }
  for (const char *at = name; *at != '\0'; at++) {
    if (!is_letter(*at) && !is_digit(*at) && *at != '_') {
      return 0;
    }
  }
  /* mcp_self_ and the macros of mcp/fields.h. */
  if (strncmp(name, "mcp_", 4) == 0 || strncmp(name, "MCP_", 4) == 0) {
    return 0;
  }
  return !is_word(name);
}

void ctl_name_member(char out[CTL_NAME_SIZE], const char *name) {
  char part[CTL_NAME_SIZE];
  if (ctl_name_is_usable(name)) {
    memcpy(out, name, strlen(name) + 1);
    return;
  }
  ctl_name_part(part, name);
  part[CTL_NAME_SIZE - 8] = '\0';
  if (ctl_name_is_usable(part)) {
    memcpy(out, part, strlen(part) + 1);
  } else if (part[0] == '\0') {
    snprintf(out, CTL_NAME_SIZE, "field");
  } else if (is_digit(part[0]) || strncmp(part, "mcp_", 4) == 0 ||
             strncmp(part, "MCP_", 4) == 0) {
    snprintf(out, CTL_NAME_SIZE, "f_%.50s", part);
  } else { /* a word */
    snprintf(out, CTL_NAME_SIZE, "%.50s_", part);
  }
}
