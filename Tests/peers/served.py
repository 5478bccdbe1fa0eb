"""A server with data, which can be killed and started again at its address."""

import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from peers.runner import Runner


class Served:
    def __init__(self, machine, data: Path, *flags):
        self.machine, self.data = machine, data
        self.flags = ["--port", "0", "--data", data, *flags]
        self.server: Runner | None = None
        self.url = ""
        self.start()

    def start(self) -> None:
        self.server = self.machine.callrunner("serve", *self.flags)
        self.url = self.server.wait_for("server.listening")["url"]
        # The next start is at the same address.
        self.flags[1] = self.url.rsplit(":", 1)[1]

    def kill(self) -> None:
        self.server.signal(signal.SIGKILL)
        self.server.process.wait(10)

    def rows(self, query: str, *values) -> list[tuple]:
        """Returns what the server's database has."""
        with closing(sqlite3.connect(f"file:{self.data}/callrunner.db?mode=ro", uri=True)) as database:
            return database.execute(query, values).fetchall()

    def wait_for_rows(self, query: str, rows: list[tuple], within: float = 15) -> None:
        deadline = time.monotonic() + within
        while (found := self.rows(query)) != rows:
            assert time.monotonic() < deadline, found
            time.sleep(0.2)
