internal import CGLib
internal import GLibKit

/// What the desktop prefers, as its portal tells (org.freedesktop.portal.Settings).
package struct SettingsPortal: Sendable {
    /// Of `org.freedesktop.appearance`, `color-scheme`.
    package enum ColorScheme: UInt32, Hashable, Sendable {
        case noPreference, dark, light
    }

    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.portal.Settings"
    private static let namespace = "org.freedesktop.appearance"
    private static let key = "color-scheme"

    private let bus: SessionBus

    package init(_ bus: SessionBus) { self.bus = bus }

    /// The present one, and then each change, as `transform` says it; `noPreference` where nobody says within a
    /// second.
    ///
    /// Single consumer.
    @LoopActor
    package func colorSchemes<Element: Sendable>(
        _ transform: @escaping @Sendable (ColorScheme) -> Element
    ) async -> AsyncStream<Element> {
        let (schemes, news) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(1))
        // Before it is asked for, so that no change is missed.
        let id = subscribe(Listener { news.yield(transform($0)) })
        news.onTermination = { [connection = bus.connection] _ in
            g_dbus_connection_signal_unsubscribe(connection.opaque, id)
        }
        let reply = try? await bus.call(
            Self.name,
            Self.path,
            Self.interface,
            "Read",
            [Self.namespace, Self.key]
        )
        news.yield(transform(Self.scheme(reply?.child(0))))
        return schemes
    }

    private static func scheme(_ value: Variant?) -> ColorScheme {
        value?.number.flatMap(ColorScheme.init) ?? .noPreference
    }

    /// What GDBus holds as long as somebody listens.
    private final class Listener: Sendable {
        let hear: @Sendable (ColorScheme) -> Void
        init(_ hear: @escaping @Sendable (ColorScheme) -> Void) { self.hear = hear }
    }

    /// - Returns: what ends it.
    @LoopActor
    private func subscribe(_ listener: Listener) -> guint {
        g_dbus_connection_signal_subscribe(
            bus.connection.opaque,
            Self.name,
            Self.interface,
            "SettingChanged",
            Self.path,
            Self.namespace,
            G_DBUS_SIGNAL_FLAGS_NONE,
            { _, _, _, _, _, values, data in
                // The listener lives until GDBus calls the function below.
                let listener = Unmanaged<Listener>.fromOpaque(data!).takeUnretainedValue()
                let arguments = values.map(Variant.init(retaining:))
                guard arguments?.child(1)?.string == SettingsPortal.key else { return }
                listener.hear(SettingsPortal.scheme(arguments?.child(2)))
            },
            Unmanaged.passRetained(listener).toOpaque(),
            { Unmanaged<Listener>.fromOpaque($0!).release() }  // the pointer given one line above
        )
    }
}
