internal import AppFlow
internal import Basics
internal import WindowKit

/// The sheets that rename a recording, or ask whether to delete it or all past calls.
@WindowActor struct LibrarySheets {
    /// The field for the title.
    static let title: ControlID = "library.title"

    let model: LibraryViewModel

    private var isBusy: Bool { model.store.state.isBusy }

    func draw(_ ui: Interface) {
        let dialog = model.store.state.dialog
        var (isRenaming, isDeleting) = (false, false)
        switch dialog {
        case .renaming: isRenaming = true
        case .trashing, .deleting: isDeleting = true
        case .forgetting, nil: break
        }
        drawRenaming(ui, dialog, isOpen: isRenaming)
        drawDeleting(ui, dialog, isOpen: isDeleting)
        drawForgetting(ui, isOpen: dialog == .forgetting)
    }

    private func drawForgetting(_ ui: Interface, isOpen: Bool) {
        let question = Question(
            name: "library.forget",
            text: ui.strings["library.forget.question"],
            isEnabled: !isBusy,
            isBusy: isBusy
        )
        switch question.draw(ui, isOpen: isOpen) {
        case .confirmed?: model.send(.confirm(.forgetting))
        case .cancelled?: model.send(.cancel)
        case nil: break
        }
    }

    private func drawRenaming(_ ui: Interface, _ dialog: LibraryViewModel.Dialog?, isOpen: Bool) {
        var problem: String?
        if case .renaming(_, _, let reason?)? = dialog { problem = Self.text(of: reason, ui.strings) }
        let field = ui.formFieldHeight(problem, width: ui.sheetWidth())
        let isClosed = ui.sheet(
            "library.renaming",
            ui.strings["library.rename"],
            isOpen: isOpen,
            contentHeight: field + Space.medium + Interface.buttonHeight
        ) { box in
            guard let dialog, case .renaming(_, let text, _) = dialog else { return }
            var rest = box
            let entered = ui.textField(
                Self.title,
                ui.strings["library.title"],
                text,
                in: rest.takeTop(field, gap: Space.medium),
                limit: RecordingTitle.maximum,
                error: problem
            )
            if let entered { model.send(.setTitle(entered)) }
            let isPressed = ui.button(
                "library.rename.save",
                ui.strings["library.rename.save"],
                in: rest.takeTop(Interface.buttonHeight),
                isEnabled: !isBusy,
                isBusy: isBusy
            )
            if ui.submits(Self.title) || isPressed { model.send(.confirm(dialog)) }
        }
        if isClosed { model.send(.cancel) }
    }

    private func drawDeleting(_ ui: Interface, _ dialog: LibraryViewModel.Dialog?, isOpen: Bool) {
        let isClosed = ui.sheet(
            "library.deleting",
            ui.strings["library.delete"],
            isOpen: isOpen,
            contentHeight: 44 + Space.small + 22 + Space.medium + 2 * Interface.buttonHeight + Space.small
        ) { box in
            guard let dialog else { return }
            switch dialog {
            case .renaming, .forgetting: break
            case .trashing(let recording):
                let text = ui.strings("library.delete.note", ["name": Self.name(recording)])
                var rest = drawText(text, "", ui, box)
                let place = rest.takeTop(Interface.buttonHeight, gap: Space.small)
                confirm(dialog, "library.delete.trash", ui, place)
                keep("library.delete.cancel", ui, rest.takeTop(Interface.buttonHeight))
            case .deleting(let recording, let failure):
                let text = ui.strings(
                    "library.delete.no-trash",
                    ["name": Self.name(recording), "reason": failure]
                )
                var rest = drawText(text, ui.strings["library.delete.question"], ui, box)
                // A second click at the place of the first button keeps the recording.
                let place = rest.takeTop(Interface.buttonHeight, gap: Space.small)
                keep("library.delete.final.cancel", ui, place)
                confirm(dialog, "library.delete.final", ui, rest.takeTop(Interface.buttonHeight))
            }
        }
        if isClosed { model.send(.cancel) }
    }

    /// Draws an explanation and a question, and returns the box below them.
    private func drawText(_ text: String, _ question: String, _ ui: Interface, _ box: Box) -> Box {
        var rest = box
        ui.painter.paragraph(
            text,
            in: rest.takeTop(44, gap: Space.small),
            .body,
            ui.theme.text,
            limit: 2
        )
        ui.painter.text(question, in: rest.takeTop(22, gap: Space.medium), .strong, ui.theme.text)
        return rest
    }

    private func confirm(_ dialog: LibraryViewModel.Dialog, _ text: String, _ ui: Interface, _ box: Box) {
        let isPressed = ui.button(
            ControlID(text),
            ui.strings[text],
            .danger,
            in: box,
            isEnabled: !isBusy,
            isBusy: isBusy
        )
        if isPressed { model.send(.confirm(dialog)) }
    }

    private func keep(_ id: ControlID, _ ui: Interface, _ box: Box) {
        if ui.button(id, ui.strings["library.keep"], .secondary, in: box) { model.send(.cancel) }
    }

    private static func name(_ recording: Recording) -> String {
        recording.title.isEmpty ? recording.name : recording.title
    }

    private static func text(of problem: LibraryViewModel.TitleProblem, _ strings: Strings) -> String {
        switch problem {
        case .invalid: strings["library.rename.invalid"]
        case .refused(let problem): text(of: problem, strings)
        }
    }

    /// Describes a problem in one sentence.
    static func text(of problem: RecordingProblem, _ strings: Strings) -> String {
        switch problem {
        case .taken: strings["library.rename.taken"]
        case .timedOut: strings["library.timed-out"]
        case .noTrash(let reason), .failed(let reason):
            strings("library.problem", ["reason": reason])
        }
    }
}
