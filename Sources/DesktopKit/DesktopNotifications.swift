package import GLibKit

private let name = "org.freedesktop.Notifications"
private let path = "/org/freedesktop/Notifications"

/// A desktop notification in plain text.
package struct DesktopNotification: Hashable, Sendable {
    package var title: String
    package var text: String
    /// The category according to the notification specification, such as `im.received`.
    package var category: String
    /// Whether the notification remains visible until the user has seen it.
    package var isUrgent: Bool

    package init(title: String, text: String, category: String, isUrgent: Bool) {
        (self.title, self.text, self.category, self.isUrgent) = (title, text, category, isUrgent)
    }
}

/// The desktop notifications of this process (org.freedesktop.Notifications), at most one for each subject.
@LoopActor package final class DesktopNotifications<Subject: Hashable & Sendable> {
    private let bus: SessionBus
    /// The name of the desktop entry whose icon the desktop shows.
    private let entry: String
    /// The IDs of the shown notifications by their subjects.
    private var shown: [Subject: UInt32] = [:]
    /// Whether the desktop interprets texts as markup; nil until it is known.
    private var readsMarkup: Bool?
    /// The IDs of the notifications that the user has clicked.
    private let clicks = AsyncStream.makeStream(of: UInt32.self, bufferingPolicy: .bufferingNewest(8))
    /// The clicked IDs that `Notify` has not returned to this process yet.
    private var unknownClicks: Set<UInt32> = []
    /// The number of calls of `Notify` that have not returned yet.
    private var pending = 0

    package init(_ bus: SessionBus, entry: String) { (self.bus, self.entry) = (bus, entry) }

    /// Shows a notification, which replaces the previous one of its subject; clicks on it are reported with the
    /// subject.
    ///
    /// - Returns: Whether it is shown; false if the desktop has no notification service.
    @discardableResult
    package func show(_ content: DesktopNotification, subject: Subject) async -> Bool {
        pending += 1
        defer {
            pending -= 1
            if pending == 0 { unknownClicks = [] }
        }
        // If the capabilities are unknown, the desktop may interpret markup, so the text is omitted.
        let text = await hasMarkup().map { $0 ? Self.escaped(content.text) : content.text } ?? ""
        let reply = try? await call(
            "Notify",
            [
                .string("callrunner"), .number(shown[subject] ?? 0), .string(entry), .string(content.title),
                .string(text), .strings(["default", ""]),
                .options([
                    "desktop-entry": .string(entry), "category": .string(content.category),
                    "urgency": .byte(content.isUrgent ? 2 : 1),
                ]),
                .signed(-1),
            ]
        )
        guard let id = reply?.child(0)?.number else { return false }
        shown[subject] = id
        // A click can be faster than the reply, which passes through more tasks.
        if unknownClicks.remove(id) != nil { clicks.continuation.yield(id) }
        return true
    }

    /// Withdraws the notification of a subject, if there is one.
    package func withdraw(_ subject: Subject) {
        guard let id = shown.removeValue(forKey: subject) else { return }
        bus.post(name, path, name, "CloseNotification", [.number(id)])
    }

    /// Withdraws all notifications.
    package func withdrawAll() { for subject in shown.keys { withdraw(subject) } }

    /// Calls a function with the subject of each notification that the user clicks, until the task is cancelled.
    ///
    /// This may be called once.
    package func followClicks(_ handle: @Sendable (Subject) async -> Void) async {
        let signal = SessionBus.Signal(
            sender: name,
            path: path,
            interface: name,
            name: "ActionInvoked"
        )
        let subscription = bus.subscribe(to: signal) { [clicks = clicks.continuation] arguments in
            if let id = arguments?.child(0)?.number { clicks.yield(id) }
        }
        for await id in clicks.stream {
            if let subject = shown.first(where: { $0.value == id })?.key {
                await handle(subject)
            } else if pending > 0 && unknownClicks.count < 8 {
                unknownClicks.insert(id)
            }
        }
        bus.unsubscribe(subscription)
    }

    private func call(_ method: String, _ arguments: [SessionBus.Argument] = []) async throws -> Variant? {
        try await bus.call(name, path, name, method, arguments)
    }

    private func hasMarkup() async -> Bool? {
        if let readsMarkup { return readsMarkup }
        guard let capabilities = (try? await call("GetCapabilities"))?.child(0) else { return nil }
        let known = (0..<capabilities.count).contains { capabilities.child($0)?.string == "body-markup" }
        readsMarkup = known
        return known
    }

    private static func escaped(_ text: String) -> String {
        // Some letters form one character with a "<" after them.
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
