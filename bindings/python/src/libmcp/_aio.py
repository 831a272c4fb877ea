# SPDX-License-Identifier: MIT
"""libmcp's loop inside an asyncio loop, and the tasks of async handlers."""
import asyncio
import math
import select
import selectors
import threading
from typing import Any, Callable, Coroutine, List, Optional, Set, Tuple

from ._errors import has_interrupt, on_error, raise_interrupt
from ._native import ffi, lib


class Driver:
    """Runs a loop of libmcp inside the running asyncio loop, by its descriptor
    and its timeout (mcp/loop.h)."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop
        self._aio = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._timer: Optional[asyncio.TimerHandle] = None
        self._is_kicked = False
        self._fd = lib.mcp_loop_fd(loop)
        self._aio.add_reader(self._fd, self._step)
        self.kick()

    def kick(self) -> None:
        """Steps soon: the program has used the loop's objects outside it. On
        any thread."""
        if not self._is_kicked and self._loop is not None:
            self._is_kicked = True
            if self._thread == threading.get_ident():
                self._aio.call_soon(self._step)
            else:
                self._aio.call_soon_threadsafe(self._step)

    def _step(self) -> None:
        self._is_kicked = False
        if self._loop is None:
            return
        lib.mcp_loop_step(self._loop)
        if self._loop is None:  # a callback has closed it
            return
        if has_interrupt():
            self.kick()
            raise_interrupt()
        wait_ms = lib.mcp_loop_timeout_ms(self._loop)
        if wait_ms == 0:
            self.kick()
        elif wait_ms > 0:
            self._arm(self._aio.time() + wait_ms / 1000)

    def _arm(self, when: float) -> None:
        # A timer that is early only steps and arms the next one.
        if self._timer is not None:
            if not self._timer.cancelled() and \
                    self._aio.time() < self._timer.when() <= when:
                return
            self._timer.cancel()
        self._timer = self._aio.call_at(when, self._step)

    def is_running(self) -> bool:
        """Whether the asyncio loop runs. On any thread."""
        return self._aio.is_running()

    def call(self, function: Callable[[], Any]) -> None:
        """Calls a function in the asyncio loop. On any thread."""
        self._aio.call_soon_threadsafe(function)

    def forget(self) -> None:
        """In a forked process: leaves the descriptors to the parent."""
        self._loop = None

    def close(self) -> None:
        """Leaves the asyncio loop."""
        if self._loop is not None:
            self._loop = None
            if not self._aio.is_closed():
                self._aio.remove_reader(self._fd)
            if self._timer is not None:
                self._timer.cancel()


class Tasks:
    """Runs coroutines on an asyncio loop, and cancels them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._tasks: Set["asyncio.Task[None]"] = set()
        self._lock = threading.RLock()
        self._coming = 0  # from other threads, not started yet
        self._is_closed = False

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]],
               on_task: Callable[["asyncio.Task[None]"], None]) -> None:
        task = self._loop.create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        on_task(task)
        if self._is_closed:
            task.cancel()

    def runs_here(self) -> bool:
        """Whether this is the thread of the asyncio loop."""
        return True

    def start(self, work: Callable[[], Coroutine[Any, Any, None]],
              on_task: Callable[["asyncio.Task[None]"], None]) -> None:
        """Runs a coroutine; `on_task` gets its task. Only if runs_here()."""
        self._start(work, on_task)

    def start_from_thread(self, work: Callable[[], Coroutine[Any, Any, None]],
                          on_task: Callable[["asyncio.Task[None]"], None]
                          ) -> None:
        """The same on any thread. Raises RuntimeError after stop()."""
        def start() -> None:
            with self._lock:
                self._coming -= 1
            self._start(work, on_task)
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the server ends")
            self._coming += 1
            self._loop.call_soon_threadsafe(start)

    def cancel(self, task: "asyncio.Task[None]") -> None:
        """Cancels a task. On any thread."""
        try:
            self._loop.call_soon_threadsafe(task.cancel)
        except RuntimeError:
            pass  # the loop has ended, and its tasks with it

    async def stop(self) -> None:
        """Cancels all tasks, and waits until they have ended. Other threads
        start no further ones."""
        with self._lock:
            self._is_closed = True
        while self._coming:
            await asyncio.sleep(0)
        for task in list(self._tasks):
            task.cancel()
        while self._tasks:
            await asyncio.wait(list(self._tasks))


class _Idle(BaseException):
    """An asyncio loop has nothing to do."""

    def __init__(self, seconds: Optional[float]) -> None:
        super().__init__()
        self.seconds = seconds  # until its next timer; None: there is none


class _Selector(selectors.DefaultSelector):
    """Does not wait, but leaves run_forever."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = False

    def select(self, timeout: Optional[float] = None
               ) -> List[Tuple[selectors.SelectorKey, int]]:
        if self.waits:
            return super().select(timeout)
        found = super().select(0)
        if not found and (timeout is None or timeout > 0):
            raise _Idle(timeout)
        return found


class _GuestLoop(asyncio.SelectorEventLoop):
    """Reports that another thread has left something to do."""

    def __init__(self, selector: _Selector,
                 on_thread: Callable[[], None]) -> None:
        super().__init__(selector)
        self._on_thread = on_thread

    def call_soon_threadsafe(  # type: ignore[override]
            self, *arguments: Any, **named: Any) -> asyncio.Handle:
        handle = super().call_soon_threadsafe(*arguments, **named)
        self._on_thread()
        return handle


@ffi.def_extern(onerror=on_error)
def py_on_timer(timer: Any, userdata: Any) -> None:
    ffi.from_handle(userdata).step()


@ffi.def_extern(onerror=on_error)
def py_on_wake(userdata: Any) -> None:
    ffi.from_handle(userdata).on_wake()


class GuestTasks(Tasks):
    """The same, for servers that run by mcp_main: an asyncio loop that is a
    guest on the thread of libmcp's loop.

    The asyncio loop runs when a call has started a task, and then until it
    would wait. A timer of libmcp and a thread, which only watches the
    descriptor of the selector, say when to run it again. A handler that awaits
    nothing, and leaves nothing to do, needs neither."""

    def __init__(self, loop: Any, thread: int) -> None:
        """`thread` is the one of libmcp's loop; this may be another."""
        self._selector = _Selector()
        super().__init__(_GuestLoop(self._selector, self._watch))
        self._mcp_loop = loop
        self._handle = ffi.new_handle(self)
        self._timer: Any = ffi.NULL
        self._is_armed = False
        self._is_stepping = False
        self._thread = thread
        self._watcher: Optional[threading.Thread] = None
        self._stepped = threading.Semaphore(0)

    def runs_here(self) -> bool:
        return self._thread == threading.get_ident()

    def start(self, work: Callable[[], Coroutine[Any, Any, None]],
              on_task: Callable[["asyncio.Task[None]"], None]) -> None:
        super().start(work, on_task)
        self.step()

    def cancel(self, task: "asyncio.Task[None]") -> None:
        if self.runs_here():
            task.cancel()
            self._arm(0)  # not now: this is a callback of libmcp
        else:
            super().cancel(task)

    def step(self) -> None:
        """Runs the asyncio loop until it would wait. Raises nothing: what ends
        the program in a task ends it after run()."""
        if self._is_stepping or self._loop.is_closed():
            return
        self._is_stepping = True
        seconds: Optional[float] = 0  # if run_forever ends in another way
        try:
            self._loop.run_forever()
        except _Idle as idle:
            seconds = idle.seconds
        except BaseException as error:  # SystemExit in a task
            on_error(type(error), error, error.__traceback__)
        self._is_stepping = False
        self._arm(seconds)
        # Something may arrive for a task, or for add_reader() of the program
        # (the loop has one descriptor itself).
        if self._watcher is None and (
                self._tasks or len(self._selector.get_map()) > 1 or
                asyncio.all_tasks(self._loop)):
            self._watch()

    def _arm(self, seconds: Optional[float]) -> None:
        if self._loop.is_closed():
            return
        if seconds is not None:
            if not self._timer:
                self._timer = lib.mcp_timer_new(
                    self._mcp_loop, lib.py_on_timer, self._handle, ffi.NULL)
            lib.mcp_timer_start(self._timer, math.ceil(seconds * 1000), 0)
            self._is_armed = True
        elif self._is_armed:
            lib.mcp_timer_stop(self._timer)
            self._is_armed = False

    # --- the thread that watches the selector ---

    def _watch(self) -> None:
        """On any thread."""
        with self._lock:
            if self._watcher is None and not self._is_closed:
                self._watcher = threading.Thread(
                    target=self._watch_selector, daemon=True,
                    name="libmcp asyncio")
                self._watcher.start()

    def _watch_selector(self) -> None:
        poll = select.poll()
        poll.register(self._selector.fileno(), select.POLLIN)
        while True:
            poll.poll()
            if self._is_closed:
                return
            lib.mcp_loop_post(self._mcp_loop, lib.py_on_wake, self._handle)
            self._stepped.acquire()

    def on_wake(self) -> None:
        self.step()
        self._stepped.release()

    async def _stop_all(self) -> None:
        """Also the tasks that handlers have begun."""
        await self.stop()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others)

    def finish(self, timeout: float) -> None:
        """Cancels all tasks, waits for them, and ends the loop."""
        self._selector.waits = True
        ending = self._loop.create_task(self._stop_all())
        self._loop.call_later(timeout, ending.cancel)
        try:
            self._loop.run_until_complete(ending)
        except asyncio.CancelledError:
            pass  # one does not end
        except BaseException as error:
            on_error(type(error), error, error.__traceback__)
        if self._watcher is not None:
            self._stepped.release()
            self._loop.call_soon_threadsafe(int)  # its descriptor is readable
            self._watcher.join()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
        timer, self._timer = self._timer, ffi.NULL
        lib.mcp_timer_free(timer)
