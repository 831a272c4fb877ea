/* SPDX-License-Identifier: MIT */
/* Checks that the wire transcripts show every cell of the method table: each
 * method in each revision that has it, in one of our server and in one of our
 * client. A request is shown when a result answers it, or when it is embedded
 * in a result; a refusal shows nothing. */
#include "core/method.h"
#include "json/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERVER, CLIENT, SIDE_COUNT };
static const char *const sides[SIDE_COUNT] = {"server", "client"};

static int shown[SIDE_COUNT][MCPI_M_COUNT][MCPI_REVISION_COUNT];

/* More than any transcript has. */
enum { MAX_MESSAGES = 2000 };

typedef struct asked {
  char sender; /* 'C' or 'S' */
  const mcp_json *id;
  const mcpi_method *method;
} asked;

static struct {
  const mcpi_revision *revision;
  int side;
  mcp_doc *docs[MAX_MESSAGES]; /* what the ids lie in */
  size_t doc_count;
  asked asked[MAX_MESSAGES];
  size_t asked_count;
} transcript;

/* Transcripts of 2026-07-28 are run in the newest revision (wire.c). */
static void show(const mcpi_method *method) {
  int revision = transcript.revision->index;
  shown[transcript.side][method->id][revision] = 1;
  if (revision == MCPI_REVISION_2026_07_28) {
    shown[transcript.side][method->id][MCPI_REVISION_NEWEST] = 1;
  }
}

static const mcpi_method *method_of(const mcp_json *message) {
  return mcpi_method_find(mcpi_json_str(mcp_json_get(message, "method")));
}

static void note_result(char sender, const mcp_json *id,
                        const mcp_json *result) {
  for (size_t i = 0; i < transcript.asked_count; i++) {
    const asked *request = &transcript.asked[i];
    if (request->sender != sender && mcp_json_equal(request->id, id)) {
      show(request->method);
    }
  }
  mcp_json_iter iter;
  const mcp_json *embedded;
  mcp_json_iter_init(&iter, mcp_json_get(result, "inputRequests"));
  while ((embedded = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (method_of(embedded) != NULL) {
      show(method_of(embedded));
    }
  }
}

static void note_message(char sender, const mcp_json *message) {
  const mcpi_method *method = method_of(message);
  const mcp_json *id = mcp_json_get(message, "id");
  const mcp_json *result = mcp_json_get(message, "result");
  if (method != NULL && id == NULL) {
    show(method);
  } else if (method != NULL && transcript.asked_count < MAX_MESSAGES) {
    transcript.asked[transcript.asked_count++] = (asked){sender, id, method};
  } else if (result != NULL) {
    note_result(sender, id, result);
  }
}

static void note_line(char sender, const char *text) {
  mcp_doc *doc;
  if (transcript.doc_count == MAX_MESSAGES ||
      (doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL)) == NULL) {
    return; /* some are broken on purpose */
  }
  transcript.docs[transcript.doc_count++] = doc;
  const mcp_json *root = mcp_doc_root(doc);
  if (mcp_json_type(root) != MCP_JSON_ARRAY) {
    note_message(sender, root);
    return;
  }
  mcp_json_iter batch;
  const mcp_json *message;
  mcp_json_iter_init(&batch, root);
  while ((message = mcp_json_iter_next(&batch, NULL)) != NULL) {
    note_message(sender, message);
  }
}

static void take_line(const char *line) {
  if (strncmp(line, "revision ", 9) == 0) {
    transcript.revision = mcpi_revision_find(mcpi_str_z(line + 9));
  } else if (strncmp(line, "side ", 5) == 0) {
    transcript.side = strcmp(line + 5, sides[CLIENT]) == 0 ? CLIENT : SERVER;
  } else if ((strncmp(line, "C ", 2) == 0 || strncmp(line, "S ", 2) == 0) &&
             transcript.revision != NULL) {
    note_line(line[0], line + 2);
  }
}

static void read_transcript(const char *path) {
  static char line[1 << 20];
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    take_line(line);
  }
  fclose(file);
  for (size_t i = 0; i < transcript.doc_count; i++) {
    mcp_doc_free(transcript.docs[i]);
  }
  memset(&transcript, 0, sizeof transcript);
}

/* Whether both sides show it. */
static int is_shown(const mcpi_method *method, const mcpi_revision *revision) {
  int count = 0;
  for (int side = 0; side < SIDE_COUNT; side++) {
    if (shown[side][method->id][revision->index]) {
      count++;
    } else {
      printf("no transcript of our %s shows %s in %s\n", sides[side],
             method->name, revision->name);
    }
  }
  return count == SIDE_COUNT;
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
        missing += !is_shown(&mcpi_methods[m], &mcpi_revisions[r]);
      }
    }
  }
  printf("%d of %d cells shown\n", cells - missing, cells);
  return missing != 0;
}
