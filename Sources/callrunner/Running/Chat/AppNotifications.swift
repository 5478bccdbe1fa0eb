internal import AppFlow
internal import CallWindow
internal import ChatCore
internal import DesktopKit
internal import GLibKit
internal import WindowKit

/// The notifications of the desktop in the language of the app; without a session bus there are none.
struct AppNotifications: NotificationService {
    /// The name of the desktop entry that `make install` copies.
    private static let entry = "callrunner"
    /// The time limit of the desktop, for which nobody waits.
    private static let limit = Duration.seconds(10)

    private let locale: AppSettings.Language
    private let texts: [AppSettings.Language: Strings]
    private let opened: Task<DesktopNotifications?, Never>

    init(_ environment: [String: String], stringsFolder: String) {
        locale = AppSettings.Language(environment: environment)
        texts = Dictionary(
            uniqueKeysWithValues: AppSettings.Language.allCases.map {
                ($0, Strings(language: $0.rawValue, folder: stringsFolder))
            }
        )
        opened = Task { @LoopActor in
            await SessionBus.open(environment, timeout: Self.limit).map {
                DesktopNotifications($0, entry: Self.entry)
            }
        }
    }

    func show(_ notification: ChatNotification, in language: AppSettings.Language?) async {
        guard let desktop = await opened.value, let strings = texts[language ?? locale] else { return }
        let (text, category, isUrgent) =
            switch notification.event {
            case .call: (strings["room.ring"], "call.incoming", true)
            case .messages(_, let text?): (text, "im.received", false)
            case .messages(1, nil): (strings["notification.message"], "im.received", false)
            case .messages(let count, nil):
                (strings("notification.messages", ["count": "\(count)"]), "im.received", false)
            }
        await desktop.show(
            .init(
                title: strings.name(of: notification.person),
                text: text,
                category: category,
                isUrgent: isUrgent
            ),
            subject: notification.person.id
        )
    }

    func withdraw(_ person: Int) async { await opened.value?.withdraw(person) }

    func withdrawAll() async { await opened.value?.withdrawAll() }

    func followClicks(_ handle: @escaping @Sendable (Int) async -> Void) async {
        await opened.value?.followClicks(handle)
    }
}
