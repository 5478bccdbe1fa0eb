internal import GLibKit

/// The desktop's preferences, read from its settings portal (org.freedesktop.portal.Settings).
package struct SettingsPortal: Sendable {
    /// The `color-scheme` setting of `org.freedesktop.appearance`.
    package enum ColorScheme: UInt32, Hashable, Sendable {
        case noPreference, dark, light
    }

    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.portal.Settings"

    /// The name of a setting.
    private struct Setting: Sendable {
        let namespace: String
        let key: String

        static let colorScheme = Setting(namespace: "org.freedesktop.appearance", key: "color-scheme")
        static let animations = Setting(namespace: "org.gnome.desktop.interface", key: "enable-animations")
    }

    private let bus: SessionBus

    package init(_ bus: SessionBus) { self.bus = bus }

    /// Streams the current color scheme and then each change, mapped by `transform`.
    ///
    /// The first value is `noPreference` if the portal does not answer within the time limit of the bus.
    /// Single consumer.
    @LoopActor
    package func colorSchemes<Element: Sendable>(
        _ transform: @escaping @Sendable (ColorScheme) -> Element
    ) async -> AsyncStream<Element> {
        await values(of: .colorScheme) { transform($0?.number.flatMap(ColorScheme.init) ?? .noPreference) }
    }

    /// Streams whether the desktop wants animations, and then each change.
    ///
    /// The first value is true if the portal does not answer within the time limit of the bus. Single consumer.
    @LoopActor
    package func animations() async -> AsyncStream<Bool> {
        await values(of: .animations) { $0?.truth ?? true }
    }

    /// Streams the current value of a setting, nil if there is none, and then each change, mapped by `transform`.
    @LoopActor
    private func values<Element: Sendable>(
        of setting: Setting,
        _ transform: @escaping @Sendable (Variant?) -> Element
    ) async -> AsyncStream<Element> {
        let (values, events) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(1))
        // Subscribes before reading the current value, so that no change is missed.
        let signal = SessionBus.Signal(
            sender: Self.name,
            path: Self.path,
            interface: Self.interface,
            name: "SettingChanged",
            firstArgument: setting.namespace
        )
        let id = bus.subscribe(to: signal) { arguments in
            if arguments?.child(1)?.string == setting.key { events.yield(transform(arguments?.child(2))) }
        }
        events.onTermination = { [bus] _ in bus.unsubscribe(id) }
        let reply = try? await bus.call(
            Self.name,
            Self.path,
            Self.interface,
            "Read",
            [.string(setting.namespace), .string(setting.key)]
        )
        events.yield(transform(reply?.child(0)))
        return values
    }
}
