internal import AppFlow
internal import CallWindow
internal import ChatCore
internal import DesktopKit
internal import GLibKit
internal import WindowKit

/// The notifications of the desktop in the language of the app; without a session bus there are none.
actor AppNotifications: NotificationService {
    /// The name of the desktop entry that `make install` copies.
    private static let entry = "callrunner"
    /// The time limit for requests over the session bus.
    private static let limit = Duration.seconds(5)

    private let environment: [String: String]
    private let folder: String
    private var texts: [AppSettings.Language: Strings] = [:]
    private var desktop: DesktopNotifications<ChatNotification.Subject>?

    init(_ environment: [String: String], stringsFolder: String) {
        (self.environment, folder) = (environment, stringsFolder)
    }

    private func strings(in language: AppSettings.Language) async -> Strings {
        if let known = texts[language] { return known }
        let read = await Self.read(language, folder)
        texts[language] = read
        return read
    }

    /// Reads the texts on the thread that also reads those of the window, because a disk may be slow.
    @WindowActor private static func read(_ language: AppSettings.Language, _ folder: String) -> Strings {
        Strings(language: language.rawValue, folder: folder)
    }

    private func open() async -> DesktopNotifications<ChatNotification.Subject>? {
        if let desktop { return desktop }
        guard let bus = await SessionBus.open(environment, timeout: Self.limit) else { return nil }
        let opened = await DesktopNotifications<ChatNotification.Subject>(bus, entry: Self.entry)
        // Another caller may have connected in the meantime.
        desktop = desktop ?? opened
        return desktop
    }

    func show(_ notification: ChatNotification, in language: AppSettings.Language?) async {
        guard let desktop = await open() else { return }
        let strings = await strings(in: language ?? AppSettings.Language(environment: environment))
        let isCall = if case .call = notification.subject { true } else { false }
        let text =
            if isCall {
                strings["room.ring"]
            } else if let text = notification.text {
                text
            } else if notification.count == 1 {
                strings["notification.message"]
            } else {
                strings("notification.messages", ["count": "\(notification.count)"])
            }
        let content = DesktopNotification(
            title: strings.name(of: notification.person),
            text: text,
            category: isCall ? "call.incoming" : "im.received",
            isUrgent: isCall
        )
        await desktop.show(content, subject: notification.subject)
    }

    func withdraw(_ subject: ChatNotification.Subject) async { await desktop?.withdraw(subject) }

    func withdrawAll() async { await desktop?.withdrawAll() }

    func followClicks(_ handle: @escaping @Sendable (Int) async -> Void) async {
        await open()?.followClicks { await handle($0.person) }
    }
}
