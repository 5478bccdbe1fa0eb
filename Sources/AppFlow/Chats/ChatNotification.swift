package import ChatCore

/// A notification of the desktop about somebody of the chat.
package struct ChatNotification: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        /// Messages that were not read; the text of the last one, if the user wants texts to be shown.
        case messages(count: Int, text: String?)
        case call
    }

    package let person: ChatPerson
    package let event: Event
}

/// The service that shows notifications of the desktop, one for each person.
package protocol NotificationService: Sendable {
    /// Shows a notification in the place of the former one about the same person, in a language; nil for that of the
    /// locale.
    func show(_ notification: ChatNotification, in language: AppSettings.Language?) async

    /// Withdraws the notification about a person, if there is one.
    func withdraw(_ person: Int) async

    func withdrawAll() async

    /// Calls a function with the person of each notification that the user clicks, until the task is cancelled.
    func followClicks(_ handle: @escaping @Sendable (Int) async -> Void) async
}
