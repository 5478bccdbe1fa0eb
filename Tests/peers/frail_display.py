"""A proxy for an X display that can break or delay connections while a program closes its window."""

import os
import re
import socket
import struct
import threading
import time

from .display import Display

# The opcodes of X requests, and the lengths of the requests in words of four bytes.
UNMAP, DESTROY, SEND_EVENT = (10, 2), (4, 2), (25, 11)


class FrailDisplay:
    """Forwards the traffic between programs and the X server until the configured request."""

    def __init__(self, display: Display, number: int = 99):
        self._display = f"/tmp/.X11-unix/X{display.name[1:]}"
        self.name = f":{number + os.getpid() % 10000}"
        self._path = f"/tmp/.X11-unix/X{self.name[1:]}"
        self._last_words: re.Pattern | None = None
        self._lag = 0.0
        self._connections = 0
        self.has_broken = threading.Event()

    def __enter__(self) -> "FrailDisplay":
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self._path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._listener.close()
        os.unlink(self._path)

    def break_at(self, request: tuple[int, int], window: int) -> None:
        """Breaks the connection when a program sends this request for the window."""
        code, words = request
        # The second byte of a request depends on its type, so it is not compared.
        self._last_words = re.compile(
            bytes([code]) + b"." + re.escape(struct.pack("<HI", words, window)), re.DOTALL
        )

    def lag(self, seconds: float) -> None:
        """Delays the traffic of all connections except the first one."""
        self._lag = seconds

    def _accept(self) -> None:
        while True:
            try:
                program, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._display)
            self._connections += 1
            threading.Thread(target=self._hand_on, args=(program, server, self._connections), daemon=True).start()
            threading.Thread(target=self._hand_on, args=(server, program, None), daemon=True).start()

    def _hand_on(self, source: socket.socket, sink: socket.socket, number: int | None) -> None:
        """Forwards one direction. `number` is the connection's number if `source` is a program, otherwise None."""
        try:
            while said := source.recv(65536):
                if number and number > 1:
                    time.sleep(self._lag)
                if number and self._last_words and self._last_words.search(said):
                    self.has_broken.set()
                    break
                sink.sendall(said)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
