internal import CallFlow

/// A page with every control in every state, for developers and for screenshots.
@WindowActor final class GalleryScreen: ScreenView {
    struct Section {
        let name: String
        let height: Double
        let draw: (Box) -> Void
    }

    /// The values that the user has entered into the controls.
    struct State {
        var switches = [true, false]
        var segment = 1
        var choice = 2
        var fields = ["", "Олена Ґонта", "9007199254740993", "secret", "שלום עולם"]
        var isSheetOpen = false
    }

    private static let width = 640.0
    private static let caption = 22.0

    var state = State()
    private var settings = AppSettings()
    private let apply: (AppSettings) -> Void

    /// Creates the gallery; `apply` receives the theme and the text scale that the user selects in it.
    init(apply: @escaping (AppSettings) -> Void) { self.apply = apply }

    func title(_ strings: Strings) -> WindowTitle { WindowTitle(parts: ["Gallery"]) }

    func draw(_ ui: Interface) {
        let inside = ui.columnWidth(Self.width) - 2 * Space.large
        let sections = [looks(ui)] + sections(ui, width: inside)
        let heights = sections.map { Self.caption + Space.small + $0.height + 2 * Space.large + Space.large }
        let head = 36 + Space.large
        ui.page("gallery.page", width: Self.width, height: heights.reduce(head, +)) { content in
            var rest = content
            ui.painter.text("Gallery", in: rest.takeTop(36, gap: Space.large), .display, ui.theme.text)
            for section in sections {
                let name = rest.takeTop(Self.caption, gap: Space.small)
                ui.painter.text(section.name, in: name, .captionStrong, ui.theme.faint)
                let card = rest.takeTop(section.height + 2 * Space.large, gap: Space.large)
                ui.card(card)
                section.draw(card.inset(by: Space.large))
            }
        }
    }

    func drawSheets(_ ui: Interface) {
        let text = Self.pangrams.joined(separator: " ")
        let isClosed = ui.sheet("gallery.sheet", "Sheet", isOpen: state.isSheetOpen, contentHeight: 160) {
            ui.painter.paragraph(text, in: $0, .body, ui.theme.text)
        }
        if isClosed { state.isSheetOpen = false }
    }

    private func looks(_ ui: Interface) -> Section {
        Section(name: "Theme and text size", height: 44 + Space.medium + 44) { [self] box in
            var rest = box
            let themes = AppSettings.Theme.allCases
            let theme = ui.segments(
                "gallery.theme",
                themes.map(\.rawValue),
                selected: themes.firstIndex(of: settings.theme) ?? 0,
                in: rest.takeTop(44, gap: Space.medium)
            )
            let sizes = [0.85, 1, 1.25, 1.5, 2]
            let size = ui.segments(
                "gallery.size",
                sizes.map { "\(Int($0 * 100)) %" },
                selected: sizes.firstIndex(of: settings.textScale) ?? 1,
                in: rest
            )
            if let theme { settings.theme = themes[theme] }
            if let size { settings.textScale = sizes[size] }
            if theme != nil || size != nil { apply(settings) }
        }
    }
}
