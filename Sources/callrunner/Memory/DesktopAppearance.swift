internal import AppFlow
internal import DesktopKit

/// The color scheme of the desktop as reported by its settings portal; light without a portal.
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
