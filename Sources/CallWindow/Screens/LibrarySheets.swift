internal import AppFlow
internal import Basics
internal import WindowKit

/// The sheets that ask for the title of a recording, or whether it is to be deleted.
@WindowActor struct LibrarySheets {
    let model: LibraryViewModel

    func draw(_ ui: Interface) {
        let dialog = model.store.state.dialog
        var (isRenaming, isDeleting) = (false, false)
        switch dialog {
        case .renaming: isRenaming = true
        case .deleting: isDeleting = true
        case nil: break
        }
        drawRenaming(ui, dialog, isOpen: isRenaming)
        drawDeleting(ui, dialog, isOpen: isDeleting)
    }

    private func drawRenaming(_ ui: Interface, _ dialog: LibraryViewModel.Dialog?, isOpen: Bool) {
        let field = Interface.fieldHeight + Interface.errorHeight
        let isClosed = ui.sheet(
            "library.renaming",
            ui.strings["library.rename"],
            isOpen: isOpen,
            contentHeight: field + Space.medium + Interface.buttonHeight
        ) { box in
            guard let dialog, case .renaming(_, let text, let problem) = dialog else { return }
            var rest = box
            let entered = ui.textField(
                "library.title",
                ui.strings["library.title"],
                text,
                in: rest.takeTop(field, gap: Space.medium),
                limit: RecordingTitle.maximum,
                error: problem.map { Self.text(of: $0, ui.strings) }
            )
            if let entered { model.send(.setTitle(entered)) }
            let place = rest.takeTop(Interface.buttonHeight)
            let isPressed = ui.button("library.rename.save", ui.strings["library.rename.save"], in: place)
            if ui.submits("library.title") || isPressed { model.send(.confirm(dialog)) }
        }
        if isClosed { model.send(.cancel) }
    }

    private func drawDeleting(_ ui: Interface, _ dialog: LibraryViewModel.Dialog?, isOpen: Bool) {
        let isClosed = ui.sheet(
            "library.deleting",
            ui.strings["library.delete"],
            isOpen: isOpen,
            contentHeight: 66 + Space.medium + 2 * Interface.buttonHeight + Space.small
        ) { box in
            guard let dialog, case .deleting(let recording, let noTrash) = dialog else { return }
            let name = recording.title.isEmpty ? recording.path : recording.title
            let question =
                if let noTrash {
                    ui.strings("library.delete.no-trash", ["name": name, "reason": noTrash])
                } else {
                    ui.strings("library.delete.note", ["name": name])
                }
            var rest = box
            let lines = rest.takeTop(66, gap: Space.medium)
            ui.painter.paragraph(question, in: lines, .body, ui.theme.text, limit: 3)
            let action = ui.strings[noTrash == nil ? "library.delete.trash" : "library.delete.final"]
            let place = rest.takeTop(Interface.buttonHeight, gap: Space.small)
            if ui.button("library.delete.confirm", action, .danger, in: place) {
                model.send(.confirm(dialog))
            }
            let cancel = rest.takeTop(Interface.buttonHeight)
            if ui.button("library.delete.cancel", ui.strings["library.keep"], .secondary, in: cancel) {
                model.send(.cancel)
            }
        }
        if isClosed { model.send(.cancel) }
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
        case .noTrash(let reason), .failed(let reason):
            strings("library.problem", ["reason": reason])
        }
    }
}
