/* SPDX-License-Identifier: MIT */
/** @file
 * Pieces of content, icons and annotations, as tools, prompts, resources and
 * sampling share them (specification: content).
 *
 * Structures here are the caller's: they are copied by what takes them, and
 * every pointer may be NULL for "not stated" unless it says otherwise.
 */
#ifndef MCP_CONTENT_H
#define MCP_CONTENT_H

#include <mcp/json.h>

MCP_BEGIN_DECLS

/** Kinds of content. */
enum {
  MCP_CONTENT_TEXT = 1,
  MCP_CONTENT_IMAGE,
  /** Since 2025-03-26; to an older client it goes as an embedded resource. */
  MCP_CONTENT_AUDIO,
  /** A resource's text or bytes, embedded. */
  MCP_CONTENT_RESOURCE,
  /** A link to a resource, since 2025-06-18; to an older client it goes as
   * text. */
  MCP_CONTENT_RESOURCE_LINK
};

/** Who speaks, or who content is for. */
enum { MCP_ROLE_USER = 1, MCP_ROLE_ASSISTANT = 2 };

/** An image for user interfaces, since 2025-11-25. */
typedef struct mcp_icon {
  /** An https: or data: URI; required. */
  const char *src;
  const char *mime_type;
  /** Blank-separated, such as "48x48 96x96" or "any". */
  const char *sizes;
  /** "light" or "dark". */
  const char *theme;
  /** Room for members of later versions; must be NULL. */
  const void *reserved[2];
} mcp_icon;

/** Hints on content and resources. */
typedef struct mcp_annotations {
  /** sizeof(mcp_annotations); MCP_ANNOTATIONS_INIT sets it. */
  size_t size;
  /** MCP_ROLE_* bits of whom it is for; 0: not stated. */
  uint32_t audience;
  /** 1: `priority` is stated. */
  int32_t has_priority;
  /** 0 (least) to 1 (required). */
  double priority;
  /** ISO 8601, since 2025-06-18. */
  const char *last_modified;
} mcp_annotations;

#define MCP_ANNOTATIONS_INIT MCP_INIT_(mcp_annotations)

/** One piece of content. */
typedef struct mcp_content {
  /** sizeof(mcp_content); MCP_CONTENT_INIT sets it. */
  size_t size;
  /** MCP_CONTENT_*; required. */
  int32_t type;
  uint32_t reserved;
  /** Text, NUL-terminated: of MCP_CONTENT_TEXT, or of a resource. */
  const char *text;
  /** Bytes of an image, of audio, or of a binary resource; sent as base64. */
  const void *data;
  size_t data_len;
  /** Required for images and audio. */
  const char *mime_type;
  /** Of a resource or link; required for them. */
  const char *uri;
  /** Of a link; required for it. */
  const char *name;
  const char *title;
  const char *description;
  /** Of a link: bytes; 0: not stated. */
  uint64_t resource_size;
  const mcp_icon *icons;
  size_t icon_count;
  const mcp_annotations *annotations;
  /** A JSON object for `_meta`. */
  const char *meta;
} mcp_content;

#define MCP_CONTENT_INIT MCP_INIT_(mcp_content)

MCP_END_DECLS

#endif
