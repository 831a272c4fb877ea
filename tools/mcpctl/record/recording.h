/* SPDX-License-Identifier: MIT */
/* A recording as it is read: its messages, and which answers which. */
#ifndef CTL_RECORDING_H
#define CTL_RECORDING_H

#include <mcp/json.h>

enum { CTL_NO_ENTRY = -1 };

/* A message. A batch becomes one entry for each message in it. */
typedef struct ctl_entry {
  size_t line; /* in the file; counts from 1 */
  int is_client;
  int kind; /* CTL_MESSAGE_* of envelope.h */
  const mcp_json *message;
  /* For a request: the entry with its answer; for an answer: that with its
   * request; CTL_NO_ENTRY: there is none. */
  int partner;
  /* For a message of the server that is not an answer: the entry of the client
   * after which the server sent it; CTL_NO_ENTRY: the server spoke first. */
  int cause;
  int is_cancelled; /* a request: the client has cancelled it */
  int is_used;      /* for the verb that reads the recording */
} ctl_entry;

typedef struct ctl_recording {
  ctl_entry *entries;
  int count;
  mcp_doc **docs;
  size_t doc_count;
} ctl_recording;

/* Reads the text of a file. Lines of junk are left out.
 *
 * @param out end it with ctl_recording_deinit, on failure too
 * @param err not NULL; receives "line 2: why"
 * @return 0 or MCP_ERR_* */
int ctl_recording_parse(ctl_recording *out, const char *text, size_t len,
                        mcp_error *err);
void ctl_recording_deinit(ctl_recording *recording);

/* Whether two requests or notifications ask the same: their method is the same,
 * and their params apart from `_meta`. */
int ctl_recording_is_same(const mcp_json *a, const mcp_json *b);

/* The recorded message of one side that asks the same: the first one that was
 * not used, else the last one. CTL_NO_ENTRY: there is none. */
int ctl_recording_find(const ctl_recording *recording, int is_client,
                       const mcp_json *message);

#endif
