package import ChatCore

/// A desktop notification about a person in the chat.
package struct ChatNotification: Hashable, Sendable {
    /// The subject of a notification; the desktop shows at most one notification for each.
    package enum Subject: Hashable, Sendable {
        /// The unread messages of a person.
        case messages(from: Int)
        /// The ringing call of a person.
        case call(from: Int)

        /// The ID of the person.
        package var person: Int {
            switch self {
            case .messages(let person), .call(let person): person
            }
        }
    }

    package let subject: Subject
    package let person: ChatPerson
    /// The number of unread messages.
    package var count = 0
    /// The text of the last message, if the user has allowed texts in notifications.
    package var text: String?
}

/// The service that shows desktop notifications.
package protocol NotificationService: Sendable {
    /// Shows a notification, which replaces the previous one of its subject; a nil language means that of the locale.
    func show(_ notification: ChatNotification, in language: AppSettings.Language?) async

    /// Withdraws the notification of a subject, if there is one.
    func withdraw(_ subject: ChatNotification.Subject) async

    func withdrawAll() async

    /// Calls `handle` with the person's ID each time the user clicks a notification, until the task is cancelled.
    func followClicks(_ handle: @escaping @Sendable (Int) async -> Void) async
}
