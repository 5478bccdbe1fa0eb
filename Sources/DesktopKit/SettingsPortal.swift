internal import CGLib
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
    private static let namespace = "org.freedesktop.appearance"
    private static let key = "color-scheme"

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
        let (schemes, events) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(1))
        // Subscribes before reading the current value, so that no change is missed.
        let id = subscribe(Listener { events.yield(transform($0)) })
        events.onTermination = { [connection = bus.connection] _ in
            g_dbus_connection_signal_unsubscribe(connection.opaque, id)
        }
        let reply = try? await bus.call(
            Self.name,
            Self.path,
            Self.interface,
            "Read",
            [.string(Self.namespace), .string(Self.key)]
        )
        events.yield(transform(Self.scheme(reply?.child(0))))
        return schemes
    }

    private static func scheme(_ value: Variant?) -> ColorScheme {
        value?.number.flatMap(ColorScheme.init) ?? .noPreference
    }

    /// The receiver of a D-Bus signal, retained by GDBus until the signal is unsubscribed.
    private final class Listener: Sendable {
        let onChange: @Sendable (ColorScheme) -> Void
        init(_ onChange: @escaping @Sendable (ColorScheme) -> Void) { self.onChange = onChange }
    }

    /// Subscribes to changes of settings.
    ///
    /// - Returns: The ID with which to unsubscribe.
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
                // GDBus keeps the listener alive until it calls the release function below.
                let listener = Unmanaged<Listener>.fromOpaque(data!).takeUnretainedValue()
                let arguments = values.map(Variant.init(retaining:))
                guard arguments?.child(1)?.string == SettingsPortal.key else { return }
                listener.onChange(SettingsPortal.scheme(arguments?.child(2)))
            },
            Unmanaged.passRetained(listener).toOpaque(),
            { Unmanaged<Listener>.fromOpaque($0!).release() }  // the pointer passed in the line above
        )
    }
}
