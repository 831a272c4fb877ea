# SPDX-License-Identifier: MIT
"""Calls that async handlers answer."""
from _thread import allocate_lock
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple

from ._context import Context
from ._errors import ToolError, keep_interrupt, on_error
from ._native import ffi, lib
from ._numbers import Numbers, userdata_of
from ._replies import Call, fail, finish_later

if TYPE_CHECKING:
    from ._server import Server

#: What can be cancelled: Job and Waiter.
running: "Numbers[_Cancellable]" = Numbers()


@ffi.def_extern(onerror=on_error)
def py_on_cancel(call: Call, userdata: Any) -> None:
    job = running.find(userdata)
    if job is not None:
        job.cancel()


class _Cancellable:
    """What runs an async handler as a task that the client can cancel."""

    def __init__(self, server: "Server", call: Call) -> None:
        self._server = server
        self._call = call
        self._task: Any = None
        self._is_cancelled = False
        self._lock = allocate_lock()
        self._id = running.add(self)

    def _finish(self, value: Any, error: Optional[BaseException]) -> None:
        """The handler has ended. The first of several calls counts."""
        raise NotImplementedError

    def _on_task(self, task: Any) -> None:
        self._task = task
        # A task that is cancelled before it begins runs nothing.
        task.add_done_callback(
            lambda ended: self._finish(None, ToolError("cancelled")))
        if self._is_cancelled:
            task.cancel()

    def cancel(self) -> None:
        """The client no longer waits. On any thread."""
        self._is_cancelled = True
        if self._task is not None:
            self._server._tasks_for_jobs().cancel(self._task)


class Job(_Cancellable):
    """A call that an async handler answers."""

    def __init__(self, server: "Server", call: Call, context: Context,
                 function: Callable[..., Any], arguments: Dict[str, Any],
                 reply: Callable[[Call, Any], int]) -> None:
        super().__init__(server, call)
        self._context = context
        self._function = function
        self._arguments = arguments
        self._reply = reply
        self._is_starting = False
        self._outcome: Optional[Tuple[Any, Optional[BaseException]]] = None
        server._jobs.add(self)

    def start(self) -> int:
        tasks = self._server._tasks_for_jobs()
        if not tasks.runs_here():
            return self._defer() or self._start_there(tasks)
        call = self._call
        self._is_starting = True
        tasks.start(self._run, self._on_task)
        self._is_starting = False
        if self._outcome is not None:  # it did not wait for anything
            return self._answer(call, *self._outcome)
        rc = self._defer()
        if rc != 0:
            self._task.cancel()
        return rc

    def _defer(self) -> int:
        call = self._call
        rc = int(lib.mcp_call_defer(call))
        if rc != 0:
            self.take()
        elif lib.mcp_call_on_cancel(call, lib.py_on_cancel,
                                    userdata_of(self._id)) != 0:
            self.cancel()  # it is cancelled already
        return rc

    def _start_there(self, tasks: Any) -> int:
        try:
            tasks.start_from_thread(self._run, self._on_task)
        except RuntimeError as ended:
            self._finish(None, ToolError(str(ended)))
        return 0

    async def _run(self) -> None:
        value, error = await _outcome_of(self._function, self._arguments)
        self._finish(value, error)

    def _finish(self, value: Any, error: Optional[BaseException]) -> None:
        call = self.take()
        if call is None:
            return
        if self._is_starting:
            self._outcome = value, error
        else:
            finish_later(call, value, error, self._reply)
            self._server._kick()

    def _answer(self, call: Call, value: Any,
                error: Optional[BaseException]) -> int:
        """Answers inside the handler of libmcp."""
        try:
            return fail(call, error) if error is not None \
                else self._reply(call, value)
        except BaseException as caught:
            return fail(call, caught)

    def take(self) -> Call:
        """Ends the job; returns the call that must be answered, or None."""
        with self._lock:
            call, self._call = self._call, None
        self._context._end()
        running.drop(self._id)
        self._server._jobs.discard(self)
        return call


class _Question:
    """A function that one thread runs for another."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._answer: Any = None
        self._error: Optional[BaseException] = None
        self._is_open = allocate_lock()
        self._is_open.acquire()

    def ask(self) -> None:
        try:
            self._answer = self._function()
        except BaseException as error:
            self._error = error
        self._is_open.release()

    def wait(self) -> Any:
        self._is_open.acquire()
        error, self._error = self._error, None
        if error is None:
            return self._answer
        try:
            raise error
        finally:
            del error  # its traceback has this frame


class Waiter(_Cancellable):
    """An async handler that a thread of libmcp's pool waits for. So the handler
    can ask the client: libmcp forbids that after mcp_call_defer. The thread
    makes the calls of libmcp that ask."""

    def __init__(self, server: "Server", call: Call,
                 function: Callable[..., Any]) -> None:
        from queue import SimpleQueue
        super().__init__(server, call)
        self._function = function
        self._queue: Any = SimpleQueue()
        self._is_over = False
        self.context = Context(call, server._logs, self._ask)

    def _ask(self, function: Callable[[], Any]) -> Any:
        """On the thread of asyncio. The other thread waits for such questions,
        so it answers at once."""
        question = _Question(function)
        with self._lock:
            if self._is_over:
                raise RuntimeError("the call is over")
            self._queue.put(question)
        return question.wait()

    def _finish(self, value: Any, error: Optional[BaseException]) -> None:
        self._queue.put((value, error))

    def run(self, arguments: Dict[str, Any]) -> Any:
        """Runs the handler to its end; returns its result or raises."""
        async def work() -> None:
            self._finish(*await _outcome_of(self._function, arguments))
        self._server._waiters.add(self)
        if lib.mcp_call_on_cancel(self._call, lib.py_on_cancel,
                                  userdata_of(self._id)) != 0:
            self.cancel()  # it is cancelled already
        try:
            try:
                self._server._tasks_for_jobs().start_from_thread(
                    work, self._on_task)
            except RuntimeError as ended:
                raise ToolError(str(ended)) from None
            item = self._queue.get()
            while isinstance(item, _Question):
                item.ask()
                item = self._queue.get()
        finally:
            self._end()
        value, error = item
        try:
            if error is not None:
                raise error
            return value
        finally:
            del error, item  # its traceback has this frame

    def leave(self) -> None:
        """The server ends, and does not wait for the handler any longer."""
        self._finish(None, ToolError("the server ends"))

    def _end(self) -> None:
        self._server._waiters.discard(self)
        self.context._end()
        running.drop(self._id)
        with self._lock:
            self._is_over = True
        while not self._queue.empty():
            item = self._queue.get()
            if isinstance(item, _Question):  # of a task that outlives the call
                item.ask()  # raises there: the context has ended


async def _outcome_of(function: Callable[..., Any], arguments: Dict[str, Any]
                      ) -> Tuple[Any, Optional[BaseException]]:
    """Runs a handler; returns its result and its error."""
    from asyncio import CancelledError
    try:
        value = function(**arguments)
        if hasattr(value, "__await__"):
            value = await value
        return value, None
    except CancelledError:
        return None, ToolError("cancelled")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            keep_interrupt(error)  # here, as a thread of the pool may answer
        return None, error
