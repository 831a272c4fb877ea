# SPDX-License-Identifier: MIT
"""Servers: functions become tools, resources and prompts."""
from __future__ import annotations

import sys
from _thread import allocate_lock, get_ident

from ._context import Context
from ._errors import McpError, check, make_error, on_error, raise_interrupt
from ._functions import (count_parameters, describe, hint_bits, is_async,
                         join_scopes, name_of, text_reader, tool_reader,
                         variables_of)
from ._json import Keep, dump, load, text
from ._limits import milliseconds
from ._native import ffi, lib
from ._replies import (Call, fail, reply_completion, reply_prompt, reply_tool,
                       resource_reply)
from ._schema import Signature

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    from os import PathLike
    from typing import (Any, Callable, Dict, List, Optional, Sequence, Set,
                        Tuple, TypeVar, Union, overload)

    from ._protect import Protection

    F = TypeVar("F", bound=Callable[..., Any])
    Complete = Dict[str, Callable[..., Any]]
    Scopes = Union[str, Sequence[str], None]
else:
    def overload(function):
        return function

_TASKS = {False: 0, True: lib.MCP_TASK_OPTIONAL,
          "required": lib.MCP_TASK_REQUIRED}
_ERAS = {"both": 0, "legacy": lib.MCP_ERA_LEGACY, "modern": lib.MCP_ERA_MODERN}


class _Entry:
    """What libmcp's userdata of a tool, resource or prompt refers to. The
    server keeps it until libmcp releases it."""
    __slots__ = ("handle", "complete", "keeper", "userdata")

    def __init__(self, keeper: Set["_Entry"], handle: Callable[[Call], int],
                 complete: Optional[Callable[[Call], int]] = None) -> None:
        self.handle = handle
        self.complete = complete
        self.keeper = keeper
        self.userdata = ffi.new_handle(self)
        keeper.add(self)

    def release(self) -> None:
        self.keeper.discard(self)
        self.userdata = None


# --- what libmcp calls -------------------------------------------------------

@ffi.def_extern(error=-1, onerror=on_error)
def py_on_call(call: Call, userdata: Any) -> int:
    return int(ffi.from_handle(userdata).handle(call))


@ffi.def_extern(error=-1, onerror=on_error)
def py_on_complete(call: Call, userdata: Any) -> int:
    return int(ffi.from_handle(userdata).complete(call))


@ffi.def_extern(onerror=on_error)
def py_on_release(userdata: Any) -> None:
    ffi.from_handle(userdata).release()


@ffi.def_extern(onerror=on_error)
def py_on_report(server: Any, err: Any, userdata: Any) -> None:
    owner = ffi.from_handle(userdata)
    if owner.on_report is not None:
        owner.on_report(make_error(err))


@ffi.def_extern(error=-1, onerror=on_error)
def py_on_start(server: Any, loop: Any, userdata: Any) -> int:
    ffi.from_handle(userdata)._on_start(loop)
    return 0


@ffi.def_extern(onerror=on_error)
def py_on_stop(server: Any, loop: Any, userdata: Any) -> None:
    ffi.from_handle(userdata)._on_stop()


@ffi.def_extern(onerror=on_error)
def py_on_connection_closed(connection: Any, err: Any, userdata: Any) -> None:
    ffi.from_handle(userdata)()


# --- servers -----------------------------------------------------------------

class Server:
    """Offers functions as tools, resources and prompts."""

    def __init__(self, name: str, version: str = "1.0.0", *,
                 title: Optional[str] = None,
                 description: Optional[str] = None,
                 website_url: Optional[str] = None,
                 instructions: Optional[str] = None, era: str = "both",
                 logging: bool = False,
                 on_report: Optional[Callable[[McpError], None]] = None
                 ) -> None:
        """`era` is "both", "legacy" or "modern"; `logging` declares that
        handlers send log messages; `on_report` gets problems that cannot be
        reported in a reply (without it, run() logs them)."""
        if era not in _ERAS:
            raise ValueError(f"era is 'both', 'legacy' or 'modern', not "
                             f"{era!r}")
        self._description = description
        self.on_report = on_report
        self._entries: Set[_Entry] = set()
        self._jobs: Set[Any] = set()  # of Job
        self._waiters: Set[Any] = set()  # of Waiter
        self._logs = logging
        self._tasks: Any = None
        self._has_async = False
        self._has_tasks = False
        self._loop: Any = None  # while run() serves, on this thread:
        self._thread = 0
        self._lock = allocate_lock()
        self._driver: Any = None
        self._is_serving = False
        self._self = ffi.new_handle(self)
        keep = Keep()
        options = keep.new("mcp_server_options")
        options.title = keep.string(title)
        options.description = keep.string(description)
        options.website_url = keep.string(website_url)
        options.instructions = keep.string(instructions)
        options.eras = _ERAS[era]
        options.userdata = self._self
        if on_report is not None:
            options.on_report = lib.py_on_report
        err = ffi.new("mcp_error *")
        self._server = lib.mcp_server_new(keep.string(name),
                                          keep.string(version), options, err)
        if not self._server:
            raise make_error(err)
        if logging:
            check(lib.mcp_server_enable_logging(self._server))

    def __del__(self) -> None:
        if getattr(self, "_server", None) and not self._is_serving:
            server, self._server = self._server, None
            lib.mcp_server_free(server)

    def _use(self) -> Any:
        if not self._server:
            raise RuntimeError("the server has ended; make a new one")
        return self._server

    # --- handlers ---

    def _make(self, function: Callable[..., Any], signature: Signature,
              read: Callable[[Call], Dict[str, Any]],
              reply: Callable[[Call, Any], int],
              is_async: bool, thread: bool) -> Callable[[Call], int]:
        """Makes what libmcp calls: it reads the arguments, runs the function
        and replies."""
        name = signature.context

        def handle_and_wait(call: Call) -> int:
            try:
                from ._jobs import Waiter
                arguments = read(call)
                waiter = Waiter(self, call, function)
                if name is not None:
                    arguments[name] = waiter.context
                return reply(call, waiter.run(arguments))
            except BaseException as error:
                return fail(call, error)

        def cannot_ask(question: Any) -> Any:
            raise RuntimeError(
                "an async handler can ask the client only with "
                "@server.tool(thread=True), or thread=True of its prompt or "
                "resource")

        def handle_later(call: Call) -> int:
            from ._jobs import Job
            context = Context(call, self._logs, cannot_ask)
            try:
                arguments = read(call)
            except BaseException as error:
                return fail(call, error)
            if name is not None:
                arguments[name] = context
            return Job(self, call, context, function, arguments,
                        reply).start()

        def handle_with_context(call: Call) -> int:
            context = Context(call, self._logs)
            try:
                arguments = read(call)
                arguments[str(name)] = context
                value = function(**arguments)
                context._end()  # other threads may use it until the reply
                return reply(call, value)
            except BaseException as error:
                return fail(call, error)
            finally:
                context._end()

        def handle(call: Call) -> int:
            try:
                return reply(call, function(**read(call)))
            except BaseException as error:
                return fail(call, error)

        if is_async:
            self._has_async = True
            if self._loop is not None:
                self._begin_tasks()  # a handler adds this one
            return handle_and_wait if thread else handle_later
        return handle if name is None else handle_with_context

    def _complete(self, complete: Optional[Complete], names: List[str],
                  what: str) -> Optional[Callable[[Call], int]]:
        """Makes what libmcp calls to complete an argument."""
        if not complete:
            return None
        wrong = sorted(set(complete) - set(names))
        if wrong:
            raise ValueError(f"{what}: complete has {wrong[0]!r}, which is not "
                             f"one of its parameters {names}")
        for name, function in complete.items():
            if is_async(function):
                raise TypeError(f"{what}: the function that completes {name!r} "
                                "must be a def, not an async def")
        counts = {name: count_parameters(function)
                  for name, function in complete.items()}

        def handle(call: Call) -> int:
            try:
                argument = text(lib.mcp_call_complete_argument(call))
                function = complete.get(argument)
                if function is None:
                    return int(lib.mcp_call_reply(call))
                size = ffi.new("size_t *")
                start = lib.mcp_call_complete_value_n(call, size)
                value = ffi.buffer(start, size[0])[:].decode("utf-8") \
                    if start else ""
                others = load(lib.mcp_call_complete_context(call)) or {}
                return reply_completion(
                    call, function(value, others) if counts[argument] > 1
                    else function(value))
            except BaseException as error:
                return fail(call, error)
        return handle

    # --- tools ---

    @overload
    def tool(self, name: F) -> F: ...

    @overload
    def tool(self, name: Optional[str] = None, *, title: Optional[str] = None,
             description: Optional[str] = None,
             read_only: Optional[bool] = None,
             destructive: Optional[bool] = None,
             idempotent: Optional[bool] = None,
             open_world: Optional[bool] = None, thread: bool = False,
             task: Union[bool, str] = False,
             meta: Optional[Dict[str, Any]] = None,
             scopes: Scopes = None) -> Callable[[F], F]: ...

    def tool(self, name: Any = None, *, title: Optional[str] = None,
             description: Optional[str] = None,
             read_only: Optional[bool] = None,
             destructive: Optional[bool] = None,
             idempotent: Optional[bool] = None,
             open_world: Optional[bool] = None, thread: bool = False,
             task: Union[bool, str] = False,
             meta: Optional[Dict[str, Any]] = None,
             scopes: Scopes = None) -> Any:
        """Makes a tool of a function; a decorator, with or without arguments.

        The name is the function's, the description its docstring, and the
        schema comes from its hints. thread=True runs a def on a thread of
        libmcp's pool, so that it may block. An async def with thread=True runs
        on asyncio while such a thread waits for it, so that it may ask the
        client. task=True lets clients call the tool as a task, which goes on
        after they disconnect; with task="required" they must. `scopes` are
        what an access token needs for the tool (Protection)."""
        def add(function: F) -> F:
            self._add_tool(function, name, title, description,
                           (read_only, destructive, idempotent, open_world),
                           thread, task, meta, scopes)
            return function
        if callable(name):
            function, name = name, None
            return add(function)
        return add

    def _add_tool(self, function: Callable[..., Any], name: Optional[str],
                  title: Optional[str], description: Optional[str],
                  hints: Tuple[Optional[bool], ...], thread: bool,
                  task: Union[bool, str], meta: Optional[Dict[str, Any]],
                  scopes: Scopes) -> None:
        if task not in _TASKS:
            raise ValueError(f"task is True, False or 'required', not {task!r}")
        if task and not self._has_tasks:
            self.enable_tasks()
        name = name or name_of(function)
        what = f"tool {name!r}"
        signature = Signature(function, Context, what)
        output = signature.output(what)
        entry = _Entry(self._entries, self._make(
            function, signature, tool_reader(signature), reply_tool,
            is_async(function), thread))
        keep = Keep()
        tool = keep.new("mcp_tool")
        tool.name = keep.string(name)
        tool.title = keep.string(title)
        tool.description = keep.string(describe(function, description))
        # Without an input, libmcp states {"type": "object"} itself.
        tool.input = keep.schema(dump(signature.schema()))
        if output is not None:
            tool.output = keep.schema(dump(output.schema))
        tool.hints = hint_bits(hints)
        tool.is_blocking = thread
        tool.task = _TASKS[task]
        self._meta(keep, tool, meta, scopes)
        self._register(entry, lib.mcp_server_add_tool, tool)

    def enable_tasks(self, *, poll: float = 1.0, ttl: float = 3600.0,
                     max_tasks: int = 10_000) -> None:
        """Sets how tasks are kept (in memory), before the first tool with
        `task`: how often clients should ask for their status and how long they
        are kept, in seconds, and the most that run."""
        keep = Keep()
        options = keep.new("mcp_tasks_options")
        options.poll_ms = milliseconds(poll, "poll")
        options.ttl_ms = milliseconds(ttl, "ttl", 1 << 53)
        options.max_tasks = max_tasks
        err = ffi.new("mcp_error *")
        check(lib.mcp_server_enable_tasks(self._use(), options, err), err)
        self._has_tasks = True

    def remove_tool(self, name: str) -> None:
        """Removes a tool; connected clients are notified."""
        check(lib.mcp_server_remove_tool(self._use(), name.encode("utf-8")))

    # --- resources ---

    def resource(self, uri: str, *, name: Optional[str] = None,
                 title: Optional[str] = None,
                 description: Optional[str] = None,
                 mime_type: Optional[str] = None, thread: bool = False,
                 complete: Optional[Complete] = None,
                 meta: Optional[Dict[str, Any]] = None,
                 scopes: Scopes = None) -> Callable[[F], F]:
        """Makes a resource of a function, or a template if the URI has
        variables ("file:///{+path}"), which are the function's parameters.

        The function returns str, bytes, or what becomes JSON. It raises
        NotFoundError if there is no such resource. `complete` has a function
        for each variable that can be completed."""
        def add(function: F) -> F:
            self._add_resource(function, uri, name, title, description,
                               mime_type, thread, complete, meta, scopes)
            return function
        return add

    def _add_resource(self, function: Callable[..., Any], uri: str,
                      name: Optional[str], title: Optional[str],
                      description: Optional[str], mime_type: Optional[str],
                      thread: bool, complete: Optional[Complete],
                      meta: Optional[Dict[str, Any]],
                      scopes: Scopes) -> None:
        what = f"resource {uri!r}"
        is_template = "{" in uri
        signature = Signature(function, Context, what)
        names = [parameter.name for parameter in signature.parameters]
        if not is_template and names:
            raise TypeError(f"{what}: the URI has no variables, but the "
                            f"function has the parameter {names[0]!r}")
        for parameter in signature.parameters:
            if parameter.required and parameter.name not in variables_of(uri):
                raise TypeError(f"{what}: the function's parameter "
                                f"{parameter.name!r} is not a variable of the "
                                "URI")
        entry = _Entry(
            self._entries,
            self._make(function, signature, text_reader(signature, what),
                       resource_reply(mime_type), is_async(function), thread),
            self._complete(complete, names, what))
        keep = Keep()
        if is_template:
            made = keep.new("mcp_resource_template")
            made.uri_template = keep.string(uri)
            if entry.complete is not None:
                made.complete = lib.py_on_complete
            register = lib.mcp_server_add_resource_template
        else:
            made = keep.new("mcp_resource")
            made.uri = keep.string(uri)
            register = lib.mcp_server_add_resource
        made.name = keep.string(name or name_of(function))
        made.title = keep.string(title)
        made.description = keep.string(describe(function, description))
        made.mime_type = keep.string(mime_type)
        made.is_blocking = thread
        self._meta(keep, made, meta, scopes)
        self._register(entry, register, made)

    def remove_resource(self, uri: str) -> None:
        """Removes a resource or a template."""
        remove = lib.mcp_server_remove_resource_template if "{" in uri \
            else lib.mcp_server_remove_resource
        check(remove(self._use(), uri.encode("utf-8")))

    def resource_updated(self, uri: str) -> None:
        """Notifies clients that subscribed to a resource. On any thread."""
        check(lib.mcp_server_resource_updated(self._use(),
                                              uri.encode("utf-8")))
        self._kick()

    # --- prompts ---

    @overload
    def prompt(self, name: F) -> F: ...

    @overload
    def prompt(self, name: Optional[str] = None, *,
               title: Optional[str] = None, description: Optional[str] = None,
               thread: bool = False, complete: Optional[Complete] = None,
               meta: Optional[Dict[str, Any]] = None,
               scopes: Scopes = None) -> Callable[[F], F]: ...

    def prompt(self, name: Any = None, *, title: Optional[str] = None,
               description: Optional[str] = None, thread: bool = False,
               complete: Optional[Complete] = None,
               meta: Optional[Dict[str, Any]] = None,
               scopes: Scopes = None) -> Any:
        """Makes a prompt of a function, which returns a text, a Message, or a
        list of these. Clients send strings as arguments; the hints say what
        becomes of them. `complete` has a function for each argument that can
        be completed."""
        def add(function: F) -> F:
            self._add_prompt(function, name, title, description, thread,
                             complete, meta, scopes)
            return function
        if callable(name):
            function, name = name, None
            return add(function)
        return add

    def _add_prompt(self, function: Callable[..., Any], name: Optional[str],
                    title: Optional[str], description: Optional[str],
                    thread: bool, complete: Optional[Complete],
                    meta: Optional[Dict[str, Any]],
                    scopes: Scopes) -> None:
        name = name or name_of(function)
        what = f"prompt {name!r}"
        signature = Signature(function, Context, what)
        names = [parameter.name for parameter in signature.parameters]
        entry = _Entry(
            self._entries,
            self._make(function, signature, text_reader(signature, what),
                       reply_prompt, is_async(function), thread),
            self._complete(complete, names, what))
        keep = Keep()
        prompt = keep.new("mcp_prompt")
        prompt.name = keep.string(name)
        prompt.title = keep.string(title)
        prompt.description = keep.string(describe(function, description))
        count = len(signature.parameters)
        if count:
            arguments = keep.keep(ffi.new("mcp_prompt_argument[]", count))
            for argument, parameter in zip(arguments, signature.parameters):
                argument.name = keep.string(parameter.name)
                argument.description = keep.string(
                    parameter.type.schema.get("description"))
                argument.required = parameter.required
            prompt.arguments = arguments
            prompt.argument_count = count
        if entry.complete is not None:
            prompt.complete = lib.py_on_complete
        prompt.is_blocking = thread
        self._meta(keep, prompt, meta, scopes)
        self._register(entry, lib.mcp_server_add_prompt, prompt)

    def remove_prompt(self, name: str) -> None:
        """Removes a prompt."""
        check(lib.mcp_server_remove_prompt(self._use(), name.encode("utf-8")))

    # --- registering ---

    @staticmethod
    def _meta(keep: Keep, made: Any, meta: Optional[Dict[str, Any]],
              scopes: Scopes) -> None:
        if meta is not None:
            made.meta = keep.keep(ffi.new("char[]", dump(meta)))
        if scopes is not None:
            made.scopes = keep.string(join_scopes(scopes))

    def _register(self, entry: _Entry, register: Any, made: Any) -> None:
        made.handler = lib.py_on_call
        made.userdata = entry.userdata
        made.release = lib.py_on_release
        err = ffi.new("mcp_error *")
        if register(self._use(), made, err) != 0:
            entry.release()
            raise make_error(err)
        self._kick()

    # --- serving ---

    def _begin(self) -> Any:
        server = self._use()
        if self._is_serving:
            raise RuntimeError("the server is serving already")
        self._is_serving = True
        return server

    def run(self, argv: Optional[Sequence[str]] = None, *,
            pool_threads: int = 0) -> None:
        """Serves until the end of input or a signal, as mcp_main does: over
        standard input and output, or what the command line says (--http
        HOST:PORT and others; --help shows all). Ends the program with
        SystemExit if the exit code is not 0.

        `argv` is the command line with the program's name; default: sys.argv.
        """
        if _is_in_asyncio():
            raise RuntimeError("run() waits until the end; inside asyncio use "
                               "`await server.serve_async()`")
        words = list(sys.argv if argv is None else argv)
        keep = Keep()
        line = keep.paths(words)
        options = keep.new("mcp_main_options")
        options.summary = keep.string(self._description)
        options.on_start = lib.py_on_start
        options.on_stop = lib.py_on_stop
        options.userdata = self._self
        options.pool_threads = pool_threads
        server = self._begin()
        # Descriptor 1 is standard error while libmcp serves standard input
        # and output: nothing may stay in Python's buffer beyond that.
        stdout = sys.stdout
        if stdout is not None:
            stdout.flush()
            if hasattr(stdout, "reconfigure"):
                stdout.reconfigure(line_buffering=True)
        # The server is libmcp's now, also if it fails.
        code = lib.mcp_main_with(server, len(words), line, options)
        self._server = None
        raise_interrupt()
        if code != 0:
            raise SystemExit(code)

    def _on_start(self, loop: Any) -> None:
        self._loop = loop
        self._thread = get_ident()
        if self._has_async:
            self._begin_tasks()

    def _on_stop(self) -> None:
        if self._tasks is not None:
            self._tasks.finish(1.0)
        self._drop_jobs()
        self._loop = None
        if sys.stdout is not None:
            sys.stdout.flush()

    def _drop_jobs(self) -> None:
        for job in list(self._jobs):
            call = job.take()
            if call is not None:
                lib.mcp_call_drop(call)
        for waiter in list(self._waiters):
            waiter.leave()

    def _begin_tasks(self) -> None:
        """Runs asyncio too. On any thread."""
        from ._aio import GuestTasks
        with self._lock:
            if self._tasks is None:
                self._tasks = GuestTasks(self._loop, self._thread)

    def _tasks_for_jobs(self) -> Any:
        return self._tasks

    def _kick(self) -> None:
        if self._driver is not None:
            self._driver.kick()

    async def serve_async(self, *, stdio: Optional[bool] = None,
                          http: Optional[str] = None,
                          tcp: Optional[str] = None,
                          unix: Optional[Union[str, PathLike[str]]] = None,
                          fds: Optional[Tuple[int, int]] = None,
                          path: Optional[str] = None,
                          allowed_hosts: Optional[Sequence[str]] = None,
                          allowed_origins: Optional[Sequence[str]] = None,
                          protect: Optional[Protection] = None,
                          on_ready: Optional[Callable[[List[str]], None]]
                          = None, pool_threads: int = 0) -> None:
        """Serves on the running asyncio loop, where async handlers run too.

        Without an address it serves standard input and output, until their
        end. With addresses (http="127.0.0.1:8080", tcp="127.0.0.1:0",
        unix="/run/x.sock") it serves until the task is cancelled; `on_ready`
        then gets their URLs. `protect` demands access tokens over HTTP. `fds`
        are two descriptors to read and to write, which the server closes."""
        import asyncio
        from os import fspath

        from ._aio import Driver, Tasks
        if protect is not None and http is None:
            raise ValueError("protect needs http: other addresses have no "
                             "access tokens")
        keep = Keep()
        addresses = [a for a in (http, tcp, unix) if a is not None]
        if stdio is None:
            stdio = not addresses and fds is None
        options = keep.new("mcp_loop_options")
        options.pool_threads = pool_threads
        server = self._begin()
        err = ffi.new("mcp_error *")
        loop = lib.mcp_loop_new(options, err)
        if not loop:
            self._is_serving = False
            raise make_error(err)
        self._driver = Driver(loop)
        self._tasks = Tasks(asyncio.get_running_loop())
        ended = asyncio.Event()
        stop = keep.keep(ffi.new_handle(ended.set))
        frees: List[Tuple[Any, Any]] = []
        try:
            if stdio:
                self._connect(loop, lib.mcp_transport_stdio(
                    loop, ffi.NULL, err), stop, err)
            if fds is not None:
                self._connect(loop, lib.mcp_transport_fd(
                    loop, fds[0], fds[1], ffi.NULL, err), stop, err)
            sock = None if unix is None else fspath(unix)
            urls = self._listen(loop, keep, frees, http, tcp, sock, path,
                                allowed_hosts, allowed_origins, protect, err)
            self._kick()
            if on_ready is not None:
                on_ready(urls)
            await ended.wait()
        finally:
            try:
                await self._tasks.stop()
            finally:  # also if the task is cancelled once more
                self._end(loop, frees)

    def _end(self, loop: Any, frees: List[Tuple[Any, Any]]) -> None:
        self._drop_jobs()
        driver, self._driver = self._driver, None
        driver.close()
        server, self._server = self._server, None
        for free, listener in frees:
            free(listener)
        lib.mcp_server_free(server)
        lib.mcp_loop_free(loop)

    def _connect(self, loop: Any, transport: Any, stop: Any,
                 err: Any) -> None:
        if not transport:
            raise make_error(err)
        keep = Keep()
        options = keep.new("mcp_connection_options")
        options.on_closed = lib.py_on_connection_closed
        options.userdata = stop
        check(lib.mcp_server_connect(self._server, loop, transport, options,
                                     ffi.NULL, err), err)

    def _listen(self, loop: Any, keep: Keep, frees: List[Tuple[Any, Any]],
                http: Optional[str], tcp: Optional[str], unix: Optional[str],
                path: Optional[str], hosts: Optional[Sequence[str]],
                origins: Optional[Sequence[str]],
                protect: Optional[Protection], err: Any) -> List[str]:
        urls = []
        if http is not None:
            endpoint = keep.new("mcp_http_options")
            endpoint.path = keep.string(path)
            if hosts is not None:
                endpoint.allowed_hosts = keep.strings(hosts)
            if origins is not None:
                endpoint.allowed_origins = keep.strings(origins)
            if protect is not None:
                endpoint.protect = protect._options(keep)
            options = keep.new("mcp_http_listen_options")
            options.address = keep.string(http)
            options.http = endpoint
            listener = lib.mcp_server_listen_http(self._server, loop, options,
                                                  err)
            if not listener:
                raise make_error(err)
            frees.append((lib.mcp_http_listener_free, listener))
            urls.append(text(lib.mcp_http_listener_url(listener)))
        for address in (tcp, None if unix is None else "unix:" + unix):
            if address is None:
                continue
            lines = keep.new("mcp_socket_listen_options")
            lines.address = keep.path(address)
            listener = lib.mcp_server_listen_socket(self._server, loop, lines,
                                                    err)
            if not listener:
                raise make_error(err)
            frees.append((lib.mcp_socket_listener_free, listener))
            urls.append(text(lib.mcp_socket_listener_url(listener)))
        return urls


def _is_in_asyncio() -> bool:
    """Whether asyncio runs on this thread. Does not import it."""
    events = sys.modules.get("asyncio.events")
    return events is not None and events._get_running_loop() is not None
