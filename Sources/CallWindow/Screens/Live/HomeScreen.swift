internal import AppFlow
internal import Basics
internal import LiveCore
internal import WindowKit

/// The screen with the live stream at the top and a list of other playable items below.
///
/// The video itself is drawn by `LivePane`, which also shows it on other screens.
@WindowActor final class HomeScreen: ScreenView {
    private enum Row {
        case address
        case heading(String)
        case item(LiveItem)
    }

    /// The width in points below which the buttons beside the address field are small.
    private static let narrow = 360.0

    private let model: HomeViewModel
    private let shell: AppShell?

    init(model: HomeViewModel, shell: AppShell?) { (self.model, self.shell) = (model, shell) }

    /// Computes the rectangle of the video.
    static func stage(_ ui: Interface) -> Box {
        guard !ui.isFullScreen else { return ui.area }
        let page = ui.pageArea
        let top = titleHeight(ui)
        let width = min(ItemColumn.box(ui).width, max(0, page.height * 0.46) * 16 / 9)
        return Box(
            x: ((page.width - width) / 2).rounded(),
            y: top,
            width: width,
            height: (width * 9 / 16).rounded()
        )
    }

    /// The height of the title with its margins; a low window has a margin only.
    private static func titleHeight(_ ui: Interface) -> Double {
        ui.pageArea.height >= 480 ? Space.medium + 36 + Space.medium : Space.medium
    }

    func title(_ strings: Strings) -> WindowTitle { WindowTitle("bar.home", shell, strings) }

    func accepts(_ key: Shortcut) -> Bool { key.controlsStream }

    func press(_ key: Shortcut) { model.live.press(key) }

    func draw(_ ui: Interface) {
        // A control that was clicked has the keyboard focus without a focus ring, and would handle the key.
        if !ui.focus.isVisible, ui.activeField == nil, ui.consumes(.space) { model.live.togglePause() }
        guard !ui.isFullScreen else { return }
        var column = ItemColumn.box(ui)
        if Self.titleHeight(ui) > Space.medium {
            let line = Box(x: column.x, y: Space.medium, width: column.width, height: 36)
            ui.painter.text(ui.strings["bar.home"], in: line, .display, ui.theme.text)
        }
        _ = column.takeTop(Self.stage(ui).bottom, gap: Space.medium)
        let rows = rows(ui)
        ItemColumn.list(
            "home.list",
            ui,
            in: column,
            count: rows.count,
            height: { height(of: rows[$0], ui, width: column.width) },
            row: { draw(rows[$0], ui, $1) }
        )
    }

    func drawSheets(_ ui: Interface) {
        shell?.drawRing(ui)
    }

    // MARK: - Rows

    private func rows(_ ui: Interface) -> [Row] {
        let items = model.store.state.items ?? []
        // The address comes first, so that it can be reached in a low window without scrolling.
        var rows: [Row] = [.address]
        var recordings: [Row] = []
        for item in items {
            switch item {
            case .own, .sample: rows.append(.item(item))
            case .recording: recordings.append(.item(item))
            }
        }
        if !recordings.isEmpty { rows.append(.heading(ui.strings["home.recordings"])) }
        return rows + recordings
    }

    private func height(of row: Row, _ ui: Interface, width: Double) -> Double {
        switch row {
        case .address:
            Interface.fieldHeight + Space.large
                + ui.errorHeight(addressProblem(ui), width: addressBoxes(ui, width: width).field)
        case .heading: 22 + Space.large
        case .item(let item): self.row(of: item, ui).height(ui, width: width)
        }
    }

    private func draw(_ row: Row, _ ui: Interface, _ box: Box) {
        switch row {
        case .address: drawAddress(ui, box)
        case .heading(let text):
            let line = Box(x: box.x, y: box.bottom - 22 - Space.tiny, width: box.width, height: 22)
            ui.painter.text(text, in: line, .captionStrong, ui.theme.faint)
        case .item(let item): draw(item, ui, box)
        }
    }

    private func addressProblem(_ ui: Interface) -> String? {
        model.store.state.isAddressRefused ? ui.strings["home.address.problem"] : nil
    }

    /// Computes the widths of the address field and of the buttons beside it.
    private func addressBoxes(_ ui: Interface, width: Double) -> (field: Double, play: Double, open: Double) {
        let open = min(46, width / 3)
        let rest = width - open - Space.tiny
        let play = width < Self.narrow ? min(46, rest / 2) : ui.buttonWidth(ui.strings["home.play"])
        return (rest - play - Space.small, play, open)
    }

    private func drawAddress(_ ui: Interface, _ box: Box) {
        let state = model.store.state
        var rest = box
        let title = ui.strings["home.play"]
        let isNarrow = box.width < Self.narrow
        let widths = addressBoxes(ui, width: box.width)
        let end = rest.takeRight(widths.open, gap: Space.tiny)
        let side = rest.takeRight(widths.play, gap: Space.small)
        let hints = ["home.address.hint", "home.address.hint.short"].map { ui.strings[$0] }
        let room = rest.width - 2 * (2 + Space.medium)
        let text = ui.textField(
            "home.address",
            ui.strings[isNarrow ? "home.address.short" : "home.address"],
            state.addressText,
            in: rest.takeTop(box.height - Space.large),
            hint: hints.first { ui.painter.width(of: $0, .body) <= room } ?? hints[1],
            limit: HomeViewModel.longestAddress,
            error: addressProblem(ui)
        )
        if let text { model.send(.setAddressText(text)) }
        let button = Box(x: side.x, y: box.y + Interface.fieldHeight - 46, width: side.width, height: 46)
        let isPlayable = !state.addressText.isEmpty
        let isPressed =
            isNarrow
            ? ui.iconButton("home.play", .play, title, center: button.center, isEnabled: isPlayable)
            : ui.button("home.play", title, .secondary, in: button, isEnabled: isPlayable)
        if ui.submits("home.address") || isPressed { model.send(.playAddress) }
        let opens = ui.iconButton(
            "home.open",
            .folder,
            ui.strings["home.open"],
            center: Point(end.center.x, button.center.y),
            isEnabled: !state.isChoosingFile
        )
        if opens {
            let texts = FileDialog(title: ui.strings["home.open.title"], kind: ui.strings["home.open.kind"])
            model.send(.chooseFile(texts))
        }
    }

    private func draw(_ item: LiveItem, _ ui: Interface, _ box: Box) {
        let id = ControlID("home.item \(item.address)")
        if row(of: item, ui).draw(ui, id, in: box) == .row { model.send(.choose(item)) }
    }

    private func row(of item: LiveItem, _ ui: Interface) -> ItemRow {
        var row: ItemRow
        switch item {
        case .own:
            row = ItemRow(title: ui.strings["home.own"], detail: ui.strings["home.own.note"])
        case .sample:
            row = ItemRow(title: ui.strings["home.sample"], detail: ui.strings["home.sample.note"])
        case .recording(let recording):
            row = ItemRow(recording, model.previews.preview(of: recording), ui)
        }
        row.mark(item.address, model.live.store.state)
        return row
    }
}
