internal import WindowKit

/// A sheet that asks the user to confirm an action that may lose data.
struct Question {
    enum Answer { case confirmed, cancelled }

    /// The name of the sheet, which is also the prefix of its texts: `NAME.title`, `.confirm` and `.cancel`.
    let name: String
    let text: String
    /// The reason why the confirmed action has failed; empty if it has not.
    var failure = ""
    var isEnabled = true
    var isBusy = false

    /// Draws the sheet if it is open; returns the user's answer, if any.
    @WindowActor
    func draw(_ ui: Interface, isOpen: Bool) -> Answer? {
        let width = min(440, ui.area.width - 2 * Space.medium) - 2 * Space.huge
        let lines = ui.painter.height(of: text, .body, width: width)
        let problem =
            ui.painter.height(of: failure, .caption, width: width) + (failure.isEmpty ? 0 : Space.small)
        var answer: Answer?
        let isClosed = ui.sheet(
            ControlID("\(name).sheet"),
            ui.strings["\(name).title"],
            isOpen: isOpen,
            contentHeight: lines + Space.large + problem + 2 * Interface.buttonHeight + Space.small
        ) { box in
            var rest = box
            ui.painter.paragraph(text, in: rest.takeTop(lines, gap: Space.large), .body, ui.theme.text)
            ui.painter.paragraph(failure, in: rest.takeTop(problem), .caption, ui.theme.dangerInk)
            let isConfirmed = ui.button(
                ControlID("\(name).confirm"),
                ui.strings["\(name).confirm"],
                .danger,
                in: rest.takeTop(Interface.buttonHeight, gap: Space.small),
                isEnabled: isEnabled,
                isBusy: isBusy
            )
            let isCancelled = ui.button(
                ControlID("\(name).cancel"),
                ui.strings["\(name).cancel"],
                .secondary,
                in: rest.takeTop(Interface.buttonHeight)
            )
            if isConfirmed { answer = .confirmed } else if isCancelled { answer = .cancelled }
        }
        return isClosed ? .cancelled : answer
    }
}
