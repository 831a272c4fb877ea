# SPDX-License-Identifier: MIT
"""Servers: functions become tools, resources and prompts."""
import sys
from _thread import allocate_lock
from typing import (Any, Callable, Dict, List, Optional, Sequence, Set, Tuple,
                    TypeVar, overload)

from ._content import Content, EmbeddedResource, Image, Message
from ._context import Context, Pending
from ._errors import McpError, NotFoundError, ToolError, check, make_error
from ._json import Keep, dump, load, text
from ._native import ffi, lib
from ._schema import Signature, Type, plain

F = TypeVar("F", bound=Callable[..., Any])
Complete = Dict[str, Callable[..., Any]]
#: A call of libmcp, as cffi has it.
Call = Any
_ERAS = {"both": 0, "legacy": lib.MCP_ERA_LEGACY, "modern": lib.MCP_ERA_MODERN}
_IMAGES = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"),
           (b"GIF8", "image/gif"))


class Result:
    """The result of a tool that has both content and structured content."""
    __slots__ = ("content", "structured")

    def __init__(self, content: Any = None, structured: Any = None) -> None:
        self.content = content
        self.structured = structured


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

@ffi.def_extern(error=-1)
def py_on_call(call: Call, userdata: Any) -> int:
    return int(ffi.from_handle(userdata).handle(call))


@ffi.def_extern(error=-1)
def py_on_complete(call: Call, userdata: Any) -> int:
    return int(ffi.from_handle(userdata).complete(call))


@ffi.def_extern()
def py_on_release(userdata: Any) -> None:
    ffi.from_handle(userdata).release()


@ffi.def_extern()
def py_on_report(server: Any, err: Any, userdata: Any) -> None:
    owner = ffi.from_handle(userdata)
    if owner.on_report is not None:
        owner.on_report(make_error(err))


@ffi.def_extern(error=-1)
def py_on_start(server: Any, loop: Any, userdata: Any) -> int:
    return 0


@ffi.def_extern()
def py_on_stop(server: Any, loop: Any, userdata: Any) -> None:
    ffi.from_handle(userdata)._on_stop()


@ffi.def_extern()
def py_on_connection_closed(connection: Any, err: Any, userdata: Any) -> None:
    ffi.from_handle(userdata)()


@ffi.def_extern()
def py_on_cancel(call: Call, userdata: Any) -> None:
    # A number, not a handle: the job may end at the same time.
    job = _jobs.get(int(ffi.cast("uintptr_t", userdata)))
    if job is not None:
        job.cancel()


# --- replies -----------------------------------------------------------------

def _fail(call: Call, error: BaseException) -> int:
    """Answers with the error of a handler. The traceback goes to standard
    error."""
    if isinstance(error, Pending):
        return int(lib.MCP_PENDING)
    if isinstance(error, NotFoundError):
        return int(lib.MCP_ERR_NOT_FOUND)
    if isinstance(error, McpError):
        data = ffi.NULL if error.data is None else dump(plain(error.data))
        return int(lib.mcp_call_reply_error(
            call, error.code or -32603,
            str(error).replace("\0", "\\0").encode("utf-8", "replace"), data))
    if isinstance(error, ToolError):
        message = str(error)
    else:
        import traceback
        traceback.print_exception(type(error), error, error.__traceback__)
        message = f"{type(error).__name__}: {error}"
    words = message.replace("\0", "\\0").encode("utf-8", "backslashreplace")
    return int(lib.mcp_call_reply_failure(call, b"%s",
                                          ffi.new("char[]", words)))


def _add(call: Call, value: Any) -> None:
    """Adds one piece of content."""
    if isinstance(value, str):
        data = value.encode("utf-8")
        check(lib.mcp_call_add_text_n(call, data, len(data)))
    elif isinstance(value, Content):
        check(value.add_to(call))
    elif isinstance(value, (bytes, bytearray)):
        data = bytes(value)
        for magic, mime_type in _IMAGES:
            if data.startswith(magic):
                check(Image(data, mime_type).add_to(call))
                return
        check(EmbeddedResource("bytes:result", data,
                               "application/octet-stream").add_to(call))
    else:
        data = dump(plain(value))
        check(lib.mcp_call_add_text_n(call, data, len(data)))


def _is_content(value: Any) -> bool:
    return isinstance(value, (str, Content, bytes, bytearray))


def _add_all(call: Call, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, (list, tuple)) and all(map(_is_content, value)):
        for piece in value:
            _add(call, piece)
    else:
        _add(call, value)


def _reply_tool(call: Call, value: Any) -> int:
    if type(value) is str:
        data = value.encode("utf-8")
        if b"\0" not in data:
            return int(lib.mcp_call_reply_text(call, data))
    elif type(value) is int or type(value) is float:
        return int(lib.mcp_call_reply_text(call, repr(value).encode()))
    elif isinstance(value, dict) or \
            hasattr(type(value), "__dataclass_fields__"):
        return int(lib.mcp_call_reply_structured(call, dump(plain(value))))
    elif isinstance(value, Result):
        if value.structured is not None:
            check(lib.mcp_call_set_structured(call,
                                              dump(plain(value.structured))))
        value = value.content
    _add_all(call, value)
    return int(lib.mcp_call_reply(call))


def _reply_prompt(call: Call, value: Any) -> int:
    messages = value if isinstance(value, (list, tuple)) else [value]
    for message in messages:
        role, content = "user", message
        if isinstance(message, Message):
            role, content = message.role, message.content
        check(lib.mcp_call_set_role(
            call, lib.MCP_ROLE_ASSISTANT if role == "assistant"
            else lib.MCP_ROLE_USER))
        _add(call, content)
    return int(lib.mcp_call_reply(call))


def _resource_reply(mime_type: Optional[str]) -> Callable[[Call, Any], int]:
    def reply(call: Call, value: Any) -> int:
        if isinstance(value, (bytes, bytearray)):
            check(lib.mcp_call_add_resource_data(
                call, ffi.NULL, ffi.NULL, ffi.from_buffer(value), len(value)))
        elif isinstance(value, str):
            data = value.encode("utf-8")
            check(lib.mcp_call_add_text_n(call, data, len(data)))
        else:
            kind = ffi.NULL if mime_type else b"application/json"
            check(lib.mcp_call_add_resource_text(call, ffi.NULL, kind,
                                                 dump(plain(value))))
        return int(lib.mcp_call_reply(call))
    return reply


def _reply_completion(call: Call, value: Any) -> int:
    for suggestion in value:
        check(lib.mcp_call_add_completion(
            call, str(suggestion).replace("\0", "").encode("utf-8")))
    return int(lib.mcp_call_reply(call))


# --- jobs: async handlers ----------------------------------------------------

_jobs: Dict[int, Any] = {}
_last_job = 0
_jobs_lock = allocate_lock()


class _Job:
    """A call that an async handler answers."""

    def __init__(self, server: "Server", call: Call, context: Context,
                 function: Callable[..., Any], arguments: Dict[str, Any],
                 reply: Callable[[Call, Any], int]) -> None:
        global _last_job
        self._server = server
        self._call = call
        self._context = context
        self._function = function
        self._arguments = arguments
        self._reply = reply
        self._task: Any = None
        self._is_cancelled = False
        with _jobs_lock:
            _last_job += 1
            self._id = _last_job
            _jobs[self._id] = self
        server._jobs.add(self)

    def start(self) -> int:
        rc = lib.mcp_call_defer(self._call)
        if rc != 0:
            self._forget()
            return int(rc)
        lib.mcp_call_on_cancel(self._call, lib.py_on_cancel,
                               ffi.cast("void *", self._id))
        self._server._tasks_for_jobs().start(self._run, self._on_task)
        return 0

    def _on_task(self, task: Any) -> None:
        self._task = task
        task.add_done_callback(self._on_end)
        if self._is_cancelled:
            task.cancel()

    def _on_end(self, task: Any) -> None:
        """A task that is cancelled before it begins runs nothing."""
        call = self.take()
        if call is not None:
            _finish_later(call, None, ToolError("cancelled"), self._reply)
            self._server._kick()

    def cancel(self) -> None:
        """The client no longer waits. On any thread."""
        self._is_cancelled = True
        if self._task is not None:
            self._server._tasks_for_jobs().cancel(self._task)

    async def _run(self) -> None:
        import asyncio
        value: Any = None
        error: Optional[BaseException] = None
        try:
            value = self._function(**self._arguments)
            if hasattr(value, "__await__"):
                value = await value
        except asyncio.CancelledError:
            error = ToolError("cancelled")
        except BaseException as caught:
            error = caught
        call = self.take()
        if call is not None:
            _finish_later(call, value, error, self._reply)
            self._server._kick()

    def take(self) -> Call:
        """Ends the job; returns the call that must be answered, or None."""
        with _jobs_lock:
            call, self._call = self._call, None
        self._context._end()
        self._forget()
        return call

    def _forget(self) -> None:
        _jobs.pop(self._id, None)
        self._server._jobs.discard(self)


class _Waiter:
    """An async handler that a thread of libmcp's pool waits for. So the handler
    can ask the client: libmcp forbids that after mcp_call_defer. The thread
    makes the calls of libmcp that ask."""

    def __init__(self, server: "Server", call: Call,
                 function: Callable[..., Any]) -> None:
        from queue import SimpleQueue
        self._server = server
        self._call = call
        self._function = function
        self._queue: Any = SimpleQueue()
        self._task: Any = None
        self._is_cancelled = False
        self.context = Context(call, self._ask)
        with _jobs_lock:
            global _last_job
            _last_job += 1
            self._id = _last_job
            _jobs[self._id] = self

    def _ask(self, question: Callable[[], Any]) -> Any:
        """On the thread of asyncio; waits for the other thread, which is at
        once there."""
        answers: List[Any] = []
        done = allocate_lock()
        done.acquire()
        self._queue.put((question, answers, done))
        done.acquire()
        return answers[0]

    def _on_task(self, task: Any) -> None:
        self._task = task
        # A task that is cancelled before it begins runs nothing.
        task.add_done_callback(lambda ended: self._queue.put(
            (None, None, ToolError("cancelled"))))
        if self._is_cancelled:
            task.cancel()

    def cancel(self) -> None:
        self._is_cancelled = True
        if self._task is not None:
            self._server._tasks_for_jobs().cancel(self._task)

    def run(self, arguments: Dict[str, Any]) -> Any:
        """Runs the handler to its end; returns its result or raises."""
        async def work() -> None:
            value, error = None, None
            try:
                value = self._function(**arguments)
                if hasattr(value, "__await__"):
                    value = await value
            except BaseException as caught:
                error = caught
            self._queue.put((None, value, error))
        lib.mcp_call_on_cancel(self._call, lib.py_on_cancel,
                               ffi.cast("void *", self._id))
        try:
            try:
                self._server._tasks_for_jobs().start_from_thread(
                    work, self._on_task)
            except RuntimeError as ended:
                raise ToolError(str(ended)) from None
            while True:
                question, value, error = self._queue.get()
                if question is None:
                    break
                value.append(question())
                error.release()
        finally:
            self.context._end()
            _jobs.pop(self._id, None)
        if error is not None:
            if type(error).__name__ == "CancelledError":
                raise ToolError("cancelled")
            raise error
        return value


def _finish_later(call: Call, value: Any, error: Optional[BaseException],
                  reply: Callable[[Call, Any], int]) -> None:
    """Answers a deferred call, whatever happens."""
    rc = 0
    try:
        if error is None:
            rc = reply(call, value)
        else:
            rc = _fail(call, error)
    except BaseException as caught:
        rc = _fail(call, caught)
    if rc == lib.MCP_ERR_NOT_FOUND:
        lib.mcp_call_reply_error(call, lib.MCP_RPC_RESOURCE_NOT_FOUND,
                                 b"resource not found", ffi.NULL)
    elif rc < 0 and rc != lib.MCP_ERR_GONE:
        lib.mcp_call_drop(call)


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
        self._jobs: Set[_Job] = set()
        self._tasks: Any = None
        self._tasks_lock = allocate_lock()
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
            lib.mcp_server_enable_logging(self._server)

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
                arguments = read(call)
                waiter = _Waiter(self, call, function)
                if name is not None:
                    arguments[name] = waiter.context
                return reply(call, waiter.run(arguments))
            except BaseException as error:
                return _fail(call, error)

        def cannot_ask(question: Any) -> Any:
            raise RuntimeError(
                "an async handler can ask the client only with "
                "@server.tool(thread=True), or thread=True of its prompt or "
                "resource")

        def handle_later(call: Call) -> int:
            context = Context(call, cannot_ask)
            try:
                arguments = read(call)
            except BaseException as error:
                return _fail(call, error)
            if name is not None:
                arguments[name] = context
            return _Job(self, call, context, function, arguments,
                        reply).start()

        def handle_with_context(call: Call) -> int:
            context = Context(call)
            try:
                arguments = read(call)
                arguments[str(name)] = context
                return reply(call, function(**arguments))
            except BaseException as error:
                return _fail(call, error)
            finally:
                context._end()

        def handle(call: Call) -> int:
            try:
                return reply(call, function(**read(call)))
            except BaseException as error:
                return _fail(call, error)

        if is_async:
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
        counts = {name: _count(function)
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
                return _reply_completion(
                    call, function(value, others) if counts[argument] > 1
                    else function(value))
            except BaseException as error:
                return _fail(call, error)
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
             meta: Optional[Dict[str, Any]] = None
             ) -> Callable[[F], F]: ...

    def tool(self, name: Any = None, *, title: Optional[str] = None,
             description: Optional[str] = None,
             read_only: Optional[bool] = None,
             destructive: Optional[bool] = None,
             idempotent: Optional[bool] = None,
             open_world: Optional[bool] = None, thread: bool = False,
             meta: Optional[Dict[str, Any]] = None) -> Any:
        """Makes a tool of a function; a decorator, with or without arguments.

        The name is the function's, the description its docstring, and the
        schema comes from its hints. thread=True runs a def on a thread of
        libmcp's pool, so that it may block. An async def with thread=True runs
        on asyncio while such a thread waits for it, so that it may ask the
        client."""
        def add(function: F) -> F:
            self._add_tool(function, name, title, description,
                           (read_only, destructive, idempotent, open_world),
                           thread, meta)
            return function
        if callable(name):
            function, name = name, None
            return add(function)
        return add

    def _add_tool(self, function: Callable[..., Any], name: Optional[str],
                  title: Optional[str], description: Optional[str],
                  hints: Tuple[Optional[bool], ...], thread: bool,
                  meta: Optional[Dict[str, Any]]) -> None:
        name = name or _name(function)
        what = f"tool {name!r}"
        signature = Signature(function, Context, what)
        output = signature.output(what)
        entry = _Entry(self._entries, self._make(
            function, signature, _tool_reader(signature), _reply_tool,
            _is_async(function), thread))
        keep = Keep()
        tool = keep.new("mcp_tool")
        tool.name = keep.string(name)
        tool.title = keep.string(title)
        tool.description = keep.string(_describe(function, description))
        # Without an input, libmcp states {"type": "object"} itself.
        tool.input = keep.schema(dump(signature.schema()))
        if output is not None:
            tool.output = keep.schema(dump(output.schema))
        tool.hints = _hint_bits(hints)
        tool.is_blocking = thread
        self._meta(keep, tool, meta)
        self._register(entry, lib.mcp_server_add_tool, tool)

    def remove_tool(self, name: str) -> None:
        """Removes a tool; connected clients are notified."""
        check(lib.mcp_server_remove_tool(self._use(), name.encode("utf-8")))

    # --- resources ---

    def resource(self, uri: str, *, name: Optional[str] = None,
                 title: Optional[str] = None,
                 description: Optional[str] = None,
                 mime_type: Optional[str] = None, thread: bool = False,
                 complete: Optional[Complete] = None,
                 meta: Optional[Dict[str, Any]] = None) -> Callable[[F], F]:
        """Makes a resource of a function, or a template if the URI has
        variables ("file:///{+path}"), which are the function's parameters.

        The function returns str, bytes, or what becomes JSON. It raises
        NotFoundError if there is no such resource. `complete` has a function
        for each variable that can be completed."""
        def add(function: F) -> F:
            self._add_resource(function, uri, name, title, description,
                               mime_type, thread, complete, meta)
            return function
        return add

    def _add_resource(self, function: Callable[..., Any], uri: str,
                      name: Optional[str], title: Optional[str],
                      description: Optional[str], mime_type: Optional[str],
                      thread: bool, complete: Optional[Complete],
                      meta: Optional[Dict[str, Any]]) -> None:
        what = f"resource {uri!r}"
        is_template = "{" in uri
        signature = Signature(function, Context, what)
        names = [parameter.name for parameter in signature.parameters]
        if not is_template and names:
            raise TypeError(f"{what}: the URI has no variables, but the "
                            f"function has the parameter {names[0]!r}")
        entry = _Entry(
            self._entries,
            self._make(function, signature, _text_reader(signature),
                       _resource_reply(mime_type), _is_async(function), thread),
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
        made.name = keep.string(name or _name(function))
        made.title = keep.string(title)
        made.description = keep.string(_describe(function, description))
        made.mime_type = keep.string(mime_type)
        made.is_blocking = thread
        self._meta(keep, made, meta)
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
               meta: Optional[Dict[str, Any]] = None
               ) -> Callable[[F], F]: ...

    def prompt(self, name: Any = None, *, title: Optional[str] = None,
               description: Optional[str] = None, thread: bool = False,
               complete: Optional[Complete] = None,
               meta: Optional[Dict[str, Any]] = None) -> Any:
        """Makes a prompt of a function, which returns a text, a Message, or a
        list of these. Clients send strings as arguments; the hints say what
        becomes of them. `complete` has a function for each argument that can
        be completed."""
        def add(function: F) -> F:
            self._add_prompt(function, name, title, description, thread,
                             complete, meta)
            return function
        if callable(name):
            function, name = name, None
            return add(function)
        return add

    def _add_prompt(self, function: Callable[..., Any], name: Optional[str],
                    title: Optional[str], description: Optional[str],
                    thread: bool, complete: Optional[Complete],
                    meta: Optional[Dict[str, Any]]) -> None:
        name = name or _name(function)
        what = f"prompt {name!r}"
        signature = Signature(function, Context, what)
        names = [parameter.name for parameter in signature.parameters]
        entry = _Entry(
            self._entries,
            self._make(function, signature, _text_reader(signature),
                       _reply_prompt, _is_async(function), thread),
            self._complete(complete, names, what))
        keep = Keep()
        prompt = keep.new("mcp_prompt")
        prompt.name = keep.string(name)
        prompt.title = keep.string(title)
        prompt.description = keep.string(_describe(function, description))
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
        self._meta(keep, prompt, meta)
        self._register(entry, lib.mcp_server_add_prompt, prompt)

    def remove_prompt(self, name: str) -> None:
        """Removes a prompt."""
        check(lib.mcp_server_remove_prompt(self._use(), name.encode("utf-8")))

    # --- registering ---

    @staticmethod
    def _meta(keep: Keep, made: Any, meta: Optional[Dict[str, Any]]) -> None:
        if meta is not None:
            made.meta = keep.keep(ffi.new("char[]", dump(meta)))

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
        server = self._begin()
        words = list(sys.argv if argv is None else argv)
        keep = Keep()
        options = keep.new("mcp_main_options")
        options.summary = keep.string(self._description)
        options.on_start = lib.py_on_start
        options.on_stop = lib.py_on_stop
        options.userdata = self._self
        options.pool_threads = pool_threads
        # Descriptor 1 is standard error while libmcp serves standard input
        # and output: nothing may stay in Python's buffer beyond that.
        stdout = sys.stdout
        if stdout is not None:
            stdout.flush()
            if hasattr(stdout, "reconfigure"):
                stdout.reconfigure(line_buffering=True)
        # The server is libmcp's now, also if it fails.
        code = lib.mcp_main_with(server, len(words), keep.strings(words),
                                 options)
        self._server = None
        if code != 0:
            raise SystemExit(code)

    def _on_stop(self) -> None:
        if self._tasks is not None:
            self._tasks.finish(1.0)
        self._drop_jobs()
        if sys.stdout is not None:
            sys.stdout.flush()

    def _drop_jobs(self) -> None:
        for job in list(self._jobs):
            call = job.take()
            if call is not None:
                lib.mcp_call_drop(call)

    def _tasks_for_jobs(self) -> Any:
        if self._tasks is None:
            from ._aio import ThreadTasks
            with self._tasks_lock:  # run() may serve on several threads
                if self._tasks is None:
                    self._tasks = ThreadTasks()
        return self._tasks

    def _kick(self) -> None:
        if self._driver is not None:
            self._driver.kick()

    async def serve_async(self, *, stdio: Optional[bool] = None,
                          http: Optional[str] = None,
                          tcp: Optional[str] = None,
                          unix: Optional[str] = None,
                          fds: Optional[Tuple[int, int]] = None,
                          path: Optional[str] = None,
                          allowed_hosts: Optional[Sequence[str]] = None,
                          allowed_origins: Optional[Sequence[str]] = None,
                          on_ready: Optional[Callable[[List[str]], None]]
                          = None, pool_threads: int = 0) -> None:
        """Serves on the running asyncio loop, where async handlers run too.

        Without an address it serves standard input and output, until their
        end. With addresses (http="127.0.0.1:8080", tcp="127.0.0.1:0",
        unix="/run/x.sock") it serves until the task is cancelled; `on_ready`
        then gets their URLs. `fds` are two descriptors to read and to write,
        which the server closes."""
        import asyncio

        from ._aio import Driver, Tasks
        server = self._begin()
        keep = Keep()
        addresses = [a for a in (http, tcp, unix) if a is not None]
        if stdio is None:
            stdio = not addresses and fds is None
        options = keep.new("mcp_loop_options")
        options.pool_threads = pool_threads
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
            urls = self._listen(loop, keep, frees, http, tcp, unix, path,
                                allowed_hosts, allowed_origins, err)
            self._kick()
            if on_ready is not None:
                on_ready(urls)
            await ended.wait()
        finally:
            await self._tasks.stop()
            self._drop_jobs()
            driver, self._driver = self._driver, None
            driver.close()
            self._server = None
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
                origins: Optional[Sequence[str]], err: Any) -> List[str]:
        urls = []
        if http is not None:
            endpoint = keep.new("mcp_http_options")
            endpoint.path = keep.string(path)
            if hosts is not None:
                endpoint.allowed_hosts = keep.strings(hosts)
            if origins is not None:
                endpoint.allowed_origins = keep.strings(origins)
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
            lines.address = keep.string(address)
            listener = lib.mcp_server_listen_socket(self._server, loop, lines,
                                                    err)
            if not listener:
                raise make_error(err)
            frees.append((lib.mcp_socket_listener_free, listener))
            urls.append(text(lib.mcp_socket_listener_url(listener)))
        return urls


# --- reading arguments -------------------------------------------------------

def _tool_reader(signature: Signature) -> Callable[[Call], Dict[str, Any]]:
    converts = [(p.name, p.type.convert) for p in signature.parameters
                if p.type.convert is not None]
    arguments_of = lib.mcp_call_arguments
    if not signature.parameters:
        return lambda call: {}
    if not converts:
        return lambda call: load(arguments_of(call))

    def read(call: Call) -> Dict[str, Any]:
        arguments: Dict[str, Any] = load(arguments_of(call))
        for name, convert in converts:
            if name in arguments:
                arguments[name] = convert(arguments[name])
        return arguments
    return read


def _text_reader(signature: Signature) -> Callable[[Call], Dict[str, Any]]:
    """Of prompts and templates, whose arguments are strings."""
    types: Dict[str, Type] = {p.name: p.type for p in signature.parameters}
    if not types:
        return lambda call: {}

    def read(call: Call) -> Dict[str, Any]:
        arguments = {}
        for name, value in load(lib.mcp_call_arguments(call)).items():
            if name not in types:
                continue
            make = types[name].from_text
            try:
                arguments[name] = make(value) if make else value
            except ValueError as error:
                raise McpError(-32602, f"argument {name!r}: {error}") from None
        missing = [p.name for p in signature.parameters
                   if p.required and p.name not in arguments]
        if missing:
            raise McpError(-32602, f"argument {missing[0]!r} is missing")
        return arguments
    return read


# --- what functions say ------------------------------------------------------

def _name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "<lambda>")
    if name == "<lambda>":
        raise ValueError("a lambda has no name; give one: tool('name')")
    return str(name)


def _describe(function: Callable[..., Any],
              description: Optional[str]) -> Optional[str]:
    if description is not None:
        return description
    if not function.__doc__:
        return None
    lines = function.__doc__.strip().split("\n")
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return "\n".join(lines[:1] + [line[indent:].rstrip()
                                  for line in lines[1:]])


def _is_async(function: Any) -> bool:
    while True:
        code = getattr(getattr(function, "__func__", function), "__code__",
                       None)
        if code is not None and code.co_flags & 0x80:  # CO_COROUTINE
            return True
        if not hasattr(function, "__wrapped__"):
            return False
        function = function.__wrapped__


def _count(function: Any) -> int:
    """Returns how many parameters a function can take by position."""
    bound = hasattr(function, "__self__")
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return 1 if code is None else int(code.co_argcount) - int(bound)


def _hint_bits(hints: Tuple[Optional[bool], ...]) -> int:
    bits = 0
    pairs = ((lib.MCP_TOOL_READ_ONLY, lib.MCP_TOOL_NOT_READ_ONLY),
             (lib.MCP_TOOL_DESTRUCTIVE, lib.MCP_TOOL_NOT_DESTRUCTIVE),
             (lib.MCP_TOOL_IDEMPOTENT, lib.MCP_TOOL_NOT_IDEMPOTENT),
             (lib.MCP_TOOL_OPEN_WORLD, lib.MCP_TOOL_NOT_OPEN_WORLD))
    for value, (yes, no) in zip(hints, pairs):
        if value is not None:
            bits |= yes if value else no
    return bits
