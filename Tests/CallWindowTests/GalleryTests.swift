import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Gallery of all controls")
    @WindowActor struct GalleryTests {
        private let bench: ScreenBench

        init() async throws {
            bench = try await ScreenBench(width: 960, height: 720)
            bench.window.showGallery()
            bench.settle()
        }

        private var gallery: GalleryScreen? { bench.window.screenHost.shownView as? GalleryScreen }

        @Test("Switches, segments, menus and text fields can be changed with the keyboard")
        func keyboard() throws {
            let gallery = try #require(gallery)
            bench.tab(to: "gallery.switch.1")
            bench.press(.space)
            #expect(gallery.state.switches == [true, true])
            bench.tab(to: "gallery.segments.2")
            bench.press(.space)
            #expect(gallery.state.segment == 2)
            bench.tab(to: "gallery.menu")
            for key in [.space, .down, .enter] as [InputKey] {
                bench.press(key)
                bench.settle()
            }
            #expect(gallery.state.choice == 3)
            bench.tab(to: "gallery.field.0")
            bench.type("Ґ")
            #expect(gallery.state.fields[0] == "Ґ")
        }

        @Test("A button opens the sheet, and Esc closes it")
        func sheet() throws {
            let gallery = try #require(gallery)
            bench.tab(to: "gallery.button.0")
            bench.press(.enter)
            bench.settle()
            #expect(gallery.state.isSheetOpen && bench.window.screenHost.ui.isCovered)
            bench.press(.escape)
            bench.settle()
            #expect(!gallery.state.isSheetOpen && !bench.window.screenHost.ui.isCovered)
        }

        @Test("The theme and the text size can be changed in the gallery")
        func looks() {
            let light = bench.window.screenHost.ui.theme
            bench.tab(to: "gallery.theme.2")
            bench.press(.space)
            bench.settle()
            #expect(bench.window.screenHost.ui.theme == .dark && light == .light)
            bench.tab(to: "gallery.size.4")
            bench.press(.space)
            bench.settle()
            #expect(bench.window.screenHost.zoom == 2)
        }
    }
}
