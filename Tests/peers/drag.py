"""A program of the X11 desktop from which a file is dragged to a window (XDND, version 5)."""

import time

from Xlib import X, display
from Xlib.protocol import event

LIMIT = 10


def drop(name: str, window: int, uri: str, x: int, y: int) -> bool:
    """Drops a URI at a place of the screen, on the window that is there.

    Returns whether the window has accepted it.
    """
    return _Drag(name, window, uri).run(x, y)


class _Drag:
    def __init__(self, name: str, window: int, uri: str):
        self.display = display.Display(name)
        self.target = self.display.create_resource_object("window", window)
        root = self.display.screen().root
        self.source = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self.uri = uri
        self.type = self.atom("text/uri-list")

    def atom(self, name: str) -> int:
        return self.display.intern_atom(name)

    def run(self, x: int, y: int) -> bool:
        try:
            # Programs offer nothing to a window without this property.
            assert self.target.get_full_property(self.atom("XdndAware"), X.AnyPropertyType), "no drops are accepted"
            self.source.set_selection_owner(self.atom("XdndSelection"), X.CurrentTime)
            self.send("XdndEnter", 5 << 24, self.type, 0, 0)
            self.send("XdndPosition", 0, x << 16 | y, X.CurrentTime, self.atom("XdndActionCopy"))
            if not self.answer("XdndStatus") & 1:
                return False
            self.send("XdndDrop", 0, X.CurrentTime, 0, 0)
            return bool(self.answer("XdndFinished") & 1)
        finally:
            self.display.close()

    def send(self, name: str, *numbers: int) -> None:
        message = event.ClientMessage(
            window=self.target, client_type=self.atom(name), data=(32, [self.source.id, *numbers]),
        )
        self.target.send_event(message)
        self.display.flush()

    def answer(self, name: str) -> int:
        """Waits for a message of the window, hands out the URI meanwhile, and returns the flags of the message."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if not self.display.pending_events():
                time.sleep(0.01)
                continue
            happened = self.display.next_event()
            if happened.type == X.SelectionRequest:
                self.hand_out(happened)
            elif happened.type == X.ClientMessage and happened.client_type == self.atom(name):
                return happened.data[1][1]
        raise TimeoutError(f"no {name} within {LIMIT} s")

    def hand_out(self, request: event.SelectionRequest) -> None:
        fits = request.target == self.type
        if fits:
            request.requestor.change_property(request.property, self.type, 8, f"{self.uri}\r\n".encode())
        notice = event.SelectionNotify(
            time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
            property=request.property if fits else X.NONE,
        )
        request.requestor.send_event(notice)
        self.display.flush()
