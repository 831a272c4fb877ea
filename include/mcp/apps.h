/* SPDX-License-Identifier: MIT */
/** @file
 * MCP Apps (libmcp-core): pages that a client shows beside the results of
 * tools. This is the extension io.modelcontextprotocol/ui, in its revision
 * 2026-01-26.
 *
 * An app is an HTML page. A server offers it as a resource whose URI begins
 * with ui://, and tools name it. A client that shows apps (a host) reads the
 * page, puts it into a sandbox, and hands it the arguments and the result of
 * each call of such a tool. The page can call tools of its server through the
 * host. To other clients the tools are ordinary tools, and their results are
 * texts.
 *
 * A server:
 *
 *     mcp_server_add_app(server,
 *                        &(mcp_app){.size = sizeof(mcp_app),
 *                                   .uri = "ui://weather/chart",
 *                                   .name = "Chart",
 *                                   .html = chart_html},
 *                        &err);
 *     mcp_server_add_app_tool(server, &forecast_tool, "ui://weather/chart", 0,
 *                             &err);
 *
 * A host declares the extension in mcp_client_options.extensions:
 *
 *     static const char *const extensions[] = {MCP_APP_EXTENSION,
 *                                              MCP_APP_CLIENT_SETTINGS, NULL};
 *
 * The functions for hosts read what a server sent, and know no browser: they
 * say which tools the model and the page may use, and build the policies for
 * the sandbox. All that a server sends is input of a stranger. A value that is
 * not as the specification says counts as absent, or as the strictest value.
 *
 * docs/APPS.md explains how to write a server with apps, and a page.
 *
 * All functions, types and macros of this header are since 0.2.
 */
#ifndef MCP_APPS_H
#define MCP_APPS_H

#include <mcp/call.h>
#include <mcp/server.h>

MCP_BEGIN_DECLS

/** The id of the extension. Since 0.2. */
#define MCP_APP_EXTENSION "io.modelcontextprotocol/ui"

/** The MIME type of pages. It is the only one that the specification defines.
 * Since 0.2. */
#define MCP_APP_MIME_TYPE "text/html;profile=mcp-app"

/** The settings with which a host declares the extension. A host that can show
 * more MIME types writes its own settings: a JSON object with the array
 * `mimeTypes`. Since 0.2. */
#define MCP_APP_CLIENT_SETTINGS "{\"mimeTypes\":[\"" MCP_APP_MIME_TYPE "\"]}"

/** What a page may ask of the user's machine. A host need not permit it. */
enum {
  MCP_APP_CAMERA = 1 << 0,
  MCP_APP_MICROPHONE = 1 << 1,
  MCP_APP_GEOLOCATION = 1 << 2,
  /** To write to the clipboard. */
  MCP_APP_CLIPBOARD_WRITE = 1 << 3
};

/** Whether a host draws a border and a background around a page. */
enum { MCP_APP_BORDER = 1, MCP_APP_NO_BORDER = 2 };

/** The users of a tool. */
enum {
  /** A host shows the tool to its model. */
  MCP_VISIBLE_TO_MODEL = 1 << 0,
  /** A host calls the tool for pages of the same server. */
  MCP_VISIBLE_TO_APP = 1 << 1
};

/* ---- servers ------------------------------------------------------------ */

/** An app. A pointer may be NULL (not stated), unless its comment says
 * otherwise. */
typedef struct mcp_app {
  /** sizeof(mcp_app); MCP_APP_INIT sets it. */
  size_t size;
  /** Begins with "ui://", such as "ui://weather/chart"; required. */
  const char *uri;
  /** Required. */
  const char *name;
  /** The name that clients show to users; NULL: not stated. */
  const char *title;
  /** Explains what the page shows; NULL: not stated. */
  const char *description;
  /** A JSON object for `_meta` of the list, as text. It must not have the
   * members "ui" and "ui/resourceUri", which the library writes. */
  const char *meta;

  /* The program sets exactly one of `html`, `data` and `handler`. */

  /** The page, an HTML5 document in UTF-8. <!doctype html> begins in its first
   * 1024 bytes. Copied. */
  const char *html;
  /** The page as bytes, which the server sends as base64. Copied. The same rule
   * holds for its beginning. */
  const void *data;
  /** The number of bytes at `data`. */
  size_t data_len;
  /** Called when a client reads the page. The handler adds one content by
   * mcp_call_add_resource_text or _data, without a MIME type, and replies. */
  mcp_call_cb handler;
  /** Handed to the handler. */
  void *userdata;
  /** As in mcp_resource. */
  void (*release)(void *userdata);
  /** As in mcp_resource. */
  const char *scopes;
  /** As in mcp_resource. */
  uint64_t cache_ttl_ms;

  /*
   * The four arrays below list the origins that the page needs. A host blocks
   * all others. An origin is a scheme (http, https, ws or wss), a host name,
   * and a port if it is not the scheme's own, such as
   * "https://api.example.com" or "wss://example.com:8443". "*." before the host
   * name, as in "*.example.com", stands for all names below it. There is no
   * path, and no "/" at the end. An array ends with NULL, and has at most 64
   * origins. NULL: the page needs no other origin.
   */

  /** Where scripts of the page send requests (fetch, WebSocket). */
  const char *const *connect_domains;
  /** Where images, scripts, styles, fonts and media come from. */
  const char *const *resource_domains;
  /** Where pages in frames of the page come from. */
  const char *const *frame_domains;
  /** What the page may set as its base URI. */
  const char *const *base_uri_domains;

  /** The origin that the page wants as its own. Each host has its own form for
   * it: see the documentation of the host. */
  const char *domain;
  /** MCP_APP_CAMERA and the others, combined with |. */
  uint32_t permissions;
  /** MCP_APP_BORDER or MCP_APP_NO_BORDER; 0: not stated. */
  uint32_t border;
  /** As in mcp_resource. */
  int32_t is_blocking;
  uint32_t reserved;
} mcp_app;

#define MCP_APP_INIT MCP_INIT_(mcp_app)

/**
 * Adds an app, which is a resource with the MIME type MCP_APP_MIME_TYPE.
 *
 * `resources/list` and `resources/read` show in `_meta.ui` what the page needs.
 * The first app of a server also declares the extension, as
 * mcp_server_add_extension does, so the program must add it before the server
 * listens with several threads. It may add other apps at any time.
 * mcp_server_remove_resource removes an app. The program should remove its
 * tools first.
 *
 * @param app copied
 * @param err may be NULL. Its message names the member and its value (app
 *            "ui://a": connect_domains[0] "a.example" is not an origin ...)
 * @return as mcp_server_add_resource; also MCP_ERR_INVALID: the URI does not
 *         begin with "ui://", an origin is not valid, the page is not HTML5,
 *         or `meta` has one of the members that the library writes;
 *         MCP_ERR_LIMIT: an array has more than 64 origins. Since 0.2.
 */
MCP_API int mcp_server_add_app(mcp_server *server, const mcp_app *app,
                               mcp_error *err);

/**
 * Adds a tool with the app that shows its results, or with a visibility.
 *
 * The function does what mcp_server_add_tool does, and also writes `_meta.ui`
 * of the tool. For older hosts it repeats the URI in the deprecated member
 * "ui/resourceUri". It declares the extension as mcp_server_add_app does.
 *
 * The tool must work for clients that show no apps. Its result must have
 * content that a model understands, also when a page shows the structured
 * result. mcp_call_client_shows_apps helps to choose the content. Such a client
 * knows no visibility either: it shows all tools to its model.
 *
 * @param tool       copied. Its `meta` must not have the members "ui" and
 *                   "ui/resourceUri", which this function writes
 * @param app_uri    the URI of an app that the program has added to this
 *                   server; NULL: the tool only has a visibility, such as a
 *                   tool that pages of other tools call
 * @param visibility MCP_VISIBLE_TO_MODEL, MCP_VISIBLE_TO_APP or both, combined
 *                   with |; 0: not stated, which means both
 * @return as mcp_server_add_tool; also MCP_ERR_NOT_FOUND: there is no such app;
 *         MCP_ERR_INVALID: there is neither an app nor a visibility, the
 *         visibility has unknown bits, or `meta` has one of the two members.
 *         Since 0.2.
 */
MCP_API int mcp_server_add_app_tool(mcp_server *server, const mcp_tool *tool,
                                    const char *app_uri, uint32_t visibility,
                                    mcp_error *err);

/** Returns 1 if the client of this call shows apps, else 0. Handlers use it to
 * choose the content of a result. A client of a revision before 2025-06-18 does
 * not show apps: tools have no `_meta` there. Since 0.2. */
MCP_API int mcp_call_client_shows_apps(const mcp_call *call);

/* ---- both sides --------------------------------------------------------- */

/**
 * Returns 1 if a client has declared that it shows apps of this MIME type, else
 * 0.
 *
 * @param capabilities the client's capabilities, such as
 *                     mcp_session_client_capabilities returns
 * @param mime_type    NULL: MCP_APP_MIME_TYPE
 * Since 0.2.
 */
MCP_API int mcp_app_is_supported(const mcp_json *capabilities,
                                 const char *mime_type);

/** Returns 1 if this is the MIME type of pages, MCP_APP_MIME_TYPE, else 0. Case
 * and blanks may differ as RFC 9110 allows. Other parameters do not count,
 * except a charset other than UTF-8. Since 0.2. */
MCP_API int mcp_app_is_mime_type(const char *mime_type);

/* ---- hosts -------------------------------------------------------------- */

/** Returns the URI of the app that shows the results of a tool: `resourceUri`
 * of `_meta.ui`, or else the deprecated "ui/resourceUri" of `_meta`.
 * @param tool an entry of `tools/list`
 * @return borrowed as long as `tool`. NULL: the tool has no app, or the URI
 *         does not begin with "ui://". Since 0.2. */
MCP_API const char *mcp_app_tool_uri(const mcp_json *tool);

/** Returns 1 if the model may see and call a tool, else 0. A host must leave
 * out all other tools from what it shows to its model. A tool that states no
 * visibility is visible to all. A visibility that is not an array is visible to
 * nobody.
 * @param tool an entry of `tools/list`; NULL: 0
 * Since 0.2. */
MCP_API int mcp_app_tool_is_for_model(const mcp_json *tool);

/** Returns 1 if a page may call a tool, else 0. A host must look for the tool
 * in the list of the server that the page came from, and must refuse all other
 * calls of the page.
 * @param tool as in mcp_app_tool_is_for_model
 * Since 0.2. */
MCP_API int mcp_app_tool_is_for_app(const mcp_json *tool);

/** Returns what a page needs: `_meta.ui` of the content, or else of the entry
 * in the list. mcp_app_csp and mcp_app_permissions read it. The program reads
 * the members `prefersBorder` (a boolean) and `domain` (a string) itself.
 * @param content an item of `contents` in the result of `resources/read`; may
 *                be NULL
 * @param listed  the entry of the resource in `resources/list`; may be NULL
 * @return an object, borrowed as long as the parameter that has it; NULL: the
 *         server states nothing. Since 0.2. */
MCP_API const mcp_json *mcp_app_needs(const mcp_json *content,
                                      const mcp_json *listed);

/**
 * Builds the value of the header Content-Security-Policy for a page.
 *
 * The policy is the one that the specification prescribes. Without `csp` it
 * permits no other origin. With `csp` it permits the declared origins, and the
 * page's own. It also has the directives that `default-src` does not cover:
 * `base-uri` (as the specification says) and `form-action 'none'`, which is a
 * restriction of ours, because a form could send data to any origin.
 *
 * The library leaves out an origin that does not have the form which mcp_app
 * describes, and all origins after the first 64 of an array. So a server cannot
 * end a directive or add one: the policy consists of ASCII letters, digits,
 * blanks and the characters '*-.:;/ only. An HTTP header can hold it, and so
 * can a <meta> element.
 *
 * @param needs    what mcp_app_needs returns; NULL: nothing
 * @param left_out receives the number of origins that were left out; may be
 *                 NULL
 * @return NUL-terminated; owned: free it with mcp_text_free; NULL when out of
 *         memory. Since 0.2.
 */
MCP_API char *mcp_app_csp(const mcp_json *needs, size_t *left_out);

/** Returns the permissions that a page asks for, MCP_APP_CAMERA and the others,
 * combined with |. Since 0.2.
 * @param needs what mcp_app_needs returns; NULL: 0 */
MCP_API uint32_t mcp_app_permissions(const mcp_json *needs);

/** Builds the attribute `allow` of the <iframe> that holds a page, such as
 * "camera; clipboard-write".
 * @param permissions what the host permits, MCP_APP_CAMERA and the others,
 *                    combined with |; unknown bits are ignored
 * @return NUL-terminated, "" without a permission; owned: free it with
 *         mcp_text_free; NULL when out of memory. Since 0.2. */
MCP_API char *mcp_app_allow(uint32_t permissions);

MCP_END_DECLS

#endif
