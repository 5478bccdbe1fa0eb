import GLibKit
import Testing

@testable import DesktopKit

@Suite(
    "Notifications of the desktop",
    .enabled(if: Neighbour.isInstalled("dbus-daemon") && Neighbour.hasBindings),
    .timeLimit(.minutes(4))
)
@LoopActor struct DesktopNotificationsTests {
    /// A Python script of a desktop, which prints each call; its arguments are a bus address and the capabilities.
    private static let desktop = """
        import os, sys
        from gi.repository import Gio, GLib
        XML = '''<node><interface name="org.freedesktop.Notifications">
        <method name="GetCapabilities"><arg type="as" direction="out"/></method>
        <method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
        <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
        <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/></method>
        <method name="CloseNotification"><arg type="u" direction="in"/></method></interface></node>'''
        bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        def tell(id): bus.emit_signal(None, path, name, "ActionInvoked", GLib.Variant("(us)", (id, "default")))
        name, path, last = "org.freedesktop.Notifications", "/org/freedesktop/Notifications", 40
        def call(bus, sender, path, interface, method, arguments, invocation):
            global last
            if method == "GetCapabilities":
                return invocation.return_value(GLib.Variant("(as)", (sys.argv[2].split(),)))
            if method == "CloseNotification":
                print("close", *arguments.unpack(), flush=True)
                return invocation.return_value(None)
            app, replaced, icon, title, text, actions, hints, time = arguments.unpack()
            print(app, replaced, title, text, actions[0], hints["category"], hints["urgency"], time, sep="|", flush=True)
            last = replaced or last + 1
            if title == "Hasty": tell(last)
            invocation.return_value(GLib.Variant("(u)", (last,)))
        def click(source, condition):
            lines = os.read(0, 1000).split()
            for line in lines: tell(int(line))
            return True if lines else loop.quit()
        bus.register_object(path, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], call, None, None)
        loop = GLib.MainLoop()
        GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, click)
        Gio.bus_own_name_on_connection(bus, name, 0, lambda *_: print("ready", flush=True), None)
        loop.run()
        """

    private static func content(_ title: String, _ text: String, isUrgent: Bool = false)
        -> DesktopNotification
    {
        .init(title: title, text: text, category: "im.received", isUrgent: isUrgent)
    }

    private func with(
        _ capabilities: String,
        _ body: @LoopActor (DesktopNotifications<Int>, Neighbour) async throws -> Void
    ) async throws {
        try await withPortal(Self.desktop, capabilities) { bus, desktop in
            let session = try await SessionBus.open(address: bus.address, timeout: .seconds(30))
            try await body(DesktopNotifications<Int>(session, entry: "callrunner"), desktop)
        }
    }

    private func expect(_ desktop: Neighbour, says line: String) async throws {
        let said = try await desktop.line()
        #expect(said == line)
    }

    @Test("A notification replaces the previous one of its subject, and can be withdrawn")
    func places() async throws {
        try await with("actions body") { notifications, desktop in
            let isShown = await notifications.show(Self.content("Ann", "1 < 2"), subject: 7)
            #expect(isShown)
            try await expect(desktop, says: "callrunner|0|Ann|1 < 2|default|im.received|1|-1")
            await notifications.show(Self.content("Eve", "now", isUrgent: true), subject: 8)
            try await expect(desktop, says: "callrunner|0|Eve|now|default|im.received|2|-1")
            await notifications.show(Self.content("Ann", "two"), subject: 7)
            try await expect(desktop, says: "callrunner|41|Ann|two|default|im.received|1|-1")
            notifications.withdraw(7)
            notifications.withdraw(7)
            try await expect(desktop, says: "close 41")
            notifications.withdrawAll()
            try await expect(desktop, says: "close 42")
        }
    }

    @Test("Markup characters are escaped for a desktop that supports markup")
    func markup() async throws {
        try await with("body body-markup") { notifications, desktop in
            // U+0D4E forms one character with what follows.
            await notifications.show(Self.content("<Ann>", "\u{D4E}<b>1 & 2</b>"), subject: 7)
            try await expect(
                desktop,
                says: "callrunner|0|<Ann>|\u{D4E}&lt;b&gt;1 &amp; 2&lt;/b&gt;|default|im.received|1|-1"
            )
        }
    }

    @Test("A click on a notification reports its subject, and clicks on those of other programs are ignored")
    func clicks() async throws {
        try await with("actions") { notifications, desktop in
            await notifications.show(Self.content("Ann", "one"), subject: 7)
            let (subjects, continuation) = AsyncStream.makeStream(of: Int.self)
            let reader = Task { await notifications.followClicks { continuation.yield($0) } }
            // The subscription is made before the next call is sent.
            await notifications.show(Self.content("Eve", "two"), subject: 8)
            for id in ["40", "42", "41"] { try desktop.say(id) }
            var told: [Int] = []
            for await subject in subjects {
                told.append(subject)
                if told.count == 2 { break }
            }
            #expect(told == [8, 7])
            reader.cancel()
            await reader.value
        }
    }

    @Test("A click is reported even if it arrives before the desktop has returned the notification's ID")
    func early() async throws {
        try await with("actions") { notifications, _ in
            let (subjects, continuation) = AsyncStream.makeStream(of: Int.self)
            let reader = Task { await notifications.followClicks { continuation.yield($0) } }
            await notifications.show(Self.content("Hasty", "one"), subject: 7)
            for await subject in subjects {
                #expect(subject == 7)
                break
            }
            reader.cancel()
            await reader.value
        }
    }

    @Test("Without a notification service, showing and withdrawing have no effect")
    func absent() async throws {
        let bus = try await PrivateBus()
        let session = try await SessionBus.open(address: bus.address, timeout: .seconds(30))
        let notifications = DesktopNotifications<Int>(session, entry: "callrunner")
        let isShown = await notifications.show(Self.content("Ann", "one"), subject: 7)
        #expect(!isShown)
        notifications.withdraw(7)
        try await bus.end()
    }
}
