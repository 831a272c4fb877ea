/* SPDX-License-Identifier: MIT */
/* Lets a server of the legacy era read the roots before the first request.
 *
 * Such servers ask for the roots after `initialized`, and answer calls in the
 * meantime. A ping shows whether the server asks: the question arrives before
 * the ping's answer. The answer to a second ping arrives after the server has
 * read the roots. The server may still need time for them, for example to look
 * at the folders; no message reports that, so mcpctl waits a moment. */
#include "connection/settle.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "platform/wait.h"

enum { PING_MS = 1000, MOMENT_MS = 100 };

void ctl_settle_roots(mcp_question *question, void *userdata) {
  ctl_session *session = userdata;
  session->asked_for_roots = 1;
  if (mcp_question_answer(question, session->roots, NULL) != 0) {
    mcp_question_fail(question, MCP_RPC_INTERNAL_ERROR, "out of memory");
  }
}

static int settle_start_ping(ctl_session *session,
                             const mcp_request_options *options) {
  mcp_request_options brief = *options;
  brief.timeout_ms =
      options->timeout_ms < PING_MS ? options->timeout_ms : PING_MS;
  return mcp_client_ping(session->client, &brief, ctl_session_done, session,
                         &session->error);
}

/* Sends a ping. The run continues if the server refuses it or does not answer
 * in time. */
static int settle_ping(ctl_session *session) {
  int status = ctl_session_request(session, settle_start_ping);
  return status == MCP_ERR_REMOTE || status == MCP_ERR_TIMEOUT ? 0 : status;
}

static void settle_wait(ctl_session *session) {
  int64_t end_ns = ctl_now_ns() + (int64_t)MOMENT_MS * 1000000;
  int64_t left_ms = MOMENT_MS;
  while (left_ms > 0 && !session->is_closed && !ctl_interrupt_has_come()) {
    mcp_loop_step(session->loop);
    ctl_wait(session->loop, -1, (int)left_ms);
    left_ms = (end_ns - ctl_now_ns() + 999999) / 1000000;
  }
}

int ctl_settle(ctl_session *session) {
  const char *revision = mcp_client_revision(session->client);
  int is_settled = session->is_settled;
  session->is_settled = 1;
  if (is_settled || session->roots == NULL || revision == NULL ||
      mcp_revision_era(revision) == MCP_ERA_MODERN) {
    return 0; /* the modern era asks for roots in the answer to a call */
  }
  int status = settle_ping(session);
  if (status == 0 && session->asked_for_roots) {
    status = settle_ping(session);
    settle_wait(session);
  }
  return status;
}
