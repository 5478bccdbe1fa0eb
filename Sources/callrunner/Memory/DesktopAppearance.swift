internal import CallFlow
internal import DesktopKit

/// The color scheme of the desktop, from its settings portal if there is one.
struct DesktopAppearance: AppearancePreference {
    let environment: [String: String]

    func colorSchemes() async -> AsyncStream<ColorScheme> {
        guard let bus = await SessionBus.open(environment) else {
            return AsyncStream { continuation in
                continuation.yield(.light)
                continuation.finish()
            }
        }
        return await SettingsPortal(bus).colorSchemes { $0 == .dark ? .dark : .light }
    }
}
