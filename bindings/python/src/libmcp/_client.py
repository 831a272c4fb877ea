# SPDX-License-Identifier: MIT
"""Clients: a blocking one, and one for asyncio."""
import os
from _thread import RLock
from _weakref import ref
from typing import (TYPE_CHECKING, Any, Awaitable, Callable, Dict, Generic,
                    List, Mapping, Optional, Protocol, Sequence, Set, Tuple,
                    Type, TypeVar, Union, cast)
from warnings import warn

from ._context import LEVELS, level_number
from ._errors import (ConnectionClosedError, ToolError, UnsupportedError,
                      check, keep_interrupt, make_error, on_error,
                      raise_interrupt)
from ._json import Keep, c_text, dump, load, maybe_text, text
from ._limits import milliseconds
from ._native import ffi, lib
from ._numbers import Numbers, userdata_of
from ._results import (CallResult, Completion, Elicitation, PromptInfo,
                       PromptResult, ReadResult, Record, ResourceInfo,
                       ServerInfo, TemplateInfo, ToolInfo)
from ._schema import plain

if TYPE_CHECKING:
    from ._login import Login

T = TypeVar("T")
R = TypeVar("R", bound=Record)
Path = Union[str, "os.PathLike[str]"]
#: Gets the progress, the total (None: not known) and a message or None. In an
#: AsyncClient it may be async.
Progress = Callable[[float, Optional[float], Optional[str]], Any]
_End = Callable[[Any, Optional[BaseException]], None]
_POLICIES = {"auto": lib.MCP_POLICY_AUTO, "legacy": lib.MCP_POLICY_LEGACY,
             "modern": lib.MCP_POLICY_MODERN}
_LEVEL_NAMES = list(LEVELS)
_DEVNULL = -3  # subprocess.DEVNULL
_requests: "Numbers[_Request[Any]]" = Numbers()
#: Weak, so that a client that the program forgets ends.
_clients: "Numbers[ref[_Base]]" = Numbers()


def _client_of(userdata: Any) -> "Optional[_Base]":
    found = _clients.find(userdata)
    return None if found is None else found()


class HasFileno(Protocol):
    """A file, such as sys.stderr."""

    def fileno(self) -> int: ...


class _Request(Generic[T]):
    """A request that has no answer yet, and then its result."""

    def __init__(self, convert: Callable[[Any], T],
                 on_progress: Optional[Callable[..., None]]) -> None:
        self.id = _requests.add(self)
        self.convert = convert
        self.on_progress = on_progress
        self.is_done = False
        self.value: Optional[T] = None
        self.error: Optional[BaseException] = None
        self.future: Any = None  # ends with the request
        self.number = ffi.new("uint64_t *")

    def finish(self, outcome: Any) -> None:
        try:
            if outcome.status == 0:
                self.value = self.convert(outcome.result)
            else:
                self.error = make_error(outcome.error,
                                        load(outcome.error_data))
        except BaseException as error:
            self.error = error
        self.is_done = True
        if self.future is not None and not self.future.done():
            self.future.set_result(None)

    def result(self) -> T:
        """Returns or raises what the request has given. Only once."""
        error, self.error = self.error, None
        if error is None:
            return cast(T, self.value)
        try:
            raise error
        finally:
            del error  # its traceback has this frame


# --- what libmcp calls -------------------------------------------------------

@ffi.def_extern(onerror=on_error)
def py_on_done(client: Any, outcome: Any, userdata: Any) -> None:
    request = _requests.find(userdata)
    if request is not None:
        _requests.drop(request.id)
        request.finish(outcome)


@ffi.def_extern(onerror=on_error)
def py_on_progress(client: Any, progress: float, total: float, message: Any,
                   userdata: Any) -> None:
    request = _requests.find(userdata)
    if request is not None and request.on_progress is not None:
        request.on_progress(progress, total or None, maybe_text(message))


@ffi.def_extern(onerror=on_error)
def py_on_elicit(question: Any, userdata: Any) -> None:
    _ask(question, userdata, "_on_elicit", _answer_elicitation)


@ffi.def_extern(onerror=on_error)
def py_on_sample(question: Any, userdata: Any) -> None:
    _ask(question, userdata, "_on_sample", _answer_sampling)


@ffi.def_extern(onerror=on_error)
def py_on_log(client: Any, level: int, logger: Any, data: Any,
              userdata: Any) -> None:
    owner = _client_of(userdata)
    if owner is not None:
        owner._notify(owner._on_log, _LEVEL_NAMES[level - 1], load(data),
                      maybe_text(logger))


@ffi.def_extern(onerror=on_error)
def py_on_list_changed(client: Any, what: Any, userdata: Any) -> None:
    owner = _client_of(userdata)
    if owner is not None:
        owner._notify(owner._on_list_changed, text(what))


@ffi.def_extern(onerror=on_error)
def py_on_resource_updated(client: Any, uri: Any, userdata: Any) -> None:
    owner = _client_of(userdata)
    if owner is not None:
        owner._notify(owner._on_resource_updated, text(uri))


@ffi.def_extern(onerror=on_error)
def py_on_client_closed(client: Any, err: Any, userdata: Any) -> None:
    owner = _client_of(userdata)
    if owner is not None:
        owner._is_open = False
        owner._when_closed()


# --- answers to questions of the server --------------------------------------

def _refuse(question: Any, error: BaseException) -> None:
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        keep_interrupt(error)
    else:
        import traceback
        traceback.print_exception(type(error), error, error.__traceback__)
    lib.mcp_question_fail(question, -32603, c_text(str(error)))


def _ask(question: Any, userdata: Any, handler: str,
         answer: Callable[[Any, Any], None]) -> None:
    """Asks the program's handler, which may be async in an AsyncClient."""
    owner = _client_of(userdata)
    function = getattr(owner, handler, None)
    if owner is None or function is None:
        lib.mcp_question_decline(question)
        return

    def end(value: Any, error: Optional[BaseException]) -> None:
        if error is None:
            _give(question, value, answer)
        elif type(error).__name__ == "CancelledError":
            lib.mcp_question_cancel(question)
        else:
            _refuse(question, error)
    try:
        params = load(lib.mcp_question_params(question))
        value = function(Elicitation(params) if handler == "_on_elicit"
                         else params)
        if hasattr(value, "__await__"):
            owner._later(value, end)
            return
    except BaseException as error:
        _refuse(question, error)
    else:
        _give(question, value, answer)


def _give(question: Any, value: Any, answer: Callable[[Any, Any], None]
          ) -> None:
    """Answers with what a handler has returned."""
    try:
        answer(question, value)
    except BaseException as error:
        _refuse(question, error)


def _answer_elicitation(question: Any, value: Any) -> None:
    if value is None or value is False:
        lib.mcp_question_decline(question)
        return
    err = ffi.new("mcp_error *")
    content = ffi.NULL if value is True else dump(plain(value))
    rc = lib.mcp_question_accept(question, content, err)
    if rc in (lib.MCP_ERR_SCHEMA, lib.MCP_ERR_INVALID):
        raise make_error(err)  # the question is still open


def _answer_sampling(question: Any, value: Any) -> None:
    if value is None:
        lib.mcp_question_decline(question)
        return
    if isinstance(value, str):
        value = {"role": "assistant", "model": "unknown",
                 "content": {"type": "text", "text": value}}
    err = ffi.new("mcp_error *")
    rc = lib.mcp_question_answer(question, dump(plain(value)), err)
    if rc == lib.MCP_ERR_INVALID:
        raise make_error(err)  # the question is still open


# --- conversions -------------------------------------------------------------

def _as(kind: Type[R]) -> Callable[[Any], R]:
    return lambda result: kind(load(lib.mcp_result_json(result)))


def _items(kind: Type[R]) -> Callable[[Any], List[R]]:
    return lambda result: [
        kind(load(lib.mcp_result_item(result, i)))
        for i in range(lib.mcp_result_count(result))]


def _nothing(result: Any) -> None:
    return None


def _raw(result: Any) -> Any:
    return load(lib.mcp_result_json(result))


def _descriptor(file: Union[int, HasFileno]) -> int:
    if not isinstance(file, int):
        return file.fileno()
    return -1 if file == _DEVNULL else file


class _Base:
    """What both clients have."""

    def __init__(self, command: Optional[Sequence[Path]] = None, *,
                 url: Optional[str] = None,
                 fds: Optional[Tuple[int, int]] = None,
                 env: Optional[Mapping[str, str]] = None,
                 inherit_env: bool = False, cwd: Optional[Path] = None,
                 stderr: Union[int, HasFileno, None] = None,
                 headers: Optional[Mapping[str, str]] = None,
                 login: Optional["Login"] = None,
                 name: str = "libmcp-python", version: str = "1.0.0",
                 era: str = "auto", timeout: Optional[float] = None,
                 connect_timeout: Optional[float] = None,
                 roots: Optional[Sequence[Any]] = None, tasks: bool = False,
                 on_elicit: Optional[Callable[[Elicitation], Any]] = None,
                 on_sample: Optional[Callable[[Dict[str, Any]], Any]] = None,
                 on_log: Optional[Callable[[str, Any, Optional[str]], Any]]
                 = None,
                 on_list_changed: Optional[Callable[[str], Any]] = None,
                 on_resource_updated: Optional[Callable[[str], Any]] = None
                 ) -> None:
        """Exactly one of `command`, `url` and `fds` says where the server is.

        `login` gets tokens for a URL that demands them.

        `era` is "auto", "legacy", "modern" or a revision as "2025-06-18";
        `timeout` limits each request, in seconds (default 60; float("inf"): no
        limit), and `connect_timeout` how long connecting takes (default 30);
        `stderr` is a file or a descriptor for a command's standard error
        (subprocess.DEVNULL or -1: discarded); `roots` are URIs, or objects
        with "uri" and "name"; `tasks` lets a server make a task of a call,
        which the client then follows to its end.

        on_elicit returns the filled-in form, True (a URL was visited) or None
        (declined). on_sample gets the params, and returns a text, a result or
        None (declined). on_log gets a level, the data and a logger.
        on_list_changed gets "tools", "resources" or "prompts"."""
        if sum(x is not None for x in (command, url, fds)) != 1:
            raise ValueError("give one of command, url and fds")
        if isinstance(command, str):
            raise TypeError("command is a list: ['server', 'argument']")
        self._command = command
        self._url = url
        self._fds = fds
        self._env = env
        self._inherit_env = inherit_env
        self._cwd = cwd
        self._stderr = stderr
        self._headers = headers
        if login is not None and url is None:
            raise ValueError("a login needs a URL")
        self._login = login
        self._auth: Any = None
        self._on_elicit = on_elicit
        self._on_sample = on_sample
        self._on_log = on_log
        self._on_list_changed = on_list_changed
        self._on_resource_updated = on_resource_updated
        self._name, self._version, self._era = name, version, era
        self._timeout_ms = 0 if timeout is None else \
            milliseconds(timeout, "timeout")
        self._connect_ms = 0 if connect_timeout is None else \
            milliseconds(connect_timeout, "connect_timeout")
        self._roots, self._tasks = roots, tasks
        self._loop: Any = None
        self._client: Any = None
        self._is_open = False
        self._id = 0
        self._process = os.getpid()
        self._lock = RLock()

    # --- the connection ---

    def _open(self) -> None:
        """Makes the loop and the client."""
        if self._client is not None:
            raise RuntimeError("the client is connected already")
        self._process = os.getpid()
        err = ffi.new("mcp_error *")
        keep = Keep()
        options = keep.new("mcp_client_options")
        if self._era in _POLICIES:
            options.policy = _POLICIES[self._era]
        else:
            options.revision = keep.string(self._era)
        options.request_timeout_ms = self._timeout_ms
        options.connect_timeout_ms = self._connect_ms
        self._id = _clients.add(ref(self))
        try:
            self._make(options, keep, err)
        except BaseException:
            self._free()
            raise

    def _make(self, options: Any, keep: Keep, err: Any) -> None:
        options.userdata = userdata_of(self._id)
        options.apply_defaults = 1
        options.use_tasks = self._tasks
        if self._on_elicit is not None:
            options.on_elicit = lib.py_on_elicit
            options.can_elicit_url = 1
        if self._on_sample is not None:
            options.on_sample = lib.py_on_sample
        if self._on_log is not None:
            options.on_log = lib.py_on_log
            options.log_level = LEVELS["info"]
        options.on_list_changed = lib.py_on_list_changed
        options.on_resource_updated = lib.py_on_resource_updated
        options.on_closed = lib.py_on_client_closed
        self._loop = lib.mcp_loop_new(ffi.NULL, err)
        if not self._loop:
            raise make_error(err)
        self._client = lib.mcp_client_new(
            self._loop, keep.string(self._name), keep.string(self._version),
            options, err)
        if not self._client:
            raise make_error(err)
        if self._roots is not None:
            roots = [{"uri": root} if isinstance(root, str) else root
                     for root in self._roots]
            check(lib.mcp_client_set_roots(self._client, dump(roots), err),
                  err)

    def _connect(self) -> _Request[Any]:
        """Begins to connect."""
        def start(request: _Request[Any], err: Any) -> int:
            keep = Keep()
            done = (lib.py_on_done, userdata_of(request.id), err)
            if self._command is not None:
                return self._connect_command(keep, done)
            if self._url is not None:
                return self._connect_url(keep, done)
            assert self._fds is not None
            transport = lib.mcp_transport_fd(self._loop, *self._fds, ffi.NULL,
                                             err)
            if not transport:
                return int(err.code)
            return int(lib.mcp_client_connect(self._client, transport, *done))
        request = self._start(start, _raw, None)
        self._is_open = True
        return request

    def _connect_command(self, keep: Keep, done: Tuple[Any, ...]) -> int:
        options = keep.new("mcp_process_options")
        options.argv = keep.paths(self._command)
        if self._env is not None:
            options.env = keep.paths(f"{k}={v}" for k, v in self._env.items())
        options.inherit_env = self._inherit_env
        options.working_directory = keep.path(self._cwd)
        if self._stderr is not None:
            options.stderr_fd = _descriptor(self._stderr)
        return int(lib.mcp_client_connect_command(self._client, options,
                                                  *done))

    def _connect_url(self, keep: Keep, done: Tuple[Any, ...]) -> int:
        try:
            from ._native_http import ffi as http_ffi, lib as http_lib
        except ImportError as error:
            raise UnsupportedError(
                lib.MCP_ERR_UNSUPPORTED, "this package has no client over "
                f"HTTP, so it connects to commands only: {error}") from None
        options = keep.keep(http_ffi.new("mcp_http_client_options *"))
        options.size = http_ffi.sizeof("mcp_http_client_options")
        if self._headers is not None:
            options.headers = keep.strings(
                f"{k}: {v}" for k, v in self._headers.items())
        if self._login is not None:
            from ._login import _Auth
            self._auth = _Auth(self._loop, self._login)
            options.auth = self._auth.auth
        return int(http_lib.mcp_client_connect_url(
            self._client, keep.string(self._url), options, *done))

    def _free(self) -> None:
        client, self._client = self._client, None
        loop, self._loop = self._loop, None
        auth, self._auth = self._auth, None
        if self._process != os.getpid():
            # The connection is the parent's. Its end would not come here.
            return
        lib.mcp_client_free(client or ffi.NULL)
        if auth is not None:
            auth.free()
        lib.mcp_loop_free(loop or ffi.NULL)
        _clients.drop(self._id)

    def __del__(self) -> None:
        if getattr(self, "_client", None) is None:
            return
        if self._process != os.getpid():
            self._leave()
            return
        try:
            warn(f"a {type(self).__name__} was not closed; use it in a with "
                 "statement", ResourceWarning, source=self)
        finally:
            self._forget()

    def _leave(self) -> None:
        """In a forked process: leaves the connection to the parent."""
        self._free()

    def _forget(self) -> None:
        """Ends what the program has forgotten. On any thread."""
        self._free()

    def _is_renewing(self) -> bool:
        return self._auth is not None and bool(self._auth.is_renewing)

    def _when_closed(self) -> None:
        """The connection has ended."""

    def _later(self, value: Awaitable[Any], end: _End) -> None:
        """Awaits what a function of the program has returned; `end` gets the
        result or the error, unless the client is freed before."""
        getattr(value, "close", lambda: None)()
        raise TypeError("an async function needs an AsyncClient")

    def _notify(self, function: Optional[Callable[..., Any]],
                *arguments: Any) -> None:
        """Calls a function of the program that answers nothing."""
        def end(value: Any, error: Optional[BaseException]) -> None:
            if error is not None and type(error).__name__ != "CancelledError":
                on_error(type(error), error, error.__traceback__)
        if function is not None:
            value = function(*arguments)
            if hasattr(value, "__await__"):
                self._later(value, end)

    # --- requests ---

    def _check_process(self) -> None:
        if self._process != os.getpid():
            raise RuntimeError("the client belongs to the process that "
                               "connected it, not to this forked one")

    def _start(self, start: Callable[[Any, Any], int],
               convert: Callable[[Any], T],
               on_progress: Optional[Progress]) -> "_Request[T]":
        self._check_process()
        self._use()
        request = _Request(convert, None if on_progress is None else
                           lambda *step: self._notify(on_progress, *step))
        err = ffi.new("mcp_error *")
        try:
            check(start(request, err), err)
        except BaseException:
            _requests.drop(request.id)
            raise
        return request

    def _send(self, function: Any, arguments: Tuple[Any, ...],
              convert: Callable[[Any], T],
              timeout: Optional[float] = None,
              on_progress: Optional[Progress] = None) -> "_Request[T]":
        def start(request: Any, err: Any) -> int:
            keep = Keep()
            options = keep.new("mcp_request_options")
            options.request = request.number
            if timeout is not None:
                options.timeout_ms = milliseconds(timeout, "timeout")
            if on_progress is not None:
                options.on_progress = lib.py_on_progress
                options.progress_userdata = userdata_of(request.id)
            words = [a if isinstance(a, (bytes, ffi.CData)) else
                     keep.string(a) for a in arguments]
            return int(function(self._client, *words, options, lib.py_on_done,
                                userdata_of(request.id), err))
        return self._start(start, convert, on_progress)

    def _do_call(self, name: str, arguments: Mapping[str, Any],
                 timeout: Optional[float], on_progress: Optional[Progress],
                 raise_errors: bool) -> "_Request[CallResult]":
        def convert(result: Any) -> CallResult:
            value = _as(CallResult)(result)
            if raise_errors and value.is_error:
                raise ToolError(value.text or "the tool has failed", value)
            return value
        return self._send(lib.mcp_client_call_tool,
                          (name, dump(plain(dict(arguments)))), convert,
                          timeout, on_progress)

    def _do_complete(self, ref: str, argument: str, value: str,
                     context: Optional[Mapping[str, str]]
                     ) -> "_Request[Completion]":
        kind = "ref/resource" if "://" in ref or "{" in ref else "ref/prompt"
        others = ffi.NULL if context is None else dump(dict(context))
        return self._send(lib.mcp_client_complete,
                          (kind, ref, argument, value, others),
                          _as(Completion))

    def _do_prompt(self, name: str, arguments: Mapping[str, Any]
                   ) -> "_Request[PromptResult]":
        words = {key: value if isinstance(value, str) else
                 dump(plain(value)).decode("utf-8")
                 for key, value in arguments.items()}
        return self._send(lib.mcp_client_get_prompt, (name, dump(words)),
                          _as(PromptResult))

    def _do_request(self, method: str, params: Optional[Mapping[str, Any]],
                    timeout: Optional[float]) -> "_Request[Any]":
        return self._send(
            lib.mcp_client_request,
            (method, ffi.NULL if params is None else dump(dict(params))),
            _raw, timeout)

    # --- what is known of the server ---

    def _use(self) -> Any:
        if self._client is None:
            raise ConnectionClosedError(
                lib.MCP_ERR_CLOSED, "the client is not connected; use it in a "
                "with statement")
        return self._client

    def _known(self, function: Any, read: Callable[[Any], Any]) -> Any:
        with self._lock:  # another thread may close the client
            return read(function(self._use()))

    @property
    def revision(self) -> Optional[str]:
        """The revision of the protocol in use, such as "2025-11-25"."""
        found: Optional[str] = self._known(lib.mcp_client_revision, maybe_text)
        return found

    @property
    def server_info(self) -> ServerInfo:
        """The server's name, version and more."""
        return ServerInfo(self._known(lib.mcp_client_server_info, load) or {})

    @property
    def server_capabilities(self) -> Dict[str, Any]:
        """The server's capabilities."""
        found: Dict[str, Any] = self._known(
            lib.mcp_client_server_capabilities, load) or {}
        return found

    @property
    def instructions(self) -> Optional[str]:
        """How the server says that a model should use it, or None."""
        found: Optional[str] = self._known(lib.mcp_client_instructions,
                                           maybe_text)
        return found


def _level(name: str) -> Any:
    return ffi.cast("int", level_number(name))


class Client(_Base):
    """A client that waits for each answer. Use it in a with statement.

    Several threads may use it; they wait for each other. A callback of the
    client must not start a request of the same client."""

    _is_waiting = False

    def __enter__(self) -> "Client":
        with self._lock:
            self._open()
            try:
                self._wait(self._connect())
            except BaseException:
                self.close()
                raise
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; a command has ended when it returns."""
        if self._process != os.getpid():
            self._free()
            return
        with self._lock:
            if self._client is None:
                return
            lib.mcp_client_close(self._client)
            if self._is_waiting:
                return  # a callback closes it; the with statement does the rest
            try:
                while (self._is_open or self._is_renewing()) and \
                        lib.mcp_loop_wait(self._loop, 200) == 0:
                    pass
            finally:
                self._free()
            raise_interrupt()

    def _refuse_in_callbacks(self) -> None:
        # Another thread would not have the lock.
        if self._is_waiting:
            raise RuntimeError(
                "a callback of this client cannot wait for an answer to the "
                "same client; use an AsyncClient, or a second Client")

    def _wait_once(self, timeout_ms: int) -> None:
        self._is_waiting = True
        try:
            check(lib.mcp_loop_wait(self._loop, timeout_ms))
        finally:
            self._is_waiting = False
        raise_interrupt()

    def _wait(self, request: "_Request[T]") -> T:
        try:
            while not request.is_done:
                self._wait_once(200)  # in slices, so that Python sees signals
        except BaseException:
            if not request.is_done:
                lib.mcp_client_cancel(self._client, request.number[0],
                                      ffi.NULL)
            raise
        return request.result()

    def _run(self, start: Callable[..., "_Request[T]"],
             *arguments: Any) -> T:
        self._check_process()  # in a forked one the lock may be taken
        with self._lock:
            self._refuse_in_callbacks()
            return self._wait(start(*arguments))

    def call(self, name: str, /, **arguments: Any) -> CallResult:
        """Calls a tool. Raises ToolError if the tool reports a failure."""
        return self._run(self._do_call, name, arguments, None, None, True)

    def call_tool(self, name: str,
                  arguments: Optional[Mapping[str, Any]] = None, *,
                  timeout: Optional[float] = None,
                  on_progress: Optional[Progress] = None,
                  raise_errors: bool = True) -> CallResult:
        """Calls a tool, with options: a limit in seconds, a function that gets
        the progress, and whether a failure of the tool is raised."""
        return self._run(self._do_call, name, arguments or {}, timeout,
                         on_progress, raise_errors)

    def tools(self) -> List[ToolInfo]:
        return self._run(self._send, lib.mcp_client_list_tools, (),
                         _items(ToolInfo))

    def resources(self) -> List[ResourceInfo]:
        return self._run(self._send, lib.mcp_client_list_resources, (),
                         _items(ResourceInfo))

    def templates(self) -> List[TemplateInfo]:
        return self._run(self._send, lib.mcp_client_list_resource_templates,
                         (), _items(TemplateInfo))

    def prompts(self) -> List[PromptInfo]:
        return self._run(self._send, lib.mcp_client_list_prompts, (),
                         _items(PromptInfo))

    def read(self, uri: str) -> ReadResult:
        """Reads a resource."""
        found: ReadResult = self._run(
            self._send, lib.mcp_client_read_resource, (uri,), _as(ReadResult))
        return found

    def prompt(self, name: str, /, **arguments: Any) -> PromptResult:
        """Gets the messages of a prompt. Arguments that are not strings are
        sent as JSON."""
        return self._run(self._do_prompt, name, arguments)

    def complete(self, ref: str, argument: str, value: str,
                 context: Optional[Mapping[str, str]] = None) -> Completion:
        """Completes an argument of a prompt, or a variable of a template."""
        return self._run(self._do_complete, ref, argument, value, context)

    def subscribe(self, uri: str) -> None:
        """Asks for notifications (on_resource_updated), which arrive during
        later requests and in wait()."""
        self._run(self._send, lib.mcp_client_subscribe, (uri,), _nothing)

    def unsubscribe(self, uri: str) -> None:
        self._run(self._send, lib.mcp_client_unsubscribe, (uri,), _nothing)

    def set_log_level(self, level: str) -> None:
        self._run(self._send, lib.mcp_client_set_log_level, (_level(level),),
                  _nothing)

    def ping(self) -> None:
        self._run(self._send, lib.mcp_client_ping, (), _nothing)

    def request(self, method: str,
                params: Optional[Mapping[str, Any]] = None, *,
                timeout: Optional[float] = None) -> Any:
        """Sends a request with any method, and returns its result."""
        return self._run(self._do_request, method, params, timeout)

    def wait(self, seconds: float) -> None:
        """Handles what the server sends, for at most this long or until
        something has happened."""
        self._check_process()
        with self._lock:
            self._refuse_in_callbacks()
            self._use()
            self._wait_once(max(0, int(seconds * 1000)))


class AsyncClient(_Base):
    """A client for asyncio: as Client, with `async with` and `await`. Its
    callbacks may be async, and may start requests. A request that is cancelled
    is cancelled at the server too."""

    _driver: Any = None
    _closed: Any = None
    _answers: "Set[Any]"  # tasks

    async def __aenter__(self) -> "AsyncClient":
        import asyncio

        from ._aio import Driver
        self._open()
        self._closed = asyncio.Event()
        self._answers = set()
        self._driver = Driver(self._loop)
        try:
            await self._wait(self._connect())
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection, and cancels callbacks that still run."""
        client, driver = self._client, self._driver
        if client is None:
            return
        if self._process != os.getpid():
            self._leave()
            return
        import asyncio
        try:
            lib.mcp_client_close(client)
            driver.kick()
            await self._end_answers()
            if self._is_open:
                await self._closed.wait()
            while self._is_renewing():
                await asyncio.sleep(0.02)
        finally:
            if self._client is client:  # no other close() was faster
                self._end()
                self._is_open = False
                self._closed.set()

    async def _end_answers(self) -> None:
        """Cancels the callbacks that still run. One that closes the client
        does not wait for itself, and another close() does not cancel it."""
        import asyncio
        self._answers.discard(asyncio.current_task())
        tasks = list(self._answers)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _end(self) -> None:
        if self._driver is not None:
            self._driver.close()
        self._free()

    def _leave(self) -> None:
        if self._driver is not None:
            self._driver.forget()
        self._free()

    def _forget(self) -> None:
        if self._driver is not None and self._driver.is_running():
            self._driver.call(self._end)
        else:
            self._end()

    def _when_closed(self) -> None:
        self._closed.set()

    def _later(self, value: Awaitable[Any], end: _End) -> None:
        import asyncio
        loop = self._loop

        async def run() -> None:
            found: Any = None
            error: Optional[BaseException] = None
            try:
                found = await value
            except BaseException as caught:
                error = caught
            finish(found, error)

        def finish(found: Any, error: Optional[BaseException]) -> None:
            if self._loop is loop:  # else mcp_loop_free has freed the question
                end(found, error)
                self._driver.kick()

        def on_done(task: "asyncio.Task[None]") -> None:
            self._answers.discard(task)
            if task.cancelled():  # before it began: nothing has run
                getattr(value, "close", lambda: None)()
                finish(None, asyncio.CancelledError())
        task = asyncio.get_running_loop().create_task(run())
        self._answers.add(task)
        task.add_done_callback(on_done)

    async def _wait(self, request: "_Request[T]") -> T:
        import asyncio
        request.future = asyncio.get_running_loop().create_future()
        self._driver.kick()
        try:
            await request.future
        except asyncio.CancelledError:
            if not request.is_done and self._client is not None:
                lib.mcp_client_cancel(self._client, request.number[0],
                                      ffi.NULL)
                self._driver.kick()
            raise
        return request.result()

    async def call(self, name: str, /, **arguments: Any) -> CallResult:
        """Calls a tool. Raises ToolError if the tool reports a failure."""
        return await self._wait(
            self._do_call(name, arguments, None, None, True))

    async def call_tool(self, name: str,
                        arguments: Optional[Mapping[str, Any]] = None, *,
                        timeout: Optional[float] = None,
                        on_progress: Optional[Progress] = None,
                        raise_errors: bool = True) -> CallResult:
        """Calls a tool, with options."""
        return await self._wait(self._do_call(
            name, arguments or {}, timeout, on_progress, raise_errors))

    async def tools(self) -> List[ToolInfo]:
        return await self._wait(self._send(lib.mcp_client_list_tools, (),
                                           _items(ToolInfo)))

    async def resources(self) -> List[ResourceInfo]:
        return await self._wait(self._send(lib.mcp_client_list_resources, (),
                                           _items(ResourceInfo)))

    async def templates(self) -> List[TemplateInfo]:
        return await self._wait(self._send(
            lib.mcp_client_list_resource_templates, (),
            _items(TemplateInfo)))

    async def prompts(self) -> List[PromptInfo]:
        return await self._wait(self._send(lib.mcp_client_list_prompts, (),
                                           _items(PromptInfo)))

    async def read(self, uri: str) -> ReadResult:
        """Reads a resource."""
        return await self._wait(self._send(lib.mcp_client_read_resource,
                                           (uri,), _as(ReadResult)))

    async def prompt(self, name: str, /, **arguments: Any) -> PromptResult:
        """Gets the messages of a prompt."""
        return await self._wait(self._do_prompt(name, arguments))

    async def complete(self, ref: str, argument: str, value: str,
                       context: Optional[Mapping[str, str]] = None
                       ) -> Completion:
        """Completes an argument of a prompt, or a variable of a template."""
        return await self._wait(
            self._do_complete(ref, argument, value, context))

    async def subscribe(self, uri: str) -> None:
        """Asks for notifications (on_resource_updated)."""
        await self._wait(self._send(lib.mcp_client_subscribe, (uri,),
                                    _nothing))

    async def unsubscribe(self, uri: str) -> None:
        await self._wait(self._send(lib.mcp_client_unsubscribe, (uri,),
                                    _nothing))

    async def set_log_level(self, level: str) -> None:
        await self._wait(self._send(lib.mcp_client_set_log_level,
                                    (_level(level),), _nothing))

    async def ping(self) -> None:
        await self._wait(self._send(lib.mcp_client_ping, (), _nothing))

    async def request(self, method: str,
                      params: Optional[Mapping[str, Any]] = None, *,
                      timeout: Optional[float] = None) -> Any:
        """Sends a request with any method, and returns its result."""
        return await self._wait(self._do_request(method, params, timeout))
