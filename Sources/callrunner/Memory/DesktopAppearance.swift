internal import AppFlow
internal import DesktopKit

/// The appearance of the desktop as reported by its settings portal; without a portal it is light, with animations.
struct DesktopAppearance: AppearancePreference {
    let environment: [String: String]

    func colorSchemes() async -> AsyncStream<ColorScheme> {
        guard let portal = await portal() else { return Self.constant(.light) }
        return await portal.colorSchemes { $0 == .dark ? .dark : .light }
    }

    func animations() async -> AsyncStream<Bool> {
        guard let portal = await portal() else { return Self.constant(true) }
        return await portal.animations()
    }

    private func portal() async -> SettingsPortal? {
        await SessionBus.open(environment).map { SettingsPortal($0) }
    }

    private static func constant<Element: Sendable>(_ value: Element) -> AsyncStream<Element> {
        AsyncStream { continuation in
            continuation.yield(value)
            continuation.finish()
        }
    }
}
