/* SPDX-License-Identifier: MIT */
#include "ext/tasks/note.h"

#include "ext/tasks/work.h"

typedef struct task_note {
  mcpi_task_work work;
  mcp_doc *state;
  char id[MCPI_TASK_ID_SIZE];
} task_note;

static int change_state(mcpi_task_work *work, mcpi_task_data *data) {
  const task_note *note = MCPI_CONTAINER(work, task_note, work);
  if (data->status != MCPI_TASK_WORKING) {
    return 0;
  }
  data->state = mcp_doc_root(note->state);
  return 1;
}

static void note_free(task_note *note) {
  const mcp_allocator *allocator = &note->work.shard->server->allocator;
  mcp_doc_free(note->state);
  mcpi_free(allocator, note, sizeof(*note));
}

static void report_unnoted(mcpi_shard *shard, const char *id, int status) {
  mcpi_shard_report(shard, status,
                    "task %s: the state that its handler noted could not be "
                    "stored: %s",
                    id, mcp_error_text(status));
}

static void note_on_done(mcpi_task_work *work, int status,
                         const mcpi_task_data *data) {
  task_note *note = MCPI_CONTAINER(work, task_note, work);
  (void)data;
  if (status != 0 && status != MCP_ERR_NOT_FOUND) {
    report_unnoted(work->shard, note->id, status);
  }
  note_free(note);
}

void mcpi_task_note(mcpi_tasks *tasks, mcpi_shard *shard, const char *id,
                    mcpi_str state) {
  const mcp_allocator *allocator = &shard->server->allocator;
  task_note *note = mcpi_calloc(allocator, 1, sizeof(*note));
  if (note == NULL) {
    report_unnoted(shard, id, MCP_ERR_NOMEM);
    return;
  }
  memcpy(note->id, id, strlen(id) + 1);
  note->work = (mcpi_task_work){.tasks = tasks,
                                .shard = shard,
                                .id = note->id,
                                .is_ours = 1,
                                .change = change_state,
                                .done = note_on_done};
  int rc =
      mcpi_doc_parse(&note->state, state.ptr, state.len, NULL, allocator, NULL);
  if (rc != 0) {
    report_unnoted(shard, id, rc);
    note_free(note);
    return;
  }
  mcpi_task_work_start(&note->work);
}
