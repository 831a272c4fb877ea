/* SPDX-License-Identifier: MIT */
/* Entries: what all kinds have in common. */
#include "server/entry.h"

#include "auth/scopes.h"
#include "server/content.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

const char *mcpi_kind_name(int kind) {
  static const char *const names[] = {"tool", "prompt", "resource",
                                      "resource template"};
  return names[kind];
}

/* --- counts ------------------------------------------------------------- */

void mcpi_entry_unref(mcpi_entry *entry) {
  if (entry == NULL ||
      atomic_fetch_sub_explicit(&entry->refs, 1, memory_order_acq_rel) > 1) {
    return;
  }
  mcp_validator_unref(entry->input_validator);
  mcp_validator_unref(entry->output_validator);
  mcpi_http_params_free(entry->http_params);
  mcpi_uri_template_free(entry->tpl);
  void (*release)(void *userdata) = entry->release;
  void *userdata = entry->userdata;
  mcpi_free(entry->allocator, entry, entry->size);
  if (release != NULL) {
    release(userdata);
  }
}

void mcpi_entry_discard(mcpi_entry *entry) {
  entry->release = NULL;
  mcpi_entry_unref(entry);
}

/* --- drafts ------------------------------------------------------------- */

void mcpi_draft_init(mcpi_draft *draft, int kind, const char *key,
                     const mcp_allocator *allocator, mcp_error *err) {
  *draft = (mcpi_draft){.err = err};
  draft->entry.kind = kind;
  draft->entry.key = mcpi_str_z(key);
  draft->entry.allocator = allocator;
  mcpi_buf_init(&draft->icons, allocator, SIZE_MAX);
  mcpi_buf_init(&draft->meta, allocator, SIZE_MAX);
  mcpi_buf_init(&draft->content_meta, allocator, SIZE_MAX);
  mcpi_buf_init(&draft->plain_input, allocator, SIZE_MAX);
  mcpi_buf_init(&draft->plain_output, allocator, SIZE_MAX);
}

void mcpi_draft_deinit(mcpi_draft *draft) {
  mcp_validator_unref(draft->entry.input_validator);
  mcp_validator_unref(draft->entry.output_validator);
  mcpi_http_params_free(draft->entry.http_params);
  mcpi_uri_template_free(draft->entry.tpl);
  mcp_builder_free(draft->input);
  mcp_builder_free(draft->output);
  mcpi_buf_deinit(&draft->icons);
  mcpi_buf_deinit(&draft->meta);
  mcpi_buf_deinit(&draft->content_meta);
  mcpi_buf_deinit(&draft->plain_input);
  mcpi_buf_deinit(&draft->plain_output);
}

int mcpi_draft_fail(mcpi_draft *draft, int code, const char *format, ...) {
  char text[MCP_ERROR_TEXT_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  const char *key = draft->entry.key.ptr;
  return mcp_error_set(draft->err, code, "%s \"%s\": %s",
                       mcpi_kind_name(draft->entry.kind),
                       key != NULL ? key : "", text);
}

static int entry_check_texts(mcpi_draft *draft, mcp_error *why) {
  const mcpi_entry *entry = &draft->entry;
  const struct {
    const char *member;
    const char *text;
  } texts[] = {{"name", entry->name},
               {"title", entry->title},
               {"description", entry->description},
               {"mime_type", entry->mime_type}};
  int rc = 0;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == 0; i++) {
    rc = mcpi_text_check(texts[i].member, texts[i].text, why);
  }
  return rc;
}

static int make_icons(mcpi_draft *draft, const mcp_icon *icons, size_t count,
                      mcp_error *why) {
  int rc = mcpi_icons_check(icons, count, why);
  if (rc != 0 || count == 0) {
    return rc;
  }
  mcpi_icons_put(icons, count, &draft->icons);
  mcpi_buf_putc(&draft->icons, '\0');
  draft->entry.icons = draft->icons.data;
  return draft->icons.error;
}

int mcpi_draft_meta(mcpi_draft *draft, const char *member, const char *meta,
                    mcpi_buf *text, const char **out) {
  mcp_error why = {.message = "out of memory"};
  if (meta == NULL) {
    return 0;
  }
  int rc = mcpi_object_put(member, meta, text, &why);
  if (rc == 0) {
    mcpi_buf_putc(text, '\0');
    rc = text->error;
  }
  if (rc != 0) {
    return mcpi_draft_fail(draft, rc, "%s", why.message);
  }
  *out = text->data;
  return 0;
}

static int make_scopes(mcpi_draft *draft, const char *scopes, mcp_error *why) {
  if (scopes == NULL || scopes[0] == '\0') {
    return 0;
  }
  if (!mcpi_scopes_is_set(mcpi_str_z(scopes))) {
    return mcp_error_set(why, MCP_ERR_INVALID,
                         "scopes: \"%.100s\" is not a list of scopes with one "
                         "space between them",
                         scopes);
  }
  draft->entry.scopes = scopes;
  return 0;
}

int mcpi_draft_common(mcpi_draft *draft, const mcp_icon *icons,
                      size_t icon_count, const char *meta, const char *scopes) {
  mcp_error why = {.message = "out of memory"};
  int rc = 0;
  if (draft->entry.name == NULL || draft->entry.name[0] == '\0') {
    rc = mcp_error_set(&why, MCP_ERR_INVALID, "name is required");
  }
  if (rc == 0) {
    rc = entry_check_texts(draft, &why);
  }
  if (rc == 0) {
    rc = mcpi_annotations_widen(&draft->entry.annotations, &draft->annotations,
                                &why);
  }
  if (rc == 0) {
    rc = make_icons(draft, icons, icon_count, &why);
  }
  if (rc == 0) {
    rc = make_scopes(draft, scopes, &why);
  }
  if (rc != 0) {
    return mcpi_draft_fail(draft, rc, "%s", why.message);
  }
  return mcpi_draft_meta(draft, "meta", meta, &draft->meta, &draft->entry.meta);
}

/* --- copying ------------------------------------------------------------ */

/* The same walk over an entry's pointers runs twice: first without memory,
 * when it adds up the sizes, and then with memory, when it copies. */
typedef struct packer {
  char *memory;
  size_t size;
} packer;

static void *pack(packer *to, const void *bytes, size_t size, size_t align) {
  if (bytes == NULL) {
    return NULL;
  }
  to->size = (to->size + align - 1) / align * align;
  char *copy = to->memory != NULL ? to->memory + to->size : NULL;
  to->size += size;
  return copy != NULL && size > 0 ? memcpy(copy, bytes, size) : copy;
}

static const char *pack_string(packer *to, const char *string) {
  return pack(to, string, string != NULL ? strlen(string) + 1 : 0, 1);
}

static void pack_annotations(packer *to, mcpi_entry *entry) {
  const mcp_annotations *from = entry->annotations;
  if (from == NULL) {
    return;
  }
  mcp_annotations *copy =
      pack(to, from, sizeof(*from), alignof(mcp_annotations));
  const char *last_modified = pack_string(to, from->last_modified);
  if (copy != NULL) {
    copy->last_modified = last_modified;
  }
  entry->annotations = copy;
}

static void pack_arguments(packer *to, mcpi_entry *entry) {
  const mcp_prompt_argument *from = entry->arguments;
  mcp_prompt_argument *copy =
      pack(to, from, entry->argument_count * sizeof(*from),
           alignof(mcp_prompt_argument));
  for (size_t i = 0; i < entry->argument_count; i++) {
    const char *name = pack_string(to, from[i].name);
    const char *title = pack_string(to, from[i].title);
    const char *description = pack_string(to, from[i].description);
    if (copy != NULL) {
      copy[i].name = name;
      copy[i].title = title;
      copy[i].description = description;
    }
  }
  entry->arguments = copy;
}

static void pack_content(packer *to, mcpi_entry *entry) {
  entry->content_meta = pack_string(to, entry->content_meta);
  entry->text = pack_string(to, entry->text);
  entry->data = pack(to, entry->data, entry->data_len, 1);
}

/* Packs structures first: then they are aligned. */
static void pack_entry(packer *to, mcpi_entry *entry) {
  int is_named_by_key = entry->name == entry->key.ptr;
  pack_annotations(to, entry);
  pack_arguments(to, entry);
  entry->key.ptr = pack_string(to, entry->key.ptr);
  entry->name = is_named_by_key ? entry->key.ptr : pack_string(to, entry->name);
  entry->title = pack_string(to, entry->title);
  entry->description = pack_string(to, entry->description);
  entry->mime_type = pack_string(to, entry->mime_type);
  entry->meta = pack_string(to, entry->meta);
  entry->icons = pack_string(to, entry->icons);
  entry->input = pack_string(to, entry->input);
  entry->output = pack_string(to, entry->output);
  entry->plain_input = pack_string(to, entry->plain_input);
  entry->plain_output = pack_string(to, entry->plain_output);
  entry->scopes = pack_string(to, entry->scopes);
  pack_content(to, entry);
}

/* From here on the new entry owns these. */
static void take_owned(mcpi_entry *draft) {
  draft->input_validator = NULL;
  draft->output_validator = NULL;
  draft->http_params = NULL;
  draft->tpl = NULL;
}

int mcpi_draft_finish(mcpi_draft *draft, mcpi_entry **out) {
  mcpi_entry *from = &draft->entry;
  packer to = {NULL, sizeof(*from)};
  mcpi_entry measured = *from;
  pack_entry(&to, &measured);
  size_t size = to.size;
  mcpi_entry *entry = mcpi_alloc(from->allocator, size);
  if (entry == NULL) {
    return mcpi_draft_fail(draft, MCP_ERR_NOMEM, "out of memory");
  }
  *entry = *from;
  take_owned(from);
  to = (packer){(char *)entry, sizeof(*entry)};
  pack_entry(&to, entry);
  entry->size = size;
  atomic_init(&entry->refs, 1);
  *out = entry;
  return 0;
}
