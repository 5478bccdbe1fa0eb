internal import WindowKit

extension ConversationPage {
    /// Draws the button that calls the other person; returns true when the user presses it.
    func drawCallButton(_ ui: Interface, _ box: Box) -> Bool {
        ui.iconButton("chat.call", .answer, ui.strings["chat.call"], center: box.center, diameter: 40)
    }
}
