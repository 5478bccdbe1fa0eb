import Basics
import CallCore
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The screen of the Library")
    @WindowActor struct LibraryScreenTests {
        private let bench: ScreenBench
        private let library: LibraryViewModel
        private let recordings = (1...2).map { number in
            Recording(
                path: "/videos/\(number).mkv",
                title: "Recording \(number)",
                began: Timestamp(milliseconds: Int64(number) * 86_400_000),
                bytes: 1_000_000
            )
        }

        init() async throws {
            bench = try await ScreenBench(
                width: 480,
                height: 720,
                hasBar: true,
                player: LivePlayer(NoStreams())
            )
            library = try #require(bench.shell?.library).model
            let items = recordings.map(LibraryItem.recording)
            library.store.update { $0.items = items }
            bench.show(.library(library))
        }

        private var places: [ControlID: Box] { bench.window.screenHost.ui.places }
        private func row(_ number: Int) -> ControlID { ControlID("library.item").child(number) }

        @Test("A picture is drawn in its row, and only in the visible part of the list")
        func picture() throws {
            let frame = try #require(SolidFrame.red.sized(320, 180).frame)
            library.previews.store.update { $0["/videos/1.mkv"] = RecordingPreview(picture: frame) }
            bench.window.screenHost.touch()
            bench.settle()
            let box = try #require(places[row(1)])
            let photograph = try #require(bench.window.snapshot())
            #expect(photograph.isNear(255, 0, 0, x: Int(box.x) + 50, y: Int(box.center.y)))
            // Many rows, so that the first one is half below the edge of the list.
            let many = (0..<30).map { _ in LibraryItem.recording(recordings[0]) }
            library.store.update { $0.items = many }
            bench.handle(.move(box.center))
            bench.handle(.wheel(-1))
            bench.settle()
            let list = try #require(places["library.list"])
            let scrolled = try #require(bench.window.snapshot())
            #expect(!scrolled.isNear(255, 0, 0, x: Int(list.x) + 50, y: Int(list.y) - 6))
        }

        @Test("Rows whose content has changed get their new height")
        func heights() throws {
            library.store.update { $0.items = [] }
            bench.window.screenHost.touch()
            bench.settle()
            let items = recordings.map(LibraryItem.recording)
            library.store.update { $0.items = items }
            bench.window.screenHost.touch()
            bench.settle()
            let (first, second) = (try #require(places[row(1)]), try #require(places[row(2)]))
            #expect(second.y - first.y == ItemRow.height)
        }

        @Test("The buttons of a row ask for a title, and whether the recording is to be deleted")
        func buttons() throws {
            bench.click(row(1).child(0))
            #expect(
                library.store.state.dialog
                    == .renaming(recordings[0], text: "Recording 1", problem: nil)
            )
            bench.settle()
            bench.press(.escape)
            #expect(library.store.state.dialog == nil)
            bench.settle()
            bench.click(row(2).child(2))
            #expect(library.store.state.dialog == .deleting(recordings[1], noTrash: nil))
            bench.settle()
            bench.click("library.delete.cancel")
            #expect(library.store.state.dialog == nil)
        }

        @Test("The title is typed into the field of the sheet")
        func title() throws {
            bench.click(row(1).child(0))
            bench.settle()
            bench.tab(to: "library.title")
            bench.edit(.a, ctrl: true)
            bench.type("Ann")
            #expect(library.store.state.dialog == .renaming(recordings[0], text: "Ann", problem: nil))
        }

        @Test("The sheets and rows fit a small window with large text")
        func small() async throws {
            let bench = try await ScreenBench(
                width: 480,
                height: 360,
                language: .ukrainian,
                hasBar: true,
                player: LivePlayer(NoStreams())
            )
            let library = try #require(bench.shell?.library).model
            let items = recordings.map(LibraryItem.recording)
            library.store.update { $0.items = items }
            bench.show(.library(library))
            bench.settings.send(.setTextScale(2))
            library.send(.askToDelete(recordings[0]))
            bench.settle()
            bench.tab(to: "library.delete.cancel")
            bench.press(.enter)
            #expect(library.store.state.dialog == nil)
        }
    }
}
