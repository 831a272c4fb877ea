/* SPDX-License-Identifier: MIT */
#include "doctor/rules.h"

#define FAULT CTL_DOCTOR_FAULT
#define WARNING CTL_DOCTOR_WARNING
#define NOTE CTL_DOCTOR_NOTE

const ctl_doctor_rule ctl_doctor_rules[CTL_RULES] = {
    [CTL_RULE_START_FAILS] = {"start-fails", FAULT, CTL_DOCTOR_START,
                              "a server starts, and answers the first request",
                              "2025-11-25, basic/lifecycle: Initialization",
                              "a command: run it by itself and read its "
                              "standard error; look at paths, variables of the "
                              "environment and credentials. A URL: look at the "
                              "port, the path and the server's log"},
    [CTL_RULE_START_SLOW] =
        {"start-slow", WARNING, CTL_DOCTOR_START,
         "the first answer comes within 5 s: hosts stop waiting after 30 to "
         "60 s, and on a busy machine a start takes much longer",
         "hosts",
         "answer initialize first, and load what takes long afterwards; "
         "install "
         "the server instead of downloading it at each start"},
    [CTL_RULE_STDOUT_JUNK] =
        {"stdout-junk", FAULT, CTL_DOCTOR_START,
         "a server MUST NOT write anything to its standard output that is not "
         "a message on one line",
         "2025-11-25, basic/transports: stdio",
         "write logs to standard error, and messages without line feeds in "
         "them"},
    [CTL_RULE_PROBE_SILENT] =
        {"probe-silent", WARNING, CTL_DOCTOR_START,
         "a client asks for server/discover first; a server that does not know "
         "it answers with an error, else each connection waits for seconds",
         "2026-07-28, basic/versioning: Compatibility",
         "answer any request with -32601 that you do not know, also before "
         "initialize"},
    [CTL_RULE_PROBE_ENDS] =
        {"probe-ends-server", WARNING, CTL_DOCTOR_START,
         "a client asks for server/discover first; a server that ends then "
         "must "
         "be started twice",
         "2026-07-28, basic/versioning: Compatibility",
         "answer any request with -32601 that you do not know, also before "
         "initialize"},

    [CTL_RULE_VERSION_OFFER] =
        {"version-offer", FAULT, CTL_DOCTOR_HANDSHAKE,
         "the answer to initialize MUST name the revision that was asked for, "
         "or another one that has initialize",
         "2025-11-25, basic/lifecycle: Version Negotiation",
         "answer with the revision of the request, or with your latest one up "
         "to 2025-11-25"},
    [CTL_RULE_HANDSHAKE_RESULT] =
        {"handshake-result", FAULT, CTL_DOCTOR_HANDSHAKE,
         "the result of initialize has protocolVersion, capabilities, and "
         "serverInfo with a name and a version",
         "2025-11-25, basic/lifecycle: Initialization",
         "send all of them, with these types"},
    [CTL_RULE_DISCOVER_RESULT] =
        {"discover-result", FAULT, CTL_DOCTOR_HANDSHAKE,
         "the result of server/discover has supportedVersions and capabilities",
         "2026-07-28, server/discover", "send both of them"},
    [CTL_RULE_DISCOVER_VERSIONS] =
        {"discover-versions", FAULT, CTL_DOCTOR_HANDSHAKE,
         "supportedVersions lists the revision in which the server answers",
         "2026-07-28, server/discover", "add the revision to the list"},

    [CTL_RULE_UNANSWERED] =
        {"unanswered", FAULT, CTL_DOCTOR_MESSAGES,
         "each request MUST get a response: a result or an error",
         "2025-11-25, basic: Responses",
         "answer what fails with an error, and what is unknown with -32601"},
    [CTL_RULE_ENDS_ON_REQUEST] =
        {"ends-on-request", FAULT, CTL_DOCTOR_MESSAGES,
         "a request that fails does not end the server",
         "2025-11-25, basic: Responses",
         "catch the exception, and answer with an error"},
    [CTL_RULE_MESSAGE_SHAPE] =
        {"message-shape", FAULT, CTL_DOCTOR_MESSAGES,
         "a message has \"jsonrpc\": \"2.0\", and is a request, a notification "
         "or a response; a response has a result, an object, or an error with "
         "a code and a message, not both",
         "2025-11-25, basic: Messages", "send messages of that form"},
    [CTL_RULE_PING] =
        {"ping", FAULT, CTL_DOCTOR_MESSAGES,
         "the receiver of a ping MUST answer with an empty result",
         "2025-11-25, basic/utilities/ping", "answer ping with {}"},
    [CTL_RULE_UNKNOWN_METHOD] =
        {"unknown-method", FAULT, CTL_DOCTOR_MESSAGES,
         "a request with an unknown method gets the error -32601",
         "JSON-RPC 2.0: Error object",
         "answer with -32601; clients find out by it what a server can do"},
    [CTL_RULE_REMOVED_METHOD] =
        {"removed-method", WARNING, CTL_DOCTOR_MESSAGES,
         "2026-07-28 has no ping: the method is unknown there (-32601)",
         "2026-07-28, changelog", "answer with -32601"},
    [CTL_RULE_VERSION_UNKNOWN] =
        {"version-unknown", FAULT, CTL_DOCTOR_MESSAGES,
         "a request that names a revision which the server does not speak MUST "
         "get the error -32022, with data.supported",
         "2026-07-28, basic/versioning: Version Negotiation",
         "answer with -32022 and the list of your revisions"},
    [CTL_RULE_PARAMS_ACCEPTED] =
        {"params-accepted", FAULT, CTL_DOCTOR_MESSAGES,
         "a tools/call without a name, or with one that is not a text, fails",
         "2025-11-25, server/tools: Error Handling",
         "check the params, and answer with -32602"},
    [CTL_RULE_PARAMS_CODE] =
        {"params-code", WARNING, CTL_DOCTOR_MESSAGES,
         "the error for params of a wrong form is -32602",
         "JSON-RPC 2.0: Error object",
         "answer with -32602; -32603 says that the server is broken"},
    [CTL_RULE_ID_CHANGED] =
        {"id-changed", FAULT, CTL_DOCTOR_MESSAGES,
         "a response MUST have the id of its request, of the same type",
         "2025-11-25, basic: Responses",
         "keep the id as it came: \"1\", 1 and 0 are different ids"},
    [CTL_RULE_NOTIFICATION_ANSWERED] =
        {"notification-answered", FAULT, CTL_DOCTOR_MESSAGES,
         "the receiver of a notification MUST NOT respond, not even with an "
         "error",
         "2025-11-25, basic: Notifications",
         "send nothing for a message without an id"},
    [CTL_RULE_PARSE_ERROR] =
        {"parse-error", WARNING, CTL_DOCTOR_MESSAGES,
         "a line that is not JSON gets the error -32700, without an id",
         "JSON-RPC 2.0: Error object",
         "answer with -32700, so that the client's author sees the mistake"},
    [CTL_RULE_PARSE_FATAL] =
        {"parse-fatal", FAULT, CTL_DOCTOR_MESSAGES,
         "a line that is not JSON does not end or block the server",
         "JSON-RPC 2.0: Error object", "skip the line, and read the next one"},
    [CTL_RULE_BATCH] =
        {"batch", NOTE, CTL_DOCTOR_MESSAGES,
         "in 2025-03-26, and only there, a receiver MUST accept arrays of "
         "messages; clients that send them are rare",
         "2025-03-26, basic: Batching",
         "accept them in that revision, or do not offer it"},
    [CTL_RULE_REQUEST_UNDECLARED] =
        {"request-undeclared", FAULT, CTL_DOCTOR_MESSAGES,
         "a server sends only the requests that the client has declared, and "
         "in 2026-07-28 none",
         "2025-11-25, basic/lifecycle: Operation",
         "look at the client's capabilities before you ask it"},
    [CTL_RULE_LOG_UNDECLARED] =
        {"log-undeclared", FAULT, CTL_DOCTOR_MESSAGES,
         "a server that sends log messages MUST declare the capability "
         "logging; in 2026-07-28 it MUST NOT send one unless the request asks "
         "for it",
         "2025-11-25, server/utilities/logging: Capabilities",
         "declare logging, or write to standard error"},
    [CTL_RULE_LOG_LEVEL] =
        {"log-level", FAULT, CTL_DOCTOR_MESSAGES,
         "a server that declares logging answers logging/setLevel",
         "2025-11-25, server/utilities/logging: Setting Log Level",
         "handle the request, or do not declare logging"},
    [CTL_RULE_RESULT_TYPE] = {"result-type", FAULT, CTL_DOCTOR_MESSAGES,
                              "each result MUST have resultType",
                              "2026-07-28, basic: Responses",
                              "send \"resultType\": \"complete\""},

    [CTL_RULE_LIST_FAILS] =
        {"list-fails", FAULT, CTL_DOCTOR_LISTS,
         "a server that declares a capability answers its list",
         "2025-11-25, basic/lifecycle: Capability Negotiation",
         "answer the list, perhaps an empty one, or do not declare it"},
    [CTL_RULE_LIST_ENDLESS] =
        {"list-endless", FAULT, CTL_DOCTOR_LISTS,
         "a list ends: the last page has no nextCursor",
         "2025-11-25, server/utilities/pagination",
         "make sure that each cursor leads further; leave nextCursor out at "
         "the end"},
    [CTL_RULE_LIST_SHAPE] =
        {"list-shape", FAULT, CTL_DOCTOR_LISTS,
         "the result has the array of the list, and each entry what the "
         "schema requires",
         "2025-11-25, schema", "send the array, with complete entries"},
    [CTL_RULE_LIST_CURSOR] =
        {"list-cursor", FAULT, CTL_DOCTOR_LISTS,
         "nextCursor is a text or absent; clients refuse null",
         "2025-11-25, schema: PaginatedResult",
         "leave nextCursor out at the end"},
    [CTL_RULE_LIST_EMPTY_PAGE] =
        {"list-empty-page", WARNING, CTL_DOCTOR_LISTS,
         "a page with a nextCursor has entries: each page costs a request",
         "2025-11-25, server/utilities/pagination",
         "leave nextCursor out when nothing follows"},
    [CTL_RULE_LIST_DUPLICATE] =
        {"list-duplicate", WARNING, CTL_DOCTOR_LISTS,
         "an entry is listed once: its name or URI tells it from others",
         "2025-11-25, schema: BaseMetadata", "list each entry once"},
    [CTL_RULE_CURSOR_UNKNOWN] =
        {"cursor-unknown", NOTE, CTL_DOCTOR_LISTS,
         "a cursor that is not valid SHOULD get the error -32602",
         "2025-11-25, server/utilities/pagination: Error Handling",
         "check the cursor also if the list has one page only"},
    [CTL_RULE_LIST_UNDECLARED] =
        {"list-undeclared", NOTE, CTL_DOCTOR_LISTS,
         "what a server offers, it declares: clients do not ask for the rest",
         "2025-11-25, basic/lifecycle: Capability Negotiation",
         "declare the capability, or answer with -32601"},
    [CTL_RULE_TEMPLATES_MISSING] =
        {"templates-missing", NOTE, CTL_DOCTOR_LISTS,
         "a server with resources answers resources/templates/list; clients "
         "ask for it without need",
         "2025-11-25, server/resources: Resource Templates",
         "answer with an empty list"},
    [CTL_RULE_CACHE_HINTS] =
        {"cache-hints", FAULT, CTL_DOCTOR_LISTS,
         "the results of server/discover, of lists and of resources/read MUST "
         "have ttlMs, an integer from 0, and cacheScope, public or private",
         "2026-07-28, basic/patterns: Caching",
         "send \"ttlMs\": 0, \"cacheScope\": \"private\" if in doubt"},

    [CTL_RULE_TOOL_NAME] =
        {"tool-name", WARNING, CTL_DOCTOR_TOOLS,
         "a tool's name SHOULD have 1 to 128 characters, and only A-Z, a-z, "
         "0-9, _, - and .",
         "2025-11-25, server/tools: Tool Names",
         "rename the tool; hosts refuse other names"},
    [CTL_RULE_TOOL_NAME_HOSTS] =
        {"tool-name-hosts", WARNING, CTL_DOCTOR_TOOLS,
         "many hosts and models take names with at most 64 characters, and "
         "only A-Z, a-z, 0-9, _ and -",
         "hosts", "choose a shorter name, without dots"},
    [CTL_RULE_TOOL_DUPLICATE] =
        {"tool-duplicate", FAULT, CTL_DOCTOR_TOOLS,
         "a tool's name is unique in a server; models refuse two tools of one "
         "name",
         "2025-11-25, server/tools: Tool Names",
         "rename one of them, or list it once"},
    [CTL_RULE_TOOL_DESCRIPTION] =
        {"tool-description", NOTE, CTL_DOCTOR_TOOLS,
         "a model chooses a tool by its description",
         "2025-11-25, server/tools: Tool",
         "say what the tool does, and when to use it"},
    [CTL_RULE_TOOL_ANNOTATIONS] =
        {"tool-annotations", FAULT, CTL_DOCTOR_TOOLS,
         "annotations are an object, its hints are true or false, and its "
         "title is a text",
         "2025-11-25, schema: ToolAnnotations", "send these types"},
    [CTL_RULE_INPUT_SCHEMA] =
        {"input-schema", FAULT, CTL_DOCTOR_TOOLS,
         "a tool has an inputSchema, an object with \"type\": \"object\"",
         "2025-11-25, server/tools: Tool",
         "send {\"type\": \"object\"} for a tool without arguments"},
    [CTL_RULE_INPUT_SCHEMA_INVALID] =
        {"input-schema-invalid", FAULT, CTL_DOCTOR_TOOLS,
         "an inputSchema MUST be valid for its draft, and refer only to "
         "itself",
         "2025-11-25, basic: JSON Schema Usage",
         "correct the schema; mcpctl schema check shows each mistake"},
    [CTL_RULE_OUTPUT_SCHEMA] =
        {"output-schema", FAULT, CTL_DOCTOR_TOOLS,
         "an outputSchema is an object; up to 2025-11-25 its type is object",
         "2025-11-25, schema: Tool",
         "put other values in an object: {\"result\": ...}"},
    [CTL_RULE_OUTPUT_SCHEMA_INVALID] =
        {"output-schema-invalid", FAULT, CTL_DOCTOR_TOOLS,
         "an outputSchema MUST be valid for its draft, and refer only to "
         "itself",
         "2025-11-25, basic: JSON Schema Usage",
         "correct the schema; mcpctl schema check shows each mistake"},
    [CTL_RULE_TOOL_UNKNOWN] = {"tool-unknown", FAULT, CTL_DOCTOR_TOOLS,
                               "a call of an unknown tool fails",
                               "2025-11-25, server/tools: Error Handling",
                               "answer with -32602"},
    [CTL_RULE_TOOL_UNKNOWN_CODE] = {"tool-unknown-code", NOTE, CTL_DOCTOR_TOOLS,
                                    "the error for an unknown tool is -32602",
                                    "2025-11-25, server/tools: Error Handling",
                                    "answer with -32602"},
    [CTL_RULE_TOOL_RESULT] =
        {"tool-result", FAULT, CTL_DOCTOR_TOOLS,
         "a tool's result has content, an array of blocks of a known type "
         "with their members",
         "2025-11-25, server/tools: Tool Result",
         "send \"content\": [] if there is nothing to say"},
    [CTL_RULE_OUTPUT_BROKEN] =
        {"output-broken", FAULT, CTL_DOCTOR_TOOLS,
         "a tool with an outputSchema MUST return structuredContent that it "
         "describes; clients refuse other results",
         "2025-11-25, server/tools: Output Schema",
         "correct the schema or the result"},
    [CTL_RULE_TOOL_SLOW] =
        {"tool-slow", NOTE, CTL_DOCTOR_TOOLS,
         "hosts stop waiting for a call after 30 to 60 s", "hosts",
         "report progress, or answer at once and work later"},

    [CTL_RULE_RESOURCE_URI] =
        {"resource-uri", FAULT, CTL_DOCTOR_RESOURCES,
         "a resource's uri is a URI with a scheme",
         "2025-11-25, server/resources: Common URI Schemes",
         "write file:///path instead of a path"},
    [CTL_RULE_TEMPLATE_INVALID] =
        {"template-invalid", FAULT, CTL_DOCTOR_RESOURCES,
         "a uriTemplate is a URI template of RFC 6570",
         "2025-11-25, server/resources: Resource Templates",
         "correct the template"},
    [CTL_RULE_RESOURCE_UNREADABLE] = {"resource-unreadable", WARNING,
                                      CTL_DOCTOR_RESOURCES,
                                      "a resource that is listed can be read",
                                      "2025-11-25, server/resources",
                                      "list what is there"},
    [CTL_RULE_RESOURCE_CONTENTS] =
        {"resource-contents", FAULT, CTL_DOCTOR_RESOURCES,
         "the result has contents, each with a uri, and with a text or with a "
         "blob in base64",
         "2025-11-25, server/resources: Resource Contents",
         "send one of the two"},
    [CTL_RULE_RESOURCE_MISSING] =
        {"resource-missing", WARNING, CTL_DOCTOR_RESOURCES,
         "to read a resource that does not exist SHOULD fail with -32002, in "
         "2026-07-28 with -32602",
         "2025-11-25, server/resources: Error Handling",
         "answer with that error"},
    [CTL_RULE_RESOURCE_MISSING_CODE] =
        {"resource-missing-code", FAULT, CTL_DOCTOR_RESOURCES,
         "to read a resource that does not exist MUST fail with -32602",
         "2026-07-28, server/resources: Error Handling", "answer with -32602"},

    [CTL_RULE_PROMPT_FAILS] =
        {"prompt-fails", WARNING, CTL_DOCTOR_PROMPTS,
         "a prompt without required arguments can be had without arguments",
         "2025-11-25, server/prompts",
         "mark the arguments that it needs as required"},
    [CTL_RULE_PROMPT_RESULT] =
        {"prompt-result", FAULT, CTL_DOCTOR_PROMPTS,
         "the result has messages, each with a role, user or assistant, and "
         "one block of content",
         "2025-11-25, server/prompts: PromptMessage",
         "send messages of that form"},
    [CTL_RULE_PROMPT_UNKNOWN] =
        {"prompt-unknown", WARNING, CTL_DOCTOR_PROMPTS,
         "to get an unknown prompt SHOULD fail with -32602",
         "2025-11-25, server/prompts: Error Handling", "answer with -32602"},

    [CTL_RULE_ORIGIN_UNCHECKED] =
        {"origin-unchecked", FAULT, CTL_DOCTOR_HTTP,
         "a server MUST check Origin, and answer 403 if it is a foreign one: "
         "else any page in the user's browser can use a server on this machine",
         "2025-11-25, basic/transports: Security Warning",
         "answer 403 to each Origin that you do not know"},
    [CTL_RULE_ORIGIN_UNCHECKED_REMOTE] =
        {"origin-unchecked-remote", WARNING, CTL_DOCTOR_HTTP,
         "a server MUST check Origin, and answer 403 if it is a foreign one; "
         "on the internet access tokens protect it as well",
         "2025-11-25, basic/transports: Security Warning",
         "answer 403 to each Origin that you do not know"},
    [CTL_RULE_HOST_UNCHECKED] =
        {"host-unchecked", WARNING, CTL_DOCTOR_HTTP,
         "a server on this machine refuses a Host that is not its own: a page "
         "whose name leads here (DNS rebinding) has that name as Host",
         "2025-11-25, basic/transports: Security Warning",
         "accept localhost, 127.0.0.1 and [::1] only"},
    [CTL_RULE_CORS] =
        {"cors", NOTE, CTL_DOCTOR_HTTP,
         "only the web pages that need the server may read its answers: a "
         "browser asks for that first (CORS preflight)",
         "Fetch standard: CORS protocol",
         "allow only the origins of pages that need the server"},
    [CTL_RULE_HTTP_CONTENT_TYPE] =
        {"http-content-type", FAULT, CTL_DOCTOR_HTTP,
         "a request is answered as application/json or text/event-stream",
         "2025-11-25, basic/transports: Sending Messages",
         "set Content-Type to what the body is"},
    [CTL_RULE_HTTP_ACCEPT] =
        {"http-accept", WARNING, CTL_DOCTOR_HTTP,
         "a client that accepts only application/json gets no event stream",
         "HTTP (RFC 9110): Accept", "answer as JSON, or 406"},
    [CTL_RULE_HTTP_NOTIFICATION] =
        {"http-notification", FAULT, CTL_DOCTOR_HTTP,
         "a notification MUST get 202 without a body",
         "2025-11-25, basic/transports: Sending Messages",
         "answer 202, and nothing else"},
    [CTL_RULE_HTTP_VERSION] =
        {"http-version", FAULT, CTL_DOCTOR_HTTP,
         "a request with an MCP-Protocol-Version that the server does not "
         "speak MUST get 400",
         "2025-11-25, basic/transports: Protocol Version Header", "answer 400"},
    [CTL_RULE_HTTP_GET] =
        {"http-get", FAULT, CTL_DOCTOR_HTTP,
         "GET MUST be answered with an event stream or with 405",
         "2025-11-25, basic/transports: Listening for Messages",
         "answer 405 if the server sends nothing on its own"},
    [CTL_RULE_HTTP_DELETE] =
        {"http-delete", WARNING, CTL_DOCTOR_HTTP,
         "DELETE ends a session, or is answered with 405",
         "2025-11-25, basic/transports: Session Management",
         "end the session, or answer 405"},
    [CTL_RULE_HTTP_PARSE_ERROR] =
        {"http-parse-error", WARNING, CTL_DOCTOR_HTTP,
         "a body that is not JSON gets a status from 400 to 499",
         "2025-11-25, basic/transports: Sending Messages",
         "answer 400, with the error -32700"},
    [CTL_RULE_SESSION_ID] =
        {"session-id", FAULT, CTL_DOCTOR_HTTP,
         "a session id MUST have only characters from ! to ~",
         "2025-11-25, basic/transports: Session Management",
         "use letters, digits and -"},
    [CTL_RULE_SESSION_GUESSABLE] =
        {"session-guessable", WARNING, CTL_DOCTOR_HTTP,
         "a session id SHOULD be unique and hard to guess",
         "2025-11-25, basic/transports: Session Management",
         "take 16 random bytes or more from the system"},
    [CTL_RULE_SESSION_MISSING] =
        {"session-missing", WARNING, CTL_DOCTOR_HTTP,
         "a server with sessions SHOULD answer 400 to a request without one",
         "2025-11-25, basic/transports: Session Management", "answer 400"},
    [CTL_RULE_SESSION_UNKNOWN] =
        {"session-unknown", FAULT, CTL_DOCTOR_HTTP,
         "a request with the id of a session that has ended MUST get 404: "
         "clients then begin a new one",
         "2025-11-25, basic/transports: Session Management", "answer 404"},
    [CTL_RULE_HEADER_MISMATCH] =
        {"header-mismatch", FAULT, CTL_DOCTOR_HTTP,
         "a request whose Mcp-Method differs from its body MUST get 400 with "
         "the error -32020",
         "2026-07-28, basic/transports: Standard Headers",
         "compare the headers with the body"},
    [CTL_RULE_META_MISSING] = {"meta-missing", FAULT, CTL_DOCTOR_HTTP,
                               "a request without its _meta MUST get 400",
                               "2026-07-28, basic: Request Metadata",
                               "answer 400 with the error -32602"},
    [CTL_RULE_MODERN_STATUS] =
        {"modern-status", FAULT, CTL_DOCTOR_HTTP,
         "an unknown method MUST get 404, an unknown revision 400",
         "2026-07-28, basic/transports: Status Codes",
         "send the error with that status"},
    [CTL_RULE_CLOCK] =
        {"clock", WARNING, CTL_DOCTOR_HTTP,
         "the server's clock and this one differ by less than 60 s: tokens "
         "have times in them",
         "RFC 7519: exp, nbf", "set the clock, by NTP"},

    [CTL_RULE_AUTH_CHALLENGE] =
        {"auth-challenge", FAULT, CTL_DOCTOR_AUTH,
         "a 401 MUST have the header WWW-Authenticate",
         "HTTP (RFC 9110): 401; 2025-11-25, basic/authorization",
         "send WWW-Authenticate: Bearer resource_metadata=\"...\""},
    [CTL_RULE_AUTH_METADATA] =
        {"auth-metadata", FAULT, CTL_DOCTOR_AUTH,
         "a server MUST say where its metadata is: by resource_metadata in "
         "WWW-Authenticate, or by the well-known URL",
         "2025-11-25, basic/authorization: Protected Resource Metadata",
         "serve /.well-known/oauth-protected-resource, and name it in "
         "WWW-Authenticate"},
    [CTL_RULE_AUTH_METADATA_INVALID] =
        {"auth-metadata-invalid", FAULT, CTL_DOCTOR_AUTH,
         "the metadata has resource, and authorization_servers with at least "
         "one",
         "2025-11-25, basic/authorization: Authorization Server Location",
         "send both of them"},

    [CTL_RULE_END_SLOW] =
        {"end-slow", WARNING, CTL_DOCTOR_END,
         "a server ends soon after its standard input has ended",
         "2025-11-25, basic/lifecycle: Shutdown",
         "end when a read says that the input is over"},
    [CTL_RULE_END_STATUS] =
        {"end-status", NOTE, CTL_DOCTOR_END,
         "a server that ends since its input has ended exits with status 0",
         "hosts", "exit with 0; hosts may report a crash"},
    [CTL_RULE_END_LEFT] = {"end-left", WARNING, CTL_DOCTOR_END,
                           "when a server has ended, no process of it is left",
                           "2025-11-25, basic/lifecycle: Shutdown",
                           "end what the server has started"},
};

const char *ctl_doctor_level_name(int level) {
  static const char *const names[] = {"fault", "warning", "note"};
  return names[level];
}

const char *ctl_doctor_group_name(int group) {
  static const char *const names[CTL_DOCTOR_GROUPS] = {
      [CTL_DOCTOR_START] = "start",        [CTL_DOCTOR_HANDSHAKE] = "handshake",
      [CTL_DOCTOR_MESSAGES] = "messages",  [CTL_DOCTOR_LISTS] = "lists",
      [CTL_DOCTOR_TOOLS] = "tools",        [CTL_DOCTOR_RESOURCES] = "resources",
      [CTL_DOCTOR_PROMPTS] = "prompts",    [CTL_DOCTOR_HTTP] = "http",
      [CTL_DOCTOR_AUTH] = "authorization", [CTL_DOCTOR_END] = "end",
  };
  return names[group];
}
