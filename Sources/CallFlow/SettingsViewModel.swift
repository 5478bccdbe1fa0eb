package import CallCore

/// The settings sheet: what is set holds at once, the server and the token from the next connection on.
@MainActor package final class SettingsViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        package fileprivate(set) var settings: AppSettings
        /// For this run, in place of the one set, until another is set.
        fileprivate var otherServer: String?
        /// Never shown as text.
        package fileprivate(set) var token: String?

        /// What holds in this run.
        package var effective: AppSettings {
            var effective = settings
            effective.server = otherServer ?? settings.server
            return effective
        }
    }

    package enum Action: Hashable, Sendable, CustomStringConvertible {
        /// Nothing but white space for the default server.
        case setServer(String)
        /// Nothing for none.
        case setToken(String)
        case setTheme(AppSettings.Theme)
        case setLanguage(AppSettings.Language?)
        /// Held within `AppSettings.textScales`.
        case setTextScale(Double)
        case setAnswersByItself(Bool)
        /// What calls are held with from now on; nil for the system's own.
        case setDevice(CallDevice?, CallDevice.Kind)

        /// Secrets reach no log.
        package var description: String {
            switch self {
            case .setServer: "setServer"
            case .setToken: "setToken"
            case .setTheme(let theme): "setTheme(\(theme))"
            case .setLanguage(let language): "setLanguage(\(language?.rawValue ?? "nil"))"
            case .setTextScale(let scale): "setTextScale(\(scale))"
            case .setAnswersByItself(let does): "setAnswersByItself(\(does))"
            case .setDevice(let device, let kind): "setDevice(\(device?.id ?? "nil"), \(kind.rawValue))"
            }
        }
    }

    package nonisolated static let longestServer = 2048
    package nonisolated static let longestToken = 4096

    package nonisolated let store: StateStore<State>

    /// `server` stands in for the one that is set.
    init(_ settings: AppSettings, server: String? = nil, token: String?) {
        store = StateStore(State(settings: settings, otherServer: server, token: token))
    }

    package nonisolated func send(_ action: Action) {
        store.update { state in
            switch action {
            case .setServer(let text):
                let url = text.prefix(Self.longestServer).filter { !$0.isWhitespace && !$0.isNewline }
                state.settings.server = url.isEmpty ? nil : url
                state.otherServer = nil
            case .setToken(let token):
                state.token = token.isEmpty ? nil : String(token.prefix(Self.longestToken))
            case .setTheme(let theme): state.settings.theme = theme
            case .setLanguage(let language): state.settings.language = language
            case .setTextScale(let scale):
                let range = AppSettings.textScales
                state.settings.textScale = min(range.upperBound, max(range.lowerBound, scale))
            case .setAnswersByItself(let does): state.settings.answersByItself = does
            case .setDevice(let device, let kind): state.settings.devices[kind] = device
            }
        }
    }
}
