# SPDX-License-Identifier: MIT
"""Mistakes, and exactly what mcpctl says of each.

The messages are a part of mcpctl: scripts and people read them, so a change of
one belongs into the changelog.
"""

# What is typed, the exit code, and standard error. "-- fake" stands for the fake
# server. In the messages, ">" at the start of a line stands for "mcpctl:".
MISTAKES = [
    # Words and options.
    ("tols -- fake", 1, "> unknown verb 'tols'; did you mean 'tools'?\n"),
    ("-- fake", 1, "> no verb given: mcpctl --help lists the verbs\n"),
    ("frobnicate -- fake", 1,
     "> unknown verb 'frobnicate': mcpctl --help lists the verbs; for a tool "
     "of this name write call frobnicate\n"),
    ("http://127.0.0.1:1/mcp frobnicate", 1,
     "> unknown verb 'frobnicate': mcpctl --help lists the verbs; for a tool "
     "of this name write call frobnicate\n"),
    ("frobnicate", 1,
     "> unknown verb 'frobnicate': mcpctl --help lists the verbs; a server's "
     "command comes after --\n"),
    ("./frobnicate tools", 1,
     "> unknown verb './frobnicate': mcpctl --help lists the verbs; a server's "
     "command comes after --, as in mcpctl tools -- ./frobnicate\n"),
    ("help tol", 1,
     "> unknown verb 'tol': mcpctl --help lists the verbs; a server's command "
     "comes after --\n"),
    ("list -- fake", 1, "> unknown verb 'list'; did you mean 'tools'?\n"),
    ("tools/list -- fake", 1,
     "> unknown verb 'tools/list'; did you mean 'tools'?\n"),
    ("call-tool add -- fake", 1,
     "> unknown verb 'call-tool'; did you mean 'call'?\n"),
    ("version", 1, "> unknown verb 'version'; did you mean '--version'?\n"),
    ("--jsn tools -- fake", 1,
     "> unknown option '--jsn'; did you mean '--json'?\n"),
    ("--frobnicate tools -- fake", 1,
     "> unknown option '--frobnicate': mcpctl --help lists the options\n"),
    ("-x tools -- fake", 1,
     "> unknown option '-x': mcpctl --help lists the options\n"),
    ("--json=yes tools -- fake", 1,
     "> --json=yes: this option takes no value\n"),
    ("--timeout tools", 1,
     "> --timeout tools: not a number of seconds above 0 and up to "
     "1000000\n"),
    ("--timeout soon tools -- fake", 1,
     "> --timeout soon: not a number of seconds above 0 and up to "
     "1000000\n"),
    ("--era stone tools -- fake", 1,
     "> --era stone: not auto, legacy, modern or a revision such as "
     "2026-07-28\n"),
    ("--color red tools -- fake", 1,
     "> --color red: not auto, always or never\n"),
    ("--dialect x tools -- fake", 1,
     "> --dialect x: not mcp, mcp-core, mcp-core-bare or mcp-core-rpc\n"),
    ("tools", 1,
     "> no server given: put its command after --, as in mcpctl tools "
     "[NAME] -- COMMAND\n"),
    ("tools python3 server.py", 1,
     "> no server given: put its command after --, as in mcpctl tools "
     "[NAME] -- COMMAND\n"),
    ("tools extra words -- fake", 1,
     "> too many arguments: write mcpctl tools [NAME] -- COMMAND\n"),
    ("call -- fake", 1,
     "> too few arguments: write mcpctl call NAME [ARGS] -- COMMAND\n"),
    ("info extra -- fake", 1,
     "> too many arguments: write mcpctl info -- COMMAND\n"),
    ("complete greet -- fake", 1,
     "> too few arguments: write mcpctl complete REF ARG=START [ARGS] "
     "-- COMMAND\n"),
    # Servers.
    ("tools http://127.0.0.1:1/mcp", 1,
     "> no server given: put the URL before the verb, as in mcpctl URL "
     "tools [NAME]\n"),
    ("tools -- http://127.0.0.1/mcp", 1,
     "> after -- comes a command, not a URL: write mcpctl URL tools "
     "[NAME]\n"),
    ("add web -- https://127.0.0.1/mcp", 1,
     "> after -- comes a command, not a URL: write mcpctl add NAME [URL]\n"),
    ("diff a -- https://127.0.0.1/mcp", 1,
     "> after -- comes a command, not a URL: write mcpctl diff A B\n"),
    ("ftp://127.0.0.1/mcp tools", 1,
     "> unknown scheme 'ftp:': a server's URL begins with {targets}\n"),
    ("127.0.0.1:80/mcp tools", 1,
     "> unknown verb '127.0.0.1:80/mcp': mcpctl --help lists the verbs; "
     "a URL begins with {targets}\n"),
    ("nosuchname tools", 1,
     "> unknown server 'nosuchname': mcpctl servers lists those of the "
     "configuration files; a command comes after --\n"),
    ("http://127.0.0.1:99999/mcp tools", 1,
     '> url: the port "99999" is not a number from 1 to 65535\n'),
    ("ws://127.0.0.1:99999/mcp tools", 1,
     '> url: the port "99999" is not a number from 1 to 65535\n'),
    ("tcp://127.0.0.1:99999 tools", 1,
     '> "127.0.0.1:99999": its port is not a number from 0 to 65535\n'),
    ("http://127.0.0.1:x/mcp tools", 1,
     '> url: the port "x" is not a number from 1 to 65535\n'),
    ("unix:/nonexistent tools", 4,
     "> cannot connect to unix:/nonexistent: no such file or directory\n"
     "> is the server running, and is this its address?\n"),
    ("tools -- no-such-server", 4,
     '> cannot start "no-such-server": no such file or directory\n'
     "> is it installed, and in a folder of PATH? The name of a configured "
     "server stands before the verb, without --\n"),
    ("tools -- no-such-server --stdio", 4,
     '> cannot start "no-such-server": no such file or directory\n'
     "> is it installed, and in a folder of PATH?\n"),
    ("tools -- /dev/null", 4,
     '> cannot start "/dev/null": permission denied\n'),
    ("tools -- /dev", 4,
     '> cannot start "/dev": permission denied\n'
     "> this is a folder: name the program that is in it\n"),
    ("tools -- cat", 4,
     "> the peer sends the client's own requests back: it is not an MCP "
     "server\n"),
    ("tools -- true", 4, "> true: exited with status 0 before it answered\n"),
    ("tools -- fake dies", 4,
     "> {python}: exited with status 3 before it answered\n"
     "The server's last lines on standard error:\n"
     "no licence\n"
     "no luck\n"),
    ("--timeout 1 tools -- fake garbage", 124,
     "> warning: the server wrote something that is not a message to its "
     "standard output (logs belong on standard error): unexpected "
     'character, expected a valid root value: "Welcome to the fake '
     'server! token=[redacted]"\n'
     "> the server sent no answer within 1 s: --timeout sets this limit\n"),
    # Tools and their arguments.
    ("tools ecko -- fake", 4,
     "> the server has no tool 'ecko'; did you mean 'echo'?\n"),
    ("call ecko -- fake", 1,
     "> ecko was not called: the server does not list this tool; did "
     "you mean 'echo'? --no-validate calls it anyway\n"),
    ("call echo --steps 3 -- fake", 1,
     "> unknown option '--steps'; for an argument write steps=3\n"),
    ("call echo a -- fake", 1,
     "> 'a' is not an argument: give key=value, key:=JSON, or all of "
     "them as @FILE, - or {...}\n"),
    ("call echo a:1 -- fake", 1,
     "> 'a:1' is not an argument: write 'a:=1', or all arguments as one JSON "
     "object in single quotes\n"),
    ("call echo a:=[1, 2] -- fake", 1,
     "> 'a:=[1,' is not JSON after :=; the shell splits at blanks and removes "
     "quotes, so put the whole word in single quotes\n"),
    ('call echo {"a": 1} -- fake', 1,
     "> '{\"a\":' is not the only argument: a JSON object gives all of them, "
     "as one word in single quotes\n"),
    ("call echo a:=b -- fake", 1,
     "> 'a:=b' is not JSON after :=; for a string write 'a=b'\n"),
    ("call echo a=1 a=2 -- fake", 1, "> 'a' is given twice\n"),
    ("call echo =1 -- fake", 1,
     "> '=1' is not an argument: give key=value, key:=JSON, or all of "
     "them as @FILE, - or {...}\n"),
    ("call echo a=@/nonexistent -- fake", 1,
     "> 'a=@/nonexistent': cannot read /nonexistent: No such file or "
     'directory; for this text write \'a:="@/nonexistent"\'\n'),
    ("call echo @/nonexistent -- fake", 1,
     "> cannot read /nonexistent: No such file or directory\n"),
    ('call echo {"a" -- fake', 1,
     "> the argument is not JSON: line 1, column 5: unexpected end of "
     'data at byte 4: "{"a""\n'),
    ("call narrow stepz:=3 -- fake named", 1,
     '> unknown member "stepz"; known are "steps", "delay"\n'
     '> missing the required member "steps"\n'
     "> narrow has no argument 'stepz'; did you mean 'steps'?\n"
     "> narrow was not called: its arguments are not valid; "
     "--no-validate sends them anyway\n"),
    ("call narrow steps=three -- fake named", 1,
     '> /steps: expected an integer, got the string "three"\n'
     "> narrow was not called: its arguments are not valid; "
     "--no-validate sends them anyway\n"),
    ("call refuse text=no -- fake", 4,
     "> the server answered with error -32602: no\n"),
    ("call fail -- fake", 5, "> the tool reported an error\n"),
    # Questions.
    ("call form -- fake", 6,
     "> The fake asks: Who are you?\n"
     "> unanswered: name; answer on a terminal or with --answer "
     "name=VALUE\n"),
    ("call form --answer nmae=Ann -- fake", 6,
     "> The fake asks: Who are you?\n"
     "> unanswered: name; answer on a terminal or with --answer "
     "name=VALUE\n"
     "> --answer nmae was not used: no question asked for it; did you "
     "mean 'name'?\n"),
    ("call form --answer name=Ann --answer color=blue -- fake", 6,
     "> The fake asks: Who are you?\n"
     "> unanswered: color: 'blue' is not one of the choices; answer on "
     "a terminal or with --answer color=VALUE\n"),
    ("call form --answer name -- fake", 1,
     "> --answer name: not of the form KEY=VALUE\n"),
    ("call form --answer action=maybe -- fake", 1,
     "> --answer action=maybe: not accept, decline or cancel; for a "
     "field of that name write action:=JSON\n"),
    ("--timeout 1 call hang -- fake", 124,
     "> the server sent no answer within 1 s: --timeout sets this limit\n"),
    # Prompts and resources.
    ("prompt gret -- fake", 4,
     "> the server answered with error -32602: not like this\n"
     '> the error\'s data: {"prompt":"gret"}\n'
     "> the server has no prompt 'gret'; did you mean 'greet'?\n"),
    ("prompt greet whoo=x -- fake", 4,
     "> the server answered with error -32602: not like this\n"
     '> the error\'s data: {"prompt":"greet"}\n'
     "> greet has no argument 'whoo'; did you mean 'who'?\n"),
    ("read notes.txt -- fake", 4,
     "> the server answered with error -32002: no such resource\n"
     '> the error\'s data: {"uri":"notes.txt"}\n'
     "> 'notes.txt' is not a URI: mcpctl resources and mcpctl templates list "
     "those of the server\n"),
    ("read fake://nope -- fake", 4,
     "> the server answered with error -32002: no such resource\n"
     '> the error\'s data: {"uri":"fake://nope"}\n'),
    # Files and other values of options.
    ("--output /nonexistent/x read fake://text -- fake", 1,
     "> cannot write /nonexistent/x: No such file or directory\n"),
    ("--output x tools -- fake", 1,
     "> --output x: this option is for read, call, generate and task --wait, "
     "without --json, and for pack; redirect standard output "
     "instead\n"),
    ("--output x call echo -- fake", 1,
     "> --output x: nothing was saved: the result has no image, audio "
     "or resource\n"),
    ("--save x tools -- fake", 1,
     "> --save x: this option is for skill NAME without a FILE and "
     "without --json\n"),
    ("--trace-file /nonexistent/x tools -- fake", 1,
     "> cannot write /nonexistent/x: No such file or directory\n"),
    ("--header x tools -- fake", 1,
     "> --header: a header is not 'NAME: VALUE'\n"),
    ("--header A:b tools -- fake", 1,
     "> --header, --plain, --insecure, --cacert and --cert are for HTTP "
     "and WebSocket URLs\n"),
    ("--env x tools -- fake", 1, "> --env x: not of the form NAME=VALUE\n"),
    ("--cwd /nonexistent tools -- fake", 4,
     '> cannot start "{python}": the working directory "/nonexistent": '
     "no such file or directory\n"),
    ("--root /nonexistent tools -- fake", 1,
     "> --root /nonexistent: No such file or directory\n"),
    ("--token-env NOSUCH http://127.0.0.1:1/mcp tools", 1,
     "> --token-env NOSUCH: this variable of the environment is empty "
     "or not set\n"),
    ("--cacert /nonexistent http://127.0.0.1:1/mcp tools", 1,
     "> --cacert /nonexistent: No such file or directory\n"),
    # Other verbs.
    ("raw tools/lst -- fake", 4,
     "> the server answered with error -32601: no tools/lst\n"
     '> the error\'s data: {"asked":"tools/lst"}\n'),
    ("raw notifications/initialized -- fake", 1,
     "> raw notifications/initialized: this is a notification, which "
     "has no answer; raw sends requests only\n"),
    ("task x -- fake", 4,
     "> the server has no tasks in revision 2025-11-25: call its tools "
     "without --detach, which waits for their results\n"),
    ("--detach tools -- fake", 1, "> --detach is for call\n"),
    ("schema check /nonexistent", 1,
     "> cannot read /nonexistent: No such file or directory\n"),
    ("export nosuch", 1,
     "> unknown server 'nosuch': mcpctl servers lists those of the "
     "configuration files; a command comes after --\n"),
    ("http://127.0.0.1:1/mcp tools -- fake", 1,
     "> two servers given: a URL, and a command after --; give one of "
     "them\n"),
]

# What a server at a URL answers over HTTP (status, headers, body), the exit
# code, and standard error. "{there}" is another URL of the same origin.
REFUSALS = [
    (400, {}, "bad\n", 4,
     '> {url} answered HTTP 400: "bad"\n'
     "> the server may not speak MCP, or it may require TLS: try https://\n"),
    (401, {}, "", 3,
     "> {url} demands a login (HTTP 401); run mcpctl {url} login, or give a "
     "token with --token-env VAR or a header with --header 'NAME: VALUE'\n"),
    (401, {"WWW-Authenticate": 'Bearer realm="x", error="invalid_token"'},
     '{"error_description": "too old"}', 3,
     "> {url} demands a login (HTTP 401): invalid_token; run mcpctl {url} "
     "login, or give a token with --token-env VAR or a header with --header "
     "'NAME: VALUE'\n"
     "> the server said: too old\n"
     '> WWW-Authenticate: Bearer realm="x", error="invalid_token"\n'),
    (403, {}, '{"message": "not you"}', 3,
     '> {url} answered HTTP 403: "not you"; to log in as another user, run '
     "mcpctl {url} login\n"),
    (404, {}, "<html>No</html>", 4,
     "> {url} answered HTTP 404\n"
     "> there is no MCP server at this path: many servers use /mcp, older "
     "ones /sse; see the "
     "server's documentation\n"),
    (301, {"Location": "{there}"}, "", 4,
     "> {url} answered HTTP 301: it leads to {there}: it would make a GET of "
     "the POST; use that URL\n"),
    (302, {"Location": "/new"}, "", 4,
     "> {url} answered HTTP 302: it leads to {there}: it would make a GET of "
     "the POST; use that URL\n"),
    (307, {"Location": "https://other.example/mcp"}, "", 4,
     "> {url} answered HTTP 307: it leads to https://other.example/mcp: "
     "redirects are followed within the origin only; use that URL if you "
     "trust it\n"),
    (308, {"Location": "/new"}, "", 4,
     "> {url} answered HTTP 308: it leads to {there}: more than 5 redirects of "
     "one request are not followed\n"),
    (302, {}, "", 4,
     "> {url} answered HTTP 302: a redirect without a Location that is a valid "
     "URL\n"),
    (429, {"Retry-After": "120"}, "slow down\nplease", 4,
     '> {url} answered HTTP 429: "slow down"\n'
     "> Retry-After: 120\n"),
    (503, {"Retry-After": "Fri, 01 Jan 2027 00:00:00 GMT"},
     '{"error": {"message": "closed"}}', 4,
     '> {url} answered HTTP 503: "closed"\n'
     "> Retry-After: Fri, 01 Jan 2027 00:00:00 GMT\n"),
]
