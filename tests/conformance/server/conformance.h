/* SPDX-License-Identifier: MIT */
/* What the parts of the conformance server share: the functions that register
 * what each file offers, and a few that answer. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <mcp/mcp.h>

/* A tool without arguments, of this name and purpose. */
void add_plain_tool(mcp_server *server, const char *name,
                    const char *description, mcp_call_cb handler);

/* What became of several questions that are asked together: the first failure,
 * else MCP_PENDING while one of them waits for its answer, else 0. */
int together(int first, int second);

/* Replies "PREFIX: action=..., content=...", as the user answered. */
int reply_elicited(mcp_call *call, const char *prefix, const mcp_json *answer);

/* What the model said; never NULL. Borrowed as `answer` is. */
const char *text_of_model(const mcp_json *answer);
/* Replies "LLM response: " and that. */
int reply_sampled(mcp_call *call, const mcp_json *answer);

/* Content: a picture and a sound, as small as they get. */
int add_red_pixel(mcp_call *call);
int add_silence(mcp_call *call);
/* A piece of content with a resource's text inside. */
int add_embedded(mcp_call *call, const char *uri, const char *mime_type,
                 const char *text);
extern const unsigned char red_pixel_png[];
extern const size_t red_pixel_png_len;

/* Each registers what its file offers. */
void add_content_tools(mcp_server *server);
void add_schema_tools(mcp_server *server);
void add_meanwhile_tools(mcp_server *server);
void add_change_tools(mcp_server *server);
void add_asking_tools(mcp_server *server);
void add_form_tools(mcp_server *server);
void add_round_tools(mcp_server *server);
void add_task_tools(mcp_server *server);
void add_resources(mcp_server *server);
void add_prompts(mcp_server *server);
void add_skills(mcp_server *server);

#endif
