/* SPDX-License-Identifier: MIT */
/* Conversations that a server wants sampled. A map holds the ids that wait for
 * a result, so that a message with many is not searched for each. */
#include "core/sampling.h"

#include "base/map.h"
#include "json/json.h"

enum {
  /* The bytes of an id that an error shows. */
  SHOWN_BYTES = 64
};

typedef struct conversation {
  mcpi_map awaited; /* id -> the tool use without its result yet */
  size_t index;     /* the index of the current message */
  mcp_error *err;
} conversation;

/* --- blocks ------------------------------------------------------------- */

/* Content is one block or an array of them. */
typedef struct blocks {
  mcp_json_iter iter;
  const mcp_json *single;
} blocks;

static blocks blocks_of(const mcp_json *message) {
  const mcp_json *content = mcp_json_get(message, "content");
  blocks walk = {.single = content};
  if (mcp_json_type(content) == MCP_JSON_ARRAY) {
    walk.single = NULL;
  }
  mcp_json_iter_init(&walk.iter, walk.single == NULL ? content : NULL);
  return walk;
}

static const mcp_json *next_block(blocks *walk) {
  const mcp_json *block = walk->single;
  walk->single = NULL;
  return block != NULL ? block : mcp_json_iter_next(&walk->iter, NULL);
}

static int is_of_type(const mcp_json *block, mcpi_str type) {
  return mcpi_str_eq(mcpi_json_member_str(block, "type"), type);
}

static int has_results(const mcp_json *message) {
  blocks walk = blocks_of(message);
  const mcp_json *block;
  while ((block = next_block(&walk)) != NULL) {
    if (is_of_type(block, MCPI_STR("tool_result"))) {
      return 1;
    }
  }
  return 0;
}

/* --- complaints --------------------------------------------------------- */

static int conversation_complain(const conversation *talk, const char *what,
                                 mcpi_str id) {
  mcp_error_set(talk->err, MCP_ERR_INVALID, "params.messages[%zu]: %s \"%.*s\"",
                talk->index, what,
                (int)(id.len < SHOWN_BYTES ? id.len : SHOWN_BYTES),
                id.ptr != NULL ? id.ptr : "");
  return MCP_ERR_INVALID;
}

static int complain_of_rest(const conversation *talk) {
  size_t index = 0;
  const mcp_json *use = mcpi_map_next(&talk->awaited, &index);
  return conversation_complain(talk, "there is no result of the tool use",
                               mcpi_json_member_str(use, "id"));
}

/* --- one message -------------------------------------------------------- */

static int take_uses(conversation *talk, const mcp_json *message) {
  blocks walk = blocks_of(message);
  const mcp_json *block;
  while ((block = next_block(&walk)) != NULL) {
    if (!is_of_type(block, MCPI_STR("tool_use"))) {
      continue;
    }
    mcpi_str id = mcpi_json_member_str(block, "id");
    int rc = mcpi_map_add(&talk->awaited, id, (void *)(uintptr_t)block);
    if (rc == MCP_ERR_EXISTS) {
      return conversation_complain(talk, "there are two tool uses", id);
    }
    if (rc != 0) {
      return mcp_error_set(talk->err, rc, "%s", mcp_error_text(rc));
    }
  }
  return 0;
}

static int take_results(conversation *talk, const mcp_json *message) {
  blocks walk = blocks_of(message);
  const mcp_json *block;
  while ((block = next_block(&walk)) != NULL) {
    if (!is_of_type(block, MCPI_STR("tool_result"))) {
      return conversation_complain(talk, "among tool results there is",
                                   mcpi_json_member_str(block, "type"));
    }
    mcpi_str id = mcpi_json_member_str(block, "toolUseId");
    if (mcpi_map_remove(&talk->awaited, id) == NULL) {
      return conversation_complain(talk, "the message before has no tool use",
                                   id);
    }
  }
  return talk->awaited.count > 0 ? complain_of_rest(talk) : 0;
}

static int conversation_check_message(conversation *talk,
                                      const mcp_json *message) {
  mcpi_str role = mcpi_json_member_str(message, "role");
  int is_user = mcpi_str_eq(role, MCPI_STR("user"));
  if (talk->awaited.count > 0 && !(is_user && has_results(message))) {
    return complain_of_rest(talk);
  }
  if (is_user) {
    return has_results(message) ? take_results(talk, message) : 0;
  }
  return take_uses(talk, message);
}

static int check_messages(conversation *talk, const mcp_json *messages) {
  mcp_json_iter iter;
  const mcp_json *message;
  mcp_json_iter_init(&iter, messages);
  while ((message = mcp_json_iter_next(&iter, NULL)) != NULL) {
    int rc = conversation_check_message(talk, message);
    if (rc != 0) {
      return rc;
    }
    talk->index++;
  }
  return talk->awaited.count > 0 ? complain_of_rest(talk) : 0;
}

/* --- all of it ---------------------------------------------------------- */

int mcpi_sampling_check(const mcp_json *messages,
                        const mcp_allocator *allocator, const uint64_t seed[2],
                        mcp_error *err) {
  conversation talk = {.err = err};
  mcpi_map_init(&talk.awaited, allocator, seed);
  int rc = check_messages(&talk, messages);
  mcpi_map_deinit(&talk.awaited);
  return rc;
}
