internal import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

/// The screen with the user's recordings and past calls.
@WindowActor final class LibraryScreen: ScreenView {
    private enum Row {
        case heading(String)
        /// The heading of the past calls, with the button that deletes them.
        case callsHeading
        case note(String)
        case item(LibraryItem)
        /// Empty space below the last item, so that the mini player does not cover the item.
        case space
    }

    /// The actions for which a recording has buttons, in the order of the buttons.
    private enum RecordingAction: Int, CaseIterable {
        case rename, reveal, delete

        var glyph: Glyph {
            switch self {
            case .rename: .pencil
            case .reveal: .folder
            case .delete: .bin
            }
        }

        var text: String {
            switch self {
            case .rename: "library.rename"
            case .reveal: "library.reveal"
            case .delete: "library.delete"
            }
        }
    }

    private let model: LibraryViewModel
    private let shell: AppShell?

    init(model: LibraryViewModel, shell: AppShell?) { (self.model, self.shell) = (model, shell) }

    func title(_ strings: Strings) -> WindowTitle { WindowTitle("bar.library", shell, strings) }

    func accepts(_ key: Shortcut) -> Bool { key.controlsStream }

    func press(_ key: Shortcut) { model.live.press(key) }

    func draw(_ ui: Interface) {
        var column = ItemColumn.box(ui)
        _ = column.takeTop(Space.medium)
        ui.painter.text(
            ui.strings["bar.library"],
            in: column.takeTop(36, gap: Space.medium),
            .display,
            ui.theme.text
        )
        if let problem = model.store.state.problem { drawProblem(ui, problem, &column) }
        let rows = rows(ui)
        ItemColumn.list(
            "library.list",
            ui,
            in: column,
            count: rows.count,
            height: { height(of: rows[$0], ui, width: column.width) },
            row: { draw(rows[$0], ui, $1) }
        )
    }

    func drawSheets(_ ui: Interface) {
        LibrarySheets(model: model).draw(ui)
        shell?.drawRing(ui)
    }

    private func drawProblem(_ ui: Interface, _ problem: RecordingProblem, _ column: inout Box) {
        let text = LibrarySheets.text(of: problem, ui.strings)
        let height = ui.bannerHeight(text, width: column.width, hasAction: true)
        let box = column.takeTop(height, gap: Space.medium)
        let close = ui.strings["common.close"]
        if ui.banner("library.problem", text, .error, in: box, action: close) { model.send(.cancel) }
    }

    // MARK: - Rows

    private func rows(_ ui: Interface) -> [Row] {
        guard let items = model.store.state.items else { return [] }
        var (recordings, calls, samples): ([Row], [Row], [Row]) = ([], [], [])
        for item in items {
            switch item {
            case .recording: recordings.append(.item(item))
            case .call: calls.append(.item(item))
            case .sample: samples.append(.item(item))
            }
        }
        var rows: [Row] = []
        if recordings.isEmpty, calls.isEmpty {
            rows = [.note(ui.strings["library.empty"])] + samples
        }
        if !recordings.isEmpty { rows += [.heading(ui.strings["home.recordings"])] + recordings }
        if !calls.isEmpty { rows += [.callsHeading] + calls }
        return rows + [.space]
    }

    private func height(of row: Row, _ ui: Interface, width: Double) -> Double {
        switch row {
        case .heading: 22 + Space.large
        case .callsHeading: 36 + Space.small
        case .note(let text): max(22, ui.painter.height(of: text, .body, width: width)) + Space.large
        case .item(let item): self.row(of: item, ui).height(ui, width: width)
        case .space: model.live.store.state.address == nil ? Space.medium : 200
        }
    }

    private func draw(_ row: Row, _ ui: Interface, _ box: Box) {
        switch row {
        case .heading(let text):
            let line = Box(x: box.x, y: box.bottom - 22 - Space.tiny, width: box.width, height: 22)
            ui.painter.text(text, in: line, .captionStrong, ui.theme.faint)
        case .callsHeading:
            var line = Box(x: box.x, y: box.bottom - 36, width: box.width, height: 36)
            let name = ui.strings["library.forget"]
            // The button is aligned with those of the recordings.
            let center = line.takeRight(36 + 2 * Space.small).center
            let isPressed = ui.iconButton(
                "library.forget",
                .bin,
                name,
                center: center,
                diameter: 36,
                ink: ui.theme.faint
            )
            if isPressed { model.send(.askToForget) }
            ui.painter.text(ui.strings["library.calls"], in: line, .captionStrong, ui.theme.faint)
        case .note(let text): ui.painter.paragraph(text, in: box.inset(x: 0, y: 8), .body, ui.theme.faint)
        case .item(let item): draw(item, ui, box)
        case .space: break
        }
    }

    private func draw(_ item: LibraryItem, _ ui: Interface, _ box: Box) {
        // Items keep their state when others are added or removed.
        let id = ControlID("library.item \(item.name)")
        guard let press = row(of: item, ui).draw(ui, id, in: box) else { return }
        switch (item, press) {
        case (.recording(let recording), .row): model.send(.play(recording.address))
        case (.recording(let recording), .button(let number)):
            perform(RecordingAction(rawValue: number), recording, ui)
        case (.sample(let address), _): model.send(.play(address))
        case (.call, _): break
        }
    }

    private func row(of item: LibraryItem, _ ui: Interface) -> ItemRow {
        let playback = model.live.store.state
        switch item {
        case .recording(let recording):
            var row = ItemRow(recording, model.previews.preview(of: recording), ui)
            row.mark(recording.address, playback)
            row.buttons = RecordingAction.allCases.map {
                ItemRow.Button(glyph: $0.glyph, name: ui.strings[$0.text])
            }
            return row
        case .call(let call):
            var row = ItemRow(call, ui)
            row.isControl = false
            return row
        case .sample(let address):
            var row = ItemRow(title: ui.strings["home.sample"], detail: ui.strings["home.sample.note"])
            row.mark(address, playback)
            return row
        }
    }

    private func perform(_ action: RecordingAction?, _ recording: Recording, _ ui: Interface) {
        switch action {
        case .rename:
            model.send(.askForTitle(recording))
            ui.focus.focus(LibrarySheets.title)
        case .reveal: model.send(.reveal(recording))
        case .delete: model.send(.askToDelete(recording))
        case nil: break
        }
    }
}

extension LibraryItem {
    /// The part of the control IDs that identifies the item.
    fileprivate var name: String {
        switch self {
        case .recording(let recording): recording.name
        case .call(let call): "\(call.began)"
        case .sample: "sample"
        }
    }
}

extension ItemRow {
    /// Creates the row of a past call.
    init(_ call: PastCall, _ ui: Interface) {
        let strings = ui.strings
        let direction = strings[call.isOutgoing ? "library.outgoing" : "library.incoming"]
        let result: String? =
            switch call.result {
            case .held(let duration): duration?.clock
            case .missed: strings["library.missed"]
            case .declined: strings["library.declined"]
            case .unanswered: strings["library.unanswered"]
            case .failed: strings["library.failed"]
            }
        let parts = [call.result == .missed ? nil : direction, result, LocalTime(call.began).text(strings)]
        self.init(
            title: call.peer.map { strings.name(ofPeer: $0) } ?? strings["library.somebody"],
            detail: parts.compactMap(\.self).joined(separator: " · ")
        )
        glyph = call.isOutgoing ? .outgoing : .incoming
        switch call.result {
        case .held: ink = ui.theme.goodInk
        case .missed, .failed: ink = ui.theme.dangerInk
        case .declined, .unanswered: ink = ui.theme.faint
        }
    }
}
