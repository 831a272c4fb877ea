/* SPDX-License-Identifier: MIT */
/* Prompts, as they are registered (MCP, Prompts: Data Types). */
#include "base/widen.h"
#include "server/content.h"
#include "server/entry.h"

static int prompt_check_argument(const mcp_prompt_argument *argument,
                                 mcp_error *why) {
  if (argument->name == NULL || argument->name[0] == '\0') {
    return mcp_error_set(why, MCP_ERR_INVALID, "name is required");
  }
  if (mcpi_has_reserved(argument->reserved)) {
    return mcp_error_set(why, MCP_ERR_INVALID, "reserved is not NULL");
  }
  int rc = mcpi_check_reserved("padding", argument->padding, why);
  if (rc == 0) {
    rc = mcpi_text_check("name", argument->name, why);
  }
  if (rc == 0) {
    rc = mcpi_text_check("title", argument->title, why);
  }
  if (rc == 0) {
    rc = mcpi_text_check("description", argument->description, why);
  }
  return rc;
}

static int is_named_before(const mcpi_entry *entry, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (strcmp(entry->arguments[i].name, entry->arguments[index].name) == 0) {
      return 1;
    }
  }
  return 0;
}

static int prompt_check_arguments(mcpi_draft *draft) {
  const mcpi_entry *entry = &draft->entry;
  if (entry->arguments == NULL && entry->argument_count > 0) {
    return mcpi_draft_fail(draft, MCP_ERR_INVALID,
                           "arguments is NULL, argument_count %zu",
                           entry->argument_count);
  }
  for (size_t i = 0; i < entry->argument_count; i++) {
    mcp_error why;
    int rc = prompt_check_argument(&entry->arguments[i], &why);
    if (rc != 0) {
      return mcpi_draft_fail(draft, rc, "arguments[%zu]: %s", i, why.message);
    }
    if (is_named_before(entry, i)) {
      return mcpi_draft_fail(draft, MCP_ERR_INVALID,
                             "arguments[%zu]: name \"%s\" occurs twice", i,
                             entry->arguments[i].name);
    }
  }
  return 0;
}

static void prompt_fill(mcpi_entry *entry, const mcp_prompt *prompt) {
  entry->name = entry->key.ptr;
  entry->title = prompt->title;
  entry->description = prompt->description;
  entry->arguments = prompt->arguments;
  entry->argument_count = prompt->argument_count;
  entry->handler = prompt->handler;
  entry->complete = prompt->complete;
  entry->userdata = prompt->userdata;
  entry->release = prompt->release;
  entry->is_blocking = prompt->is_blocking != 0;
}

static int prompt_make(mcpi_draft *draft, const mcp_prompt *prompt) {
  prompt_fill(&draft->entry, prompt);
  int rc = mcpi_draft_common(draft, prompt->icons, prompt->icon_count,
                             prompt->meta, prompt->scopes);
  if (rc == 0) {
    rc = prompt_check_arguments(draft);
  }
  if (rc == 0 && prompt->handler == NULL) {
    rc = mcpi_draft_fail(draft, MCP_ERR_INVALID, "handler is required");
  }
  return rc;
}

int mcpi_entry_from_prompt(mcpi_entry **out, const mcp_prompt *prompt,
                           const mcp_allocator *allocator, mcp_error *err) {
  mcp_prompt whole;
  mcpi_draft draft;
  int rc = mcpi_widen(&whole, sizeof(whole), prompt, "mcp_prompt", err);
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_prompt.reserved", whole.reserved, err);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_draft_init(&draft, MCPI_PROMPTS, whole.name, allocator, err);
  rc = prompt_make(&draft, &whole);
  if (rc == 0) {
    rc = mcpi_draft_finish(&draft, out);
  }
  mcpi_draft_deinit(&draft);
  return rc;
}
