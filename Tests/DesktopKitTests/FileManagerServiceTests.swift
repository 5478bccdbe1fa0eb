import Foundation
import GLibKit
import Testing

@testable import DesktopKit

@Suite("The file manager", .enabled(if: Neighbour.isInstalled("dbus-daemon")), .timeLimit(.minutes(4)))
@LoopActor struct FileManagerServiceTests {
    /// A Python script of a fake file manager, which prints the arguments of each call.
    private static let manager = """
        import sys
        import gi
        from gi.repository import Gio, GLib
        XML = '''<node><interface name="org.freedesktop.FileManager1"><method name="ShowItems">
        <arg type="as" direction="in"/><arg type="s" direction="in"/></method></interface></node>'''
        bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        def call(bus, sender, path, interface, method, arguments, invocation):
            print(arguments.unpack(), flush=True)
            invocation.return_value(None)
        bus.register_object("/org/freedesktop/FileManager1", Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], call,
            None, None)
        Gio.bus_own_name_on_connection(bus, "org.freedesktop.FileManager1", 0,
            lambda *_: print("ready", flush=True), None)
        loop = GLib.MainLoop()
        GLib.io_add_watch(0, GLib.IO_HUP, lambda *_: loop.quit())
        loop.run()
        """

    @Test("The folder of a file is encoded as a file URL")
    func folder() {
        for _ in 0..<100 {
            #expect(FileManagerService.folder(of: "/videos/a b/1.mkv") == "file:///videos/a%20b")
        }
    }

    @Test("A file with unusual characters in its name is revealed", .enabled(if: Neighbour.hasBindings))
    func reveal() async throws {
        let bus = try await PrivateBus()
        let manager = try Neighbour("/usr/bin/python3", "-c", Self.manager, bus.address)
        #expect(try await manager.line() == "ready")
        let session = try await SessionBus.open(address: bus.address, timeout: .seconds(30))
        try await FileManagerService.reveal("/videos/Анна #1.mkv", on: session)
        #expect(
            try await manager.line()
                == "(['file:///videos/%D0%90%D0%BD%D0%BD%D0%B0%20%231.mkv'], '')"
        )
        try await manager.end()
        try await bus.end()
    }
}
