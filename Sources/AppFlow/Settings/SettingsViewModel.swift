package import Basics

/// The view model of the settings.
///
/// Changes apply immediately; the server and the token apply from the next connection on.
@MainActor package final class SettingsViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        package fileprivate(set) var settings: AppSettings
        /// The text typed into the server field since the last `commit`, if any; `typedToken` is the same for
        /// the token field.
        fileprivate var typedServer: String?
        fileprivate var typedToken: String?
        /// The server that replaces the saved one in this run, until the user sets another server.
        fileprivate var otherServer: String?
        /// The token, which is never shown in plain text.
        package fileprivate(set) var token: String?

        /// The settings in effect in this run.
        var effective: AppSettings {
            var effective = settings
            effective.server = otherServer ?? settings.server
            return effective
        }

        /// The text in the server field; `tokenText` is the text in the token field.
        package var serverText: String { typedServer ?? effective.server ?? "" }
        package var tokenText: String { typedToken ?? token ?? "" }

        /// Whether the server field contains an invalid URL; set only when its editing has ended.
        package fileprivate(set) var hasBadServer = false

        /// The devices that were connected when they were last listed; nil before the first listing.
        package fileprivate(set) var devices: [MediaDevice]?

        /// The number of logouts, each of which deletes the saved token.
        fileprivate(set) var logouts = 0

        /// Lists the devices of a kind that can be selected: the system's default, the connected devices, and
        /// the selected one, even if it is not connected.
        package func choices(of kind: MediaDevice.Kind) -> [MediaDevice] {
            let standard = MediaDevice(kind, id: MediaDevice.standard, name: MediaDevice.standard)
            let present = (devices ?? []).filter { $0.kind == kind && $0.id != MediaDevice.standard }
            guard let selected = settings.devices[kind], !present.contains(where: { $0.id == selected.id })
            else { return [standard] + present }
            return [standard] + present + [selected]
        }

        fileprivate mutating func commit() {
            if let typed = typedServer {
                let url = typed.filter { !$0.isWhitespace && !$0.isNewline }
                if url != effective.server ?? "" {
                    (settings.server, otherServer) = (url.isEmpty ? nil : url, nil)
                }
            }
            if let typed = typedToken { token = typed.isEmpty ? nil : typed }
            (typedServer, typedToken) = (nil, nil)
        }
    }

    package enum Action: Hashable, Sendable, CustomStringConvertible {
        /// Sets the typed server, which takes effect on `commit`; white space alone means the default server.
        case setServer(String)
        /// Sets the typed token, which takes effect on `commit`; an empty text means no token.
        case setToken(String)
        /// Applies the typed texts after their editing has ended.
        case commit
        case setTheme(AppSettings.Theme)
        case setLanguage(AppSettings.Language?)
        /// Sets the text size, limited to `AppSettings.textScales`.
        case setTextScale(Double)
        case setAnswersAutomatically(Bool)
        case setNotifications(AppSettings.Notifications)
        /// Selects the device of a kind, which takes effect immediately; nil selects the system's default device.
        case setDevice(MediaDevice?, MediaDevice.Kind)

        /// The name of the action without secrets, safe for logs.
        package var description: String {
            switch self {
            case .setServer: "setServer"
            case .setToken: "setToken"
            case .commit: "commit"
            case .setTheme(let theme): "setTheme(\(theme))"
            case .setLanguage(let language): "setLanguage(\(language?.rawValue ?? "nil"))"
            case .setTextScale(let scale): "setTextScale(\(scale))"
            case .setAnswersAutomatically(let does): "setAnswersByItself(\(does))"
            case .setNotifications(let wanted): "setNotifications(\(wanted))"
            case .setDevice(let device, let kind): "setDevice(\(device?.id ?? "nil"), \(kind.rawValue))"
            }
        }
    }

    package nonisolated static let longestServer = 2048
    package nonisolated static let longestToken = 4096

    package nonisolated let store: StateStore<State>
    private let isAddress: @Sendable (String) -> Bool

    /// Creates a view model; `server` replaces the saved server.
    package init(
        _ settings: AppSettings,
        server: String? = nil,
        token: String? = nil,
        isAddress: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.isAddress = isAddress
        store = StateStore(State(settings: settings, otherServer: server, token: token))
        store.update { $0.hasBadServer = isBad($0) }
    }

    private nonisolated func isBad(_ state: State) -> Bool {
        let server = state.serverText.filter { !$0.isWhitespace }
        return !server.isEmpty && !isAddress(server)
    }

    package nonisolated func send(_ action: Action) {
        store.update { state in
            switch action {
            case .setServer(let text):
                state.typedServer = String(text.prefix(Self.longestServer))
                state.hasBadServer = state.hasBadServer && isBad(state)
            case .setToken(let text): state.typedToken = String(text.prefix(Self.longestToken))
            case .commit:
                state.commit()
                state.hasBadServer = isBad(state)
            case .setTheme(let theme): state.settings.theme = theme
            case .setLanguage(let language): state.settings.language = language
            case .setTextScale(let scale):
                let range = AppSettings.textScales
                state.settings.textScale = min(range.upperBound, max(range.lowerBound, scale))
            case .setAnswersAutomatically(let does): state.settings.answersAutomatically = does
            case .setNotifications(let wanted): state.settings.notifications = wanted
            case .setDevice(let device, let kind): state.settings.devices[kind] = device
            }
        }
    }

    nonisolated func show(_ devices: [MediaDevice]) { store.update { $0.devices = devices } }

    /// Deletes the token on logout, because it was issued to the user who logs out.
    nonisolated func logOut() {
        store.update { state in
            state.commit()
            state.token = nil
            state.logouts += 1
        }
    }
}
