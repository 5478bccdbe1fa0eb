package import CallCore

/// The settings sheet: what is set holds at once, the server and the token from the next connection on.
@MainActor package final class SettingsViewModel: ViewModel {
    package struct State: Equatable, Sendable {
        package fileprivate(set) var settings: AppSettings
        /// What is being typed into the fields, and holds from `Action.commit` on; nil for what holds already.
        fileprivate var typedServer: String?
        fileprivate var typedToken: String?
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

        /// What the fields show.
        package var serverText: String { typedServer ?? effective.server ?? "" }
        package var tokenText: String { typedToken ?? token ?? "" }

        /// Whether the server's field holds what is no address; not before whoever types it has gone on.
        package fileprivate(set) var hasBadServer = false

        /// How often somebody has logged out, at which the memory forgets the token by itself.
        fileprivate(set) var logouts = 0

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
        /// As it is typed, until `commit`; nothing but white space for the default server.
        case setServer(String)
        /// As it is typed, until `commit`; nothing for none.
        case setToken(String)
        /// Whoever typed has gone on to something else.
        case commit
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
            case .commit: "commit"
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
    private let isAddress: @Sendable (String) -> Bool

    /// `server` stands in for the one that is set.
    init(
        _ settings: AppSettings,
        server: String? = nil,
        token: String?,
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
            case .setAnswersByItself(let does): state.settings.answersByItself = does
            case .setDevice(let device, let kind): state.settings.devices[kind] = device
            }
        }
    }

    /// The token goes with whom it was given to.
    nonisolated func logOut() {
        store.update { state in
            state.commit()
            state.token = nil
            state.logouts += 1
        }
    }
}
