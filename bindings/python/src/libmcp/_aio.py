# SPDX-License-Identifier: MIT
"""libmcp's loop inside an asyncio loop, and the tasks of async handlers."""
import asyncio
import threading
from typing import Any, Callable, Coroutine, Optional, Set

from ._native import lib


class Driver:
    """Runs a loop of libmcp inside the running asyncio loop, by its descriptor
    and its timeout (mcp/loop.h)."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop
        self._aio = asyncio.get_running_loop()
        self._timer: Optional[asyncio.TimerHandle] = None
        self._is_kicked = False
        self._fd = lib.mcp_loop_fd(loop)
        self._aio.add_reader(self._fd, self._step)
        self.kick()

    def kick(self) -> None:
        """Steps soon: the program has used the loop's objects outside it."""
        if not self._is_kicked and self._loop is not None:
            self._is_kicked = True
            self._aio.call_soon(self._step)

    def _step(self) -> None:
        self._is_kicked = False
        if self._loop is None:
            return
        lib.mcp_loop_step(self._loop)
        if self._loop is None:  # a callback has closed it
            return
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

    def close(self) -> None:
        """Leaves the asyncio loop."""
        if self._loop is not None:
            self._loop = None
            self._aio.remove_reader(self._fd)
            if self._timer is not None:
                self._timer.cancel()


class Tasks:
    """Runs coroutines on an asyncio loop, and cancels them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._tasks: Set["asyncio.Task[None]"] = set()
        self._lock = threading.Lock()
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

    def start(self, work: Callable[[], Coroutine[Any, Any, None]],
              on_task: Callable[["asyncio.Task[None]"], None]) -> None:
        """Runs a coroutine; `on_task` gets its task."""
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


class ThreadTasks(Tasks):
    """The same, on a thread of its own: for servers that run by mcp_main."""

    def __init__(self) -> None:
        super().__init__(asyncio.new_event_loop())
        self._thread = threading.Thread(target=self._run, daemon=True,
                                        name="libmcp asyncio")
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def start(self, work: Callable[[], Coroutine[Any, Any, None]],
              on_task: Callable[["asyncio.Task[None]"], None]) -> None:
        self.start_from_thread(work, on_task)

    def finish(self, timeout: float) -> None:
        """Cancels all tasks, waits for them, and ends the thread."""
        done = asyncio.run_coroutine_threadsafe(super().stop(), self._loop)
        try:
            done.result(timeout)
        except TimeoutError:
            pass  # a task does not end; its call is dropped
        except Exception:
            pass
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout)
