/* SPDX-License-Identifier: MIT */
/** @file
 * Content, icons and annotations, which tools, prompts and resources use
 * (MCP, Tools: Tool Result). Sampling uses JSON text instead (mcp_sampling).
 *
 * Functions copy these structures and all that they point to. A pointer may be
 * NULL (not stated), unless its comment says otherwise.
 */
#ifndef MCP_CONTENT_H
#define MCP_CONTENT_H

#include <mcp/json.h>

MCP_BEGIN_DECLS

/** Kinds of content. */
enum {
  MCP_CONTENT_TEXT = 1,
  MCP_CONTENT_IMAGE,
  /** Since 2025-03-26. An older client gets the audio as an embedded
   * resource. */
  MCP_CONTENT_AUDIO,
  /** The text or the bytes of a resource, embedded. */
  MCP_CONTENT_RESOURCE,
  /** A link to a resource, since 2025-06-18. An older client gets the link as
   * text. */
  MCP_CONTENT_RESOURCE_LINK
};

/** The role of a message, or of the readers that content is for. The values are
 * also bits of mcp_annotations.audience. */
enum { MCP_ROLE_USER = 1, MCP_ROLE_ASSISTANT = 2 };

/** An image for user interfaces, since 2025-11-25. */
typedef struct mcp_icon {
  /** An https: or data: URI; required. */
  const char *src;
  /** The MIME type of the image. */
  const char *mime_type;
  /** Sizes that are separated by spaces, such as "48x48 96x96" or "any". */
  const char *sizes;
  /** "light" or "dark". */
  const char *theme;
  /** Room for members of later versions; must be NULL. */
  const void *reserved[2];
} mcp_icon;

/** Hints for clients about content and resources. */
typedef struct mcp_annotations {
  /** sizeof(mcp_annotations); MCP_ANNOTATIONS_INIT sets it. */
  size_t size;
  /** The readers that the content is for: MCP_ROLE_*, combined with |; 0: not
   * stated. */
  uint32_t audience;
  /** 1: `priority` is sent; 0: it is not stated. */
  int32_t has_priority;
  /** How important the content is: from 0 (least) to 1 (required). */
  double priority;
  /** The time of the last change, such as "2025-01-12T15:00:58Z" (ISO 8601);
   * since 2025-06-18. */
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
  /** NUL-terminated UTF-8: the text of MCP_CONTENT_TEXT (required), or of a
   * resource. A resource has exactly one of `text` and `data`. */
  const char *text;
  /** The bytes of an image, of audio, or of a binary resource. The server sends
   * them as base64. */
  const void *data;
  /** The number of bytes at `data`. */
  size_t data_len;
  /** Required for images and audio. */
  const char *mime_type;
  /** The URI of a resource or a link; required for both. */
  const char *uri;
  /** The name of a link; required for it. */
  const char *name;
  /** The title of a link. */
  const char *title;
  /** The description of a link. */
  const char *description;
  /** The size of the linked resource in bytes; 0: not stated. */
  uint64_t resource_size;
  /** An array of icons of a link. */
  const mcp_icon *icons;
  size_t icon_count;
  /** Hints for clients; NULL: none. */
  const mcp_annotations *annotations;
  /** A JSON object for `_meta`, as text. */
  const char *meta;
} mcp_content;

#define MCP_CONTENT_INIT MCP_INIT_(mcp_content)

MCP_END_DECLS

#endif
