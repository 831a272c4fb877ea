# SPDX-License-Identifier: MIT
"""What a handler can do while it handles a call."""
from __future__ import annotations

from _thread import allocate_lock

from ._errors import check_call
from ._json import Keep, c_text, dump, load, maybe_text, text
from ._native import ffi, lib
from ._schema import compile_type, plain

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional

LEVELS = {name: level for level, name in enumerate(
    ("debug", "info", "notice", "warning", "error", "critical", "alert",
     "emergency"), 1)}


def level_number(name: str) -> int:
    """Returns the number of a level of log messages."""
    if name not in LEVELS:
        raise ValueError(f"unknown level {name!r}; one of "
                         + ", ".join(LEVELS))
    return LEVELS[name]


class Pending(BaseException):
    """Ends a handler whose question has no answer yet. libmcp runs the handler
    again when it has. (No Exception, so that handlers do not catch it.)"""


class Answer:
    """The user's answer to Context.elicit."""
    __slots__ = ("action", "content")

    def __init__(self, action: str, content: Any) -> None:
        #: "accept", "decline" or "cancel".
        self.action = action
        #: The filled-in form; None unless the action is "accept".
        self.content = content

    def __repr__(self) -> str:
        return f"Answer({self.action!r}, {self.content!r})"

    @property
    def accepted(self) -> bool:
        return self.action == "accept"


class Context:
    """A parameter with this type gets it. Only valid until the handler
    returns; progress, log and cancelled may be used on any thread."""
    __slots__ = ("_call", "_logs", "_lock", "_questions", "_ask")

    def __init__(self, call: Any, logs: bool,
                 ask: Optional[Callable[[Callable[[], Any]], Any]] = None
                 ) -> None:
        self._call = call
        self._logs = logs
        self._lock = allocate_lock()
        self._questions = 0
        #: Runs a function on the thread that may ask.
        self._ask = ask or (lambda question: question())

    def _end(self) -> None:
        with self._lock:
            self._call = None

    def _use(self) -> Any:
        if self._call is None:
            raise RuntimeError("the call is over; a Context is only valid "
                               "until its handler has returned")
        return self._call

    # --- messages to the client ---

    def progress(self, progress: float, total: Optional[float] = None,
                 message: Optional[str] = None) -> None:
        """Reports progress, which must grow from call to call."""
        with self._lock:
            if self._call is not None:
                lib.mcp_call_progress(self._call, progress, total or 0,
                                      c_text(message))

    def log(self, level: str, data: Any, logger: Optional[str] = None) -> None:
        """Sends a log message (Server(logging=True)). `data` is a text or what
        else JSON has."""
        if not self._logs:
            raise RuntimeError("clients get no log messages from this server; "
                               "make it with Server(..., logging=True)")
        number = level_number(level)
        json_text = dump(plain(data))
        with self._lock:
            if self._call is not None:
                lib.mcp_call_log(self._call, number, c_text(logger),
                                 json_text)

    def debug(self, data: Any) -> None:
        self.log("debug", data)

    def info(self, data: Any) -> None:
        self.log("info", data)

    def warning(self, data: Any) -> None:
        self.log("warning", data)

    def error(self, data: Any) -> None:
        self.log("error", data)

    # --- what is known ---

    @property
    def cancelled(self) -> bool:
        """Whether the client no longer waits for the answer."""
        with self._lock:
            return self._call is None or \
                bool(lib.mcp_call_is_cancelled(self._call))

    @property
    def revision(self) -> str:
        """The revision of the protocol, such as "2025-11-25"."""
        return text(lib.mcp_call_revision(self._use()))

    @property
    def client_info(self) -> Any:
        """What the client says about itself, or None."""
        return load(lib.mcp_call_client_info(self._use()))

    @property
    def meta(self) -> Any:
        """The request's `_meta`, or None."""
        return load(lib.mcp_call_meta(self._use()))

    @property
    def principal(self) -> Optional[str]:
        """The verified identity of the client, or None."""
        found: Optional[str] = maybe_text(
            lib.mcp_call_principal(self._use()))
        return found

    @property
    def claims(self) -> Any:
        """The claims of the access token, as a dict; None: no token was
        demanded, or it is a fixed one."""
        return load(lib.mcp_call_claims(self._use()))

    @property
    def scopes(self) -> List[str]:
        """The scopes of the access token."""
        found: List[str] = text(lib.mcp_call_scopes(self._use())).split()
        return found

    def has_scopes(self, *scopes: str) -> bool:
        """Whether the access token has each of these scopes. True if no token
        was demanded."""
        return bool(lib.mcp_call_has_scopes(self._use(),
                                            c_text(" ".join(scopes))))

    @property
    def peer(self) -> Optional[str]:
        """The address of the client, or None."""
        found: Optional[str] = maybe_text(lib.mcp_call_peer(self._use()))
        return found

    def client_has(self, capability: str) -> bool:
        """Whether the client declared a capability, as "sampling.tools"."""
        return bool(lib.mcp_call_client_has(self._use(),
                                            capability.encode("utf-8")))

    # --- questions ---
    # The handler runs again from its start when the answer has arrived, and
    # the same questions then return it (mcp/call.h, "asking").

    def _begin(self, key: Optional[str]) -> Any:
        self._use()
        self._questions += 1
        return (key or f"q{self._questions}").encode("utf-8")

    def _answer(self, function: Any, *arguments: Any) -> Any:
        out = ffi.new("const mcp_json **")

        def ask() -> Any:
            rc = function(self._use(), *arguments, out)
            return rc, load(out[0]) if rc == 0 else None
        rc, answer = self._ask(ask)
        if rc == lib.MCP_PENDING:
            raise Pending
        check_call(rc)
        return answer

    def elicit(self, message: str, form: Any, *,
               key: Optional[str] = None) -> Answer:
        """Asks the user to fill in a form: a dataclass, a TypedDict, or the
        schema of an object as a dict. The content of the answer is of this
        class.

        The code before a question runs once more when the answer has arrived;
        do nothing there that must not be repeated."""
        kind = None if isinstance(form, dict) else \
            compile_type(form, "the form")
        keep = Keep()
        question = keep.new("mcp_elicitation")
        question.message = keep.string(message)
        question.form = keep.schema(dump(kind.schema if kind else form))
        answer = self._answer(lib.mcp_call_ask_elicit, self._begin(key),
                              question)
        content = answer.get("content") if answer["action"] == "accept" \
            else None
        if kind is not None and content is not None:
            content = kind.value(content)
        return Answer(answer["action"], content)

    def elicit_url(self, message: str, url: str, *,
                   key: Optional[str] = None) -> Answer:
        """Asks the user to visit a URL (since 2025-11-25)."""
        answer = self._answer(
            lib.mcp_call_ask_url, self._begin(key), c_text(message),
            c_text(url), ffi.NULL)
        return Answer(answer["action"], None)

    def sample(self, prompt: Any, max_tokens: int = 1000, *,
               system: Optional[str] = None, key: Optional[str] = None,
               **more: Any) -> Any:
        """Asks the client's model. `prompt` is a text, or a list of messages
        as in the protocol; `more` are further members, as temperature=0.2.
        Returns the members `role`, `content` and `model`."""
        keep = Keep()
        question = keep.new("mcp_sampling")
        if isinstance(prompt, str):
            question.prompt = keep.string(prompt)
        else:
            question.messages = keep.keep(ffi.new("char[]", dump(prompt)))
        question.system_prompt = keep.string(system)
        question.max_tokens = max_tokens
        if more:
            question.more = keep.keep(ffi.new("char[]", dump(more)[1:-1]))
        return self._answer(lib.mcp_call_ask_sample, self._begin(key),
                            question)

    def roots(self, *, key: Optional[str] = None) -> List[Any]:
        """Asks for the client's folders: a list of {"uri", "name"}."""
        answer = self._answer(lib.mcp_call_ask_roots, self._begin(key))
        found: List[Any] = answer["roots"]
        return found
