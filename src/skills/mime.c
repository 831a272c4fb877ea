/* SPDX-License-Identifier: MIT */
#include "skills/mime.h"

#include <string.h>
#include <strings.h>

typedef struct mime_row {
  const char *suffix;
  const char *type;
  int is_text;
} mime_row;

/* The languages and formats that skills have most. */
static const mime_row rows[] = {
    {"md", "text/markdown", 1},
    {"txt", "text/plain", 1},
    {"csv", "text/csv", 1},
    {"html", "text/html", 1},
    {"css", "text/css", 1},
    {"xml", "application/xml", 1},
    {"json", "application/json", 1},
    {"yaml", "application/yaml", 1},
    {"yml", "application/yaml", 1},
    {"toml", "application/toml", 1},
    {"js", "text/javascript", 1},
    {"mjs", "text/javascript", 1},
    {"ts", "text/x-typescript", 1},
    {"py", "text/x-python", 1},
    {"sh", "application/x-sh", 1},
    {"c", "text/x-c", 1},
    {"h", "text/x-c", 1},
    {"svg", "image/svg+xml", 1},
    {"png", "image/png", 0},
    {"jpg", "image/jpeg", 0},
    {"jpeg", "image/jpeg", 0},
    {"gif", "image/gif", 0},
    {"webp", "image/webp", 0},
    {"pdf", "application/pdf", 0},
    {"zip", "application/zip", 0},
    {"docx",
     "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
     0},
    {"xlsx",
     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", 0},
    {"pptx",
     "application/vnd.openxmlformats-officedocument.presentationml."
     "presentation",
     0},
};

const char *mcpi_skill_mime_type(const char *path, int is_text) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash != NULL ? slash : path, '.');
  for (size_t i = 0; dot != NULL && i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (strcasecmp(dot + 1, rows[i].suffix) == 0 &&
        (is_text || !rows[i].is_text)) {
      return rows[i].type;
    }
  }
  return is_text ? "text/plain" : "application/octet-stream";
}
