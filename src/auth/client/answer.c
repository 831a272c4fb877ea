/* SPDX-License-Identifier: MIT */
/* What the head of an answer says of authorization. */
#include "auth/client/auth.h"
#include "codec/http_value.h"

enum {
  /* Bytes of all challenges: an answer's head has as many at most. Further
   * lines are ignored. */
  CHALLENGES_MAX = 16 * 1024,
  /* Bytes of a nonce. Servers send less than a hundred; a longer one is
   * ignored. */
  NONCE_MAX = 1024
};

void mcpi_auth_answer_init(mcpi_auth_answer *answer,
                           const mcp_allocator *allocator) {
  *answer = (mcpi_auth_answer){.allocator = allocator};
  mcpi_buf_init(&answer->challenges, allocator, CHALLENGES_MAX);
}

void mcpi_auth_answer_deinit(mcpi_auth_answer *answer) {
  mcpi_buf_deinit(&answer->challenges);
  mcpi_strfree_wiped(answer->allocator, answer->nonce);
  answer->nonce = NULL;
}

void mcpi_auth_answer_clear(mcpi_auth_answer *answer) {
  mcpi_buf_clear(&answer->challenges);
  mcpi_strfree_wiped(answer->allocator, answer->nonce);
  answer->nonce = NULL;
}

/* The characters of a nonce (RFC 9449, 8.1). */
static int is_nonce(mcpi_str value) {
  for (size_t i = 0; i < value.len; i++) {
    char c = value.ptr[i];
    if (c <= ' ' || c > '~' || c == '"' || c == '\\') {
      return 0;
    }
  }
  return value.len > 0 && value.len <= NONCE_MAX;
}

static int answer_take_nonce(mcpi_auth_answer *answer, mcpi_str value) {
  if (!is_nonce(value)) {
    return 0;
  }
  char *nonce = mcpi_strndup(answer->allocator, value.ptr, value.len);
  if (nonce == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_strfree_wiped(answer->allocator, answer->nonce);
  answer->nonce = nonce;
  return 0;
}

static int answer_take_challenge(mcpi_auth_answer *answer, mcpi_str value) {
  size_t before = answer->challenges.len;
  mcpi_buf_puts(&answer->challenges, value);
  mcpi_buf_putc(&answer->challenges, '\n');
  int rc = answer->challenges.error;
  if (rc != 0) {
    mcpi_buf_rewind(&answer->challenges, before);
  }
  return rc == MCP_ERR_NOMEM ? MCP_ERR_NOMEM : 0;
}

static mcpi_str without_line_end(mcpi_str line) {
  while (line.len > 0 && strchr("\r\n", line.ptr[line.len - 1]) != NULL) {
    line.len--;
  }
  return line;
}

int mcpi_auth_answer_take(mcpi_auth_answer *answer, mcpi_str line) {
  mcpi_str value;
  line = without_line_end(line);
  if (mcpi_header_is_named(line, "WWW-Authenticate", &value)) {
    return answer_take_challenge(answer, value);
  }
  if (mcpi_header_is_named(line, "DPoP-Nonce", &value)) {
    return answer_take_nonce(answer, value);
  }
  return 0;
}
