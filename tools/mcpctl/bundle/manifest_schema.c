/* SPDX-License-Identifier: MIT */
#include "bundle/manifest_schema.h"

#include <mcp/json.h>
#include <stddef.h>

/* clang-format off */
const char *const ctl_manifest_schema[2] = {
MCP_JSON({
  "type": "object",
  "additionalProperties": false,
  "required": ["name", "version", "description", "author", "server"],
  "anyOf": [{"required": ["manifest_version"]}, {"required": ["dxt_version"]}],
  "$defs": {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "url": {"type": "string", "format": "uri"},
    "version": {"enum": ["0.1", "0.2", "0.3", "0.4"]},
    "env": {"type": "object", "additionalProperties": {"type": "string"}},
    "override": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "command": {"type": "string"},
        "args": {"$ref": "#/$defs/texts"},
        "env": {"$ref": "#/$defs/env"}
      }
    },
    "setting": {
      "type": "object",
      "additionalProperties": false,
      "required": ["type", "title", "description"],
      "properties": {
        "type": {
          "enum": ["string", "number", "boolean", "directory", "file"]
        },
        "title": {"type": "string"},
        "description": {"type": "string"},
        "required": {"type": "boolean"},
        "default": {
          "type": ["string", "number", "boolean", "array"],
          "items": {"type": "string"}
        },
        "multiple": {"type": "boolean"},
        "sensitive": {"type": "boolean"},
        "min": {"type": "number"},
        "max": {"type": "number"}
      }
    }
  },
  "properties": {
    "$schema": {"type": "string"},
    "dxt_version": {"$ref": "#/$defs/version"},
    "manifest_version": {"$ref": "#/$defs/version"},
    "name": {"type": "string", "minLength": 1},
    "display_name": {"type": "string"},
    "version": {"type": "string", "minLength": 1},
    "description": {"type": "string"},
    "long_description": {"type": "string"},),
MCP_JSON(
    "author": {
      "type": "object",
      "additionalProperties": false,
      "required": ["name"],
      "properties": {
        "name": {"type": "string"},
        "email": {"type": "string", "format": "email"},
        "url": {"$ref": "#/$defs/url"}
      }
    },
    "repository": {
      "type": "object",
      "additionalProperties": false,
      "required": ["type", "url"],
      "properties": {
        "type": {"type": "string"},
        "url": {"$ref": "#/$defs/url"}
      }
    },
    "homepage": {"$ref": "#/$defs/url"},
    "documentation": {"$ref": "#/$defs/url"},
    "support": {"$ref": "#/$defs/url"},
    "icon": {"type": "string"},
    "icons": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["src", "size"],
        "properties": {
          "src": {"type": "string"},
          "size": {"type": "string"},
          "theme": {"type": "string", "minLength": 1}
        }
      }
    },
    "screenshots": {"$ref": "#/$defs/texts"},
    "localization": {
      "type": "object",
      "additionalProperties": false,
      "required": ["resources", "default_locale"],
      "properties": {
        "resources": {"type": "string"},
        "default_locale": {"type": "string"}
      }
    },
    "server": {
      "type": "object",
      "additionalProperties": false,
      "required": ["type", "entry_point", "mcp_config"],
      "properties": {
        "type": {"enum": ["python", "node", "binary", "uv"]},
        "entry_point": {"type": "string", "minLength": 1},
        "mcp_config": {
          "type": "object",
          "additionalProperties": false,
          "required": ["command"],
          "properties": {
            "command": {"type": "string", "minLength": 1},
            "args": {"$ref": "#/$defs/texts"},
            "env": {"$ref": "#/$defs/env"},
            "platform_overrides": {
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/override"}
            }
          }
        }
      }
    },
    "tools": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["name"],
        "properties": {
          "name": {"type": "string"},
          "description": {"type": "string"}
        }
      }
    },
    "tools_generated": {"type": "boolean"},
    "prompts": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "text"],
        "properties": {
          "name": {"type": "string"},
          "description": {"type": "string"},
          "arguments": {"$ref": "#/$defs/texts"},
          "text": {"type": "string"}
        }
      }
    },
    "prompts_generated": {"type": "boolean"},
    "keywords": {"$ref": "#/$defs/texts"},
    "license": {"type": "string"},
    "privacy_policies": {
      "type": "array",
      "items": {"$ref": "#/$defs/url"}
    },
    "compatibility": {
      "type": "object",
      "additionalProperties": {"type": "string"},
      "properties": {
        "platforms": {
          "type": "array",
          "items": {"enum": ["darwin", "win32", "linux"]}
        },
        "runtimes": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "python": {"type": "string"},
            "node": {"type": "string"}
          }
        }
      }
    },
    "user_config": {
      "type": "object",
      "additionalProperties": {"$ref": "#/$defs/setting"}
    },
    "_meta": {
      "type": "object",
      "additionalProperties": {"type": "object"}
    }
  }
})
};
/* clang-format on */

const ctl_manifest_member ctl_manifest_members[] = {
    {"privacy_policies", "0.2"},
    {"icons", "0.3"},
    {"localization", "0.3"},
    {"_meta", "0.3"},
    {NULL, NULL},
};
