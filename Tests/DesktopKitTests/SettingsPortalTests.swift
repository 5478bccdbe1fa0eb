import DesktopKit
import Foundation
import GLibKit
import Testing

@Suite("The settings portal", .enabled(if: Neighbour.isInstalled("dbus-daemon")), .timeLimit(.minutes(4)))
@LoopActor struct SettingsPortalTests {
    /// A Python script of a fake settings portal; its arguments are a bus address and the kind of replies.
    ///
    /// Each number that it reads from its input becomes the color scheme preference.
    private static let portal = """
        import sys
        import gi
        from gi.repository import Gio, GLib
        XML = '''<node><interface name="org.freedesktop.portal.Settings"><method name="Read">
        <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
        <signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal></interface></node>'''
        bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        manner, path = sys.argv[2], "/org/freedesktop/portal/desktop"
        def call(bus, sender, path, interface, method, arguments, invocation):
            if manner == "silent": return
            if manner == "old": return invocation.return_dbus_error("org.freedesktop.portal.Error.NotFound", "no")
            if arguments[1] == "enable-animations":
                return invocation.return_value(GLib.Variant("(v)", (GLib.Variant("v", GLib.Variant("b", False)),)))
            value = GLib.Variant("s", "dark") if manner == "wrong" else GLib.Variant("v", GLib.Variant("u", 1))
            invocation.return_value(GLib.Variant("(v)", (value,)))
        bus.register_object(path, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], call, None, None)
        def told(source, condition):
            line = sys.stdin.readline().strip()
            if not line: return loop.quit()
            if line in ("still", "moving"):
                values = GLib.Variant("(ssv)", ("org.gnome.desktop.interface", "enable-animations",
                    GLib.Variant("b", line == "moving")))
                bus.emit_signal(None, path, "org.freedesktop.portal.Settings", "SettingChanged", values)
                return True
            for space, key in [("org.gnome", "color-scheme"), ("org.freedesktop.appearance", "contrast"),
                    ("org.freedesktop.appearance", "color-scheme")]:
                number = int(line) if (space, key)[1] == "color-scheme" and space != "org.gnome" else 1
                values = GLib.Variant("(ssv)", (space, key, GLib.Variant("u", number)))
                bus.emit_signal(None, path, "org.freedesktop.portal.Settings", "SettingChanged", values)
            return True
        GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, told)
        Gio.bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop", 0,
            lambda *_: print("ready", flush=True), None)
        loop = GLib.MainLoop()
        loop.run()
        """

    /// Runs a bus and a fake portal, whose replies `manner` selects, and calls `body` with both.
    private func with(
        _ manner: String,
        _ body: @LoopActor (PrivateBus, Neighbour) async throws -> Void
    ) async throws {
        try await withPortal(Self.portal, manner, body)
    }

    @Test(
        "The color scheme preference and its changes are reported, and other settings are ignored",
        .enabled(if: Neighbour.hasBindings)
    )
    func changes() async throws {
        try await with("usual") { bus, portal in
            let stream = await SettingsPortal(
                try await SessionBus.open(address: bus.address, timeout: .seconds(30))
            ).colorSchemes {
                $0
            }
            var schemes = stream.makeAsyncIterator()
            #expect(await schemes.next() == .dark)
            for (number, scheme) in [
                (2, SettingsPortal.ColorScheme.light), (1, .dark), (0, .noPreference), (7, .noPreference),
            ] {
                try portal.say("\(number)")
                #expect(await schemes.next() == scheme)
            }
        }
    }

    @Test(
        "The desktop's setting for animations and its changes are reported",
        .enabled(if: Neighbour.hasBindings)
    )
    func animations() async throws {
        try await with("usual") { bus, portal in
            let stream = await SettingsPortal(
                try await SessionBus.open(address: bus.address, timeout: .seconds(30))
            ).animations()
            var wishes = stream.makeAsyncIterator()
            #expect(await wishes.next() == false)
            for isMoving in [true, false] {
                try portal.say(isMoving ? "moving" : "still")
                #expect(await wishes.next() == isMoving)
            }
        }
    }

    @Test(
        "If the portal replies with an error, a wrong type or not at all, there is no preference",
        .enabled(if: Neighbour.hasBindings),
        arguments: ["old", "wrong", "silent"]
    )
    func unhelpful(_ manner: String) async throws {
        try await with(manner) { bus, _ in
            let stream = await SettingsPortal(
                try await SessionBus.open(
                    address: bus.address,
                    timeout: .seconds(manner == "silent" ? 3 : 30)
                )
            ).colorSchemes {
                $0
            }
            var schemes = stream.makeAsyncIterator()
            #expect(await schemes.next() == .noPreference)
        }
    }

    @Test("Without a portal, there is no color scheme preference")
    func missing() async throws {
        let bus = try await PrivateBus()
        let stream = await SettingsPortal(
            try await SessionBus.open(address: bus.address, timeout: .seconds(30))
        ).colorSchemes { $0 }
        var schemes = stream.makeAsyncIterator()
        #expect(await schemes.next() == .noPreference)
        try await bus.end()
    }

    @Test("Opening a missing or unresponsive session bus fails, and no bus is started")
    func noBus() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let silent = try UnixListener("\(folder)/silent")
        for path in ["silent", "missing"] {
            await #expect(throws: (any Error).self) {
                _ = try await SessionBus.open(address: "unix:path=\(folder)/\(path)")
            }
        }
        silent.close()
        for environment in [
            [:], ["DISPLAY": ":0"], ["XDG_RUNTIME_DIR": folder], ["DBUS_SESSION_BUS_ADDRESS": "autolaunch:"],
        ] {
            #expect(await SessionBus.open(environment) == nil)
            #expect(await SecretService(environment) == nil)
        }
        try FileManager.default.removeItem(atPath: folder)
    }
}
