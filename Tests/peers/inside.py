"""Coroutines that run inside a network namespace, for a test that runs outside of it."""

import asyncio
import ctypes
import os
import threading
from collections.abc import Coroutine

_NEW_NETWORK = 0x40000000


class Inside:
    """An event loop on a thread that has entered the network namespace, so that its sockets are in the namespace."""

    def __init__(self, namespace: str):
        self._namespace = namespace
        self._loop = asyncio.new_event_loop()
        self._problem: OSError | None = None
        self._entered = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "Inside":
        self._thread.start()
        self._entered.wait()
        if self._problem:
            raise self._problem
        return self

    def __exit__(self, *_) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def run(self, work: Coroutine, within: float = 150) -> object:
        """Runs the coroutine inside the namespace and returns its result."""
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, within), self._loop).result()

    def _serve(self) -> None:
        try:
            # A network namespace applies only to the thread that enters it, and to threads that it starts.
            library = ctypes.CDLL(None, use_errno=True)
            with open(f"/run/netns/{self._namespace}") as place:
                if library.setns(place.fileno(), _NEW_NETWORK) != 0:
                    raise OSError(ctypes.get_errno(), "setns")
        except OSError as problem:
            self._problem = problem
        finally:
            self._entered.set()
        if not self._problem:
            self._loop.run_forever()
            self._loop.run_until_complete(self._end())
            self._loop.close()

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._loop.shutdown_default_executor()
