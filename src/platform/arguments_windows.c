/* SPDX-License-Identifier: MIT */
#include "platform/arguments.h"

#include "base/alloc.h"

#include <string.h>
/* before shellapi.h */
#include <windows.h>

#include <shellapi.h>

/* Returns NULL without memory. */
static char *to_page(const wchar_t *wide, UINT page) {
  int size = WideCharToMultiByte(page, 0, wide, -1, NULL, 0, NULL, NULL);
  char *text =
      size > 0 ? mcpi_alloc(mcp_allocator_default(), (size_t)size) : NULL;
  if (text != NULL) {
    WideCharToMultiByte(page, 0, wide, -1, text, size, NULL, NULL);
  }
  return text;
}

/* Whether main got this argument, in its own form. */
static int is_same(const wchar_t *wide, const char *given) {
  char *text = to_page(wide, CP_ACP);
  int same = text != NULL && strcmp(text, given) == 0;
  mcpi_strfree(mcp_allocator_default(), text);
  return same;
}

char **mcpi_arguments(int argc, char **argv) {
  int count = 0;
  wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
  char **out =
      mcpi_calloc(mcp_allocator_default(), (size_t)argc + 1, sizeof(*out));
  if (wide == NULL || out == NULL) {
    return argv;
  }
  for (int i = 0; i < argc; i++) {
    char *text = i < count && is_same(wide[i], argv[i])
                     ? to_page(wide[i], CP_UTF8)
                     : NULL;
    out[i] = text != NULL ? text : argv[i];
  }
  LocalFree(wide);
  return out;
}
