/* SPDX-License-Identifier: MIT */
/* Structures set up for languages without designated initialisers. */
#include <mcp/call.h>

void mcp_server_options_init(mcp_server_options *options) {
  if (options != NULL) {
    *options = (mcp_server_options){.size = MCP_SERVER_OPTIONS_INIT};
  }
}

void mcp_connection_options_init(mcp_connection_options *options) {
  if (options != NULL) {
    *options = (mcp_connection_options){.size = MCP_CONNECTION_OPTIONS_INIT};
  }
}

void mcp_tool_init(mcp_tool *tool) {
  if (tool != NULL) {
    *tool = (mcp_tool){.size = MCP_TOOL_INIT};
  }
}

void mcp_resource_init(mcp_resource *resource) {
  if (resource != NULL) {
    *resource = (mcp_resource){.size = MCP_RESOURCE_INIT};
  }
}

void mcp_resource_template_init(mcp_resource_template *tpl) {
  if (tpl != NULL) {
    *tpl = (mcp_resource_template){.size = MCP_RESOURCE_TEMPLATE_INIT};
  }
}

void mcp_prompt_init(mcp_prompt *prompt) {
  if (prompt != NULL) {
    *prompt = (mcp_prompt){.size = MCP_PROMPT_INIT};
  }
}

void mcp_method_init(mcp_method *method) {
  if (method != NULL) {
    *method = (mcp_method){.size = MCP_METHOD_INIT};
  }
}

void mcp_content_init(mcp_content *content) {
  if (content != NULL) {
    *content = (mcp_content){.size = MCP_CONTENT_INIT};
  }
}

void mcp_elicit_init(mcp_elicit *question) {
  if (question != NULL) {
    *question = (mcp_elicit){.size = MCP_ELICIT_INIT};
  }
}

void mcp_sample_init(mcp_sample *question) {
  if (question != NULL) {
    *question = (mcp_sample){.size = MCP_SAMPLE_INIT};
  }
}
