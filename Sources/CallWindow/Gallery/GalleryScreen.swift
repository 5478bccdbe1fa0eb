internal import AppFlow
internal import WindowKit

/// A page with every control in every state, for developers and for screenshots.
@WindowActor final class GalleryScreen: ScreenView {
    typealias Section = Interface.Section

    /// The values that the user has entered into the controls.
    struct State {
        var switches = [true, false]
        var segment = 1
        var choice = 2
        var fields = ["", "Олена Ґонта", "9007199254740993", "secret", "שלום עולם"]
        var isSheetOpen = false
    }

    private static let width = 640.0

    var state = State()
    private var settings = AppSettings()
    private let apply: (AppSettings) -> Void

    /// Creates the gallery; `apply` is called with the theme and the text scale that the user selects there.
    init(apply: @escaping (AppSettings) -> Void) { self.apply = apply }

    func title(_ strings: Strings) -> WindowTitle { WindowTitle(parts: ["Gallery"]) }

    func draw(_ ui: Interface) {
        let sections = [looks(ui)] + sections(ui, width: ui.sectionWidth(Self.width))
        ui.page("gallery.page", "Gallery", width: Self.width, sections: sections)
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
            let sizes = AppSettings.offeredTextScales
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
