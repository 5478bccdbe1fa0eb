internal import CallFlow
internal import DesktopKit

/// What the desktop prefers, where it has a portal that says so.
struct DesktopAppearance: AppearancePreference {
    let environment: [String: String]

    func colorSchemes() async -> AsyncStream<ColorScheme> {
        guard let bus = await SessionBus.open(environment) else {
            return AsyncStream { news in
                news.yield(.light)
                news.finish()
            }
        }
        return await SettingsPortal(bus).colorSchemes { $0 == .dark ? .dark : .light }
    }
}
