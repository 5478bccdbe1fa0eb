internal import WindowKit

extension CallWindow {
    /// Shows the peer and the state in the window title, and requests the user's attention while a call
    /// rings.
    func showTitle() {
        guard isOpen, let title = screenHost.title, title != shownTitle else { return }
        if title.text != shownTitle.text { window.setTitle(Self.printable(title.text)) }
        if title.isRinging != shownTitle.isRinging { window.flash(title.isRinging) }
        shownTitle = title
    }
}
