"""A D-Bus session bus, and programs of the desktop on it."""

import json
import os
import subprocess
import tempfile


class SessionBus:
    """A bus of its own, whose address is short enough for a Unix socket."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="bus-")
        self._bus: subprocess.Popen | None = None

    def __enter__(self) -> "SessionBus":
        folder = self._folder.name
        with open(f"{folder}/bus.conf", "w") as configuration:
            configuration.write(
                f"<busconfig><type>session</type><listen>unix:path={folder}/bus</listen><policy context='default'>"
                "<allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/></policy></busconfig>"
            )
        self._bus = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--print-address", f"--config-file={folder}/bus.conf"],
            stdout=subprocess.PIPE, text=True,
        )
        assert self._bus.stdout.readline()
        return self

    def __exit__(self, *_) -> None:
        self._bus.kill()
        self._bus.wait()
        self._folder.cleanup()

    @property
    def folder(self) -> str:
        return self._folder.name

    @property
    def environment(self) -> dict[str, str]:
        folder = self._folder.name
        return {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus", "XDG_RUNTIME_DIR": folder}


# Debian's Python has the bindings of GLib, which are not on PyPI as wheels.
_CHOOSER = """
import sys
from gi.repository import Gio, GLib
XML = '''<node><interface name="org.freedesktop.portal.FileChooser"><method name="OpenFile">
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
<arg type="o" direction="out"/></method></interface></node>'''
PATH = "/org/freedesktop/portal/desktop"
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
def call(bus, sender, path, interface, method, arguments, invocation):
    options = arguments.unpack()[2]
    dialog = f"{PATH}/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
    invocation.return_value(GLib.Variant("(o)", (dialog,)))
    answer = GLib.Variant("(ua{sv})", (0, {"uris": GLib.Variant("as", [sys.argv[1]])}))
    bus.emit_signal(None, dialog, "org.freedesktop.portal.Request", "Response", answer)
bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], call, None, None)
Gio.bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop", 0, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
"""


class FileChooser:
    """The desktop's file dialog, in which the user always chooses the same file."""

    def __init__(self, bus: SessionBus, uri: str):
        self._bus, self._uri = bus, uri

    def __enter__(self) -> "FileChooser":
        self._process = subprocess.Popen(
            ["/usr/bin/python3", "-c", _CHOOSER, self._uri],
            stdout=subprocess.PIPE, text=True, env={**os.environ, **self._bus.environment},
        )
        assert self._process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.wait()


_NOTIFICATIONS = """
import json, os
from gi.repository import Gio, GLib
XML = '''<node><interface name="org.freedesktop.Notifications">
<method name="GetCapabilities"><arg type="as" direction="out"/></method>
<method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
<arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/></method>
<method name="CloseNotification"><arg type="u" direction="in"/></method></interface></node>'''
NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
bus, last = Gio.bus_get_sync(Gio.BusType.SESSION), 0
def say(**fields): print(json.dumps(fields), flush=True)
def call(bus, sender, path, interface, method, arguments, invocation):
    global last
    if method == "GetCapabilities": return invocation.return_value(GLib.Variant("(as)", (["actions", "body"],)))
    if method == "CloseNotification":
        say(closed=arguments.unpack()[0])
        return invocation.return_value(None)
    app, replaced, icon, title, text, actions, hints, timeout = arguments.unpack()
    last = replaced or last + 1
    say(id=last, title=title, text=text)
    invocation.return_value(GLib.Variant("(u)", (last,)))
def click(source, condition):
    ids = os.read(0, 1000).split()
    for id in ids: bus.emit_signal(None, PATH, NAME, "ActionInvoked", GLib.Variant("(us)", (int(id), "default")))
    return bool(ids)
bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], call, None, None)
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, click)
Gio.bus_own_name_on_connection(bus, NAME, 0, lambda *_: say(ready=True), None)
GLib.MainLoop().run()
"""


class Notifications:
    """The desktop's notifications, which the test reads and clicks."""

    def __init__(self, bus: SessionBus):
        self._bus = bus

    def __enter__(self) -> "Notifications":
        self._process = subprocess.Popen(
            ["/usr/bin/python3", "-c", _NOTIFICATIONS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            bufsize=1, env={**os.environ, **self._bus.environment},
        )
        assert self.next() == {"ready": True}
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.wait()

    def next(self) -> dict:
        """Waits for the next notification, or for the number of one that was withdrawn."""
        return json.loads(self._process.stdout.readline())

    def click(self, id: int) -> None:
        self._process.stdin.write(f"{id}\n")
