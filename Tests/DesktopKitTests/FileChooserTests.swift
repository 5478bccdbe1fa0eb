import DesktopKit
import Foundation
import GLibKit
import Testing

@Suite("The file dialog", .enabled(if: Neighbour.isInstalled("dbus-daemon")), .timeLimit(.minutes(4)))
@LoopActor struct FileChooserTests {
    /// A Python script of a fake portal; its arguments are a bus address and the kind of answer.
    private static let portal = """
        import sys
        from gi.repository import Gio, GLib
        XML = '''<node><interface name="org.freedesktop.portal.FileChooser"><method name="OpenFile">
        <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
        <arg type="o" direction="out"/></method></interface>
        <interface name="org.freedesktop.portal.Request"><method name="Close"/></interface></node>'''
        bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        manner, path = sys.argv[2], "/org/freedesktop/portal/desktop"
        interfaces = Gio.DBusNodeInfo.new_for_xml(XML).interfaces
        def closed(bus, sender, path, interface, method, arguments, invocation):
            print("closed", flush=True)
            invocation.return_value(None)
        def call(bus, sender, path, interface, method, arguments, invocation):
            window, title, options = arguments.unpack()
            if manner == "error": return invocation.return_dbus_error("org.freedesktop.portal.Error.Failed", "no")
            dialog = f"{path}/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
            bus.register_object(dialog, interfaces[1], closed, None, None)
            print(f"{title} {options['filters'][0] if 'filters' in options else 'all'}", flush=True)
            uris = GLib.Variant("as", ["file:///films/a%20b.mkv"])
            if manner == "waiting": return invocation.return_value(GLib.Variant("(o)", (dialog,)))
            if manner == "dying":
                invocation.return_value(GLib.Variant("(o)", (dialog,)))
                bus.flush_sync(None)
                return loop.quit()
            number = {"chosen": 0, "cancelled": 1, "closed": 2}[manner]
            answer = GLib.Variant("(ua{sv})", (number, {"uris": uris}))
            # The answer may come before the call has returned.
            bus.emit_signal(None, dialog, "org.freedesktop.portal.Request", "Response", answer)
            invocation.return_value(GLib.Variant("(o)", (dialog,)))
        bus.register_object(path, interfaces[0], call, None, None)
        loop = GLib.MainLoop()
        GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, lambda *_: loop.quit())
        Gio.bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop", 0,
            lambda *_: print("ready", flush=True), None)
        loop.run()
        """

    /// The line that the portal prints about a dialog.
    private static let shown = "Films ('Videos', [(1, 'video/*')])"

    /// Runs a bus and a fake portal, whose answers `manner` selects, and calls `body` with both.
    private func with(
        _ manner: String,
        _ body: @LoopActor (SessionBus, Neighbour) async throws -> Void
    ) async throws {
        try await withPortal(Self.portal, manner) { bus, portal in
            try await body(try await SessionBus.open(address: bus.address, timeout: .seconds(30)), portal)
        }
    }

    @Test("A dialog for any kind of file does not filter files", .enabled(if: Neighbour.hasBindings))
    func anyKind() async throws {
        try await with("chosen") { bus, portal in
            let path = try await FileChooser.choose(.any, title: "Send", name: "", on: bus)
            let shown = try await portal.line()
            #expect(path == "/films/a b.mkv" && shown == "Send all")
        }
    }

    @Test(
        "The path of the chosen file is returned, or nil if the dialog is cancelled",
        .enabled(if: Neighbour.hasBindings),
        arguments: ["chosen", "cancelled", "closed"]
    )
    func choice(_ manner: String) async throws {
        try await with(manner) { bus, portal in
            let path = try await FileChooser.choose(.video, title: "Films", name: "Videos", on: bus)
            #expect(path == (manner == "chosen" ? "/films/a b.mkv" : nil))
            let shown = try await portal.line()
            #expect(shown == Self.shown)
        }
    }

    @Test("Cancelling the task closes the dialog", .enabled(if: Neighbour.hasBindings))
    func cancellation() async throws {
        try await with("waiting") { bus, portal in
            let dialog = Task {
                try await FileChooser.choose(.video, title: "Films", name: "Videos", on: bus)
            }
            let shown = try await portal.line()
            #expect(shown == Self.shown)
            dialog.cancel()
            let result = await dialog.result
            #expect(throws: CancellationError.self) { try result.get() }
            let closed = try await portal.line()
            #expect(closed == "closed")
        }
    }

    @Test(
        "If the portal refuses or ends, the error names the reason",
        .enabled(if: Neighbour.hasBindings),
        arguments: [("error", "no"), ("dying", "xdg-desktop-portal has ended")]
    )
    func failures(_ manner: String, reason: String) async throws {
        try await with(manner) { bus, _ in
            let failure = await #expect(throws: FileChooser.Unavailable.self) {
                try await FileChooser.choose(.video, title: "Films", name: "Videos", on: bus)
            }
            #expect(failure?.description.contains(reason) == true)
        }
    }

    @Test("Without a session bus, choosing a file throws an error")
    func noBus() async {
        let missing = await #expect(throws: FileChooser.Unavailable.self) {
            try await FileChooser.choose(.video, title: "Films", name: "Videos", [:])
        }
        #expect(missing?.description == "there is no session bus")
    }
}
