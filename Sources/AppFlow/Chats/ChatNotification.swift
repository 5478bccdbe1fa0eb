package import ChatCore

/// A notification of the desktop about somebody of the chat.
package struct ChatNotification: Hashable, Sendable {
    /// The subject of a notification; the desktop shows at most one for each.
    package enum Subject: Hashable, Sendable {
        /// The messages of a person that were not read.
        case messages(from: Int)
        /// The call of a person that rings.
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
    /// The number of messages that were not read.
    package var count = 0
    /// The text of the last message, if the user wants texts to be shown.
    package var text: String?
}

/// The service that shows notifications of the desktop.
package protocol NotificationService: Sendable {
    /// Shows a notification in the place of the former one of its subject, in a language; nil for that of the locale.
    func show(_ notification: ChatNotification, in language: AppSettings.Language?) async

    /// Withdraws the notification about a subject, if there is one.
    func withdraw(_ subject: ChatNotification.Subject) async

    func withdrawAll() async

    /// Calls a function with the person of each notification that the user clicks, until the task is cancelled.
    func followClicks(_ handle: @escaping @Sendable (Int) async -> Void) async
}
