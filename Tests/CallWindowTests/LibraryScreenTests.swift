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
                folder: "/videos",
                name: "\(number).mkv",
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
        private func row(_ number: Int) -> ControlID { ControlID("library.item \(number).mkv") }

        @Test("The button beside the heading of past calls opens the dialog to delete them")
        func forget() async throws {
            #expect(places["library.forget"] == nil)
            let call = PastCall(
                peer: "Bob",
                room: try RoomID(1),
                isOutgoing: true,
                began: Timestamp(milliseconds: 0),
                result: .missed
            )
            library.store.update { $0.items?.append(.call(call)) }
            bench.settle()
            bench.click("library.forget")
            #expect(library.store.state.dialog == .forgetting)
            bench.settle()
            bench.click("library.forget.cancel")
            #expect(library.store.state.dialog == nil)
        }

        @Test("The preview of a recording is drawn in its row, clipped to the list")
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

        @Test("A narrow row with large text is as high as its wrapped lines")
        func narrow() throws {
            bench.settings.send(.setTextScale(2))
            let long = Recording(
                folder: "/videos",
                name: "1.mkv",
                title: "A title that is too long for one line",
                began: recordings[0].began,
                bytes: 1_000_000
            )
            library.store.update { $0.items = [.recording(long), .recording(recordings[1])] }
            bench.show(.library(library))
            bench.settle()
            let (first, second) = (try #require(places[row(1)]), try #require(places[row(2)]))
            #expect(second.y - first.y > ItemRow.height)
            #expect(first.bottom <= second.y)
        }

        @Test("The buttons of a row open the dialogs to rename and to delete its recording")
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
            #expect(library.store.state.dialog == .trashing(recordings[1]))
            bench.settle()
            bench.click("library.delete.cancel")
            #expect(library.store.state.dialog == nil)
        }

        @Test("The dialog for renaming a recording accepts a typed title")
        func title() throws {
            bench.click(row(1).child(0))
            bench.settle()
            #expect(bench.window.screenHost.ui.focus.focused == "library.title")
            bench.edit(.a, ctrl: true)
            bench.type("Ann")
            #expect(library.store.state.dialog == .renaming(recordings[0], text: "Ann", problem: nil))
        }

        @Test("A double click on the trash button never deletes a recording permanently", arguments: [1, 2])
        func doubleClick(redraws: Int) throws {
            bench.click(row(1).child(2))
            bench.settle()
            let button = try #require(places["library.delete.trash"])
            bench.click("library.delete.trash")
            #expect(library.store.state.isBusy)
            library.store.update { state in
                state.dialog = .deleting(recordings[0], trashFailure: "not supported")
                state.isBusy = false
            }
            for _ in 0..<redraws { bench.window.redrawIfNeeded() }
            bench.click(button.center.x, button.center.y)
            bench.press(.enter)
            bench.press(.space)
            #expect(library.store.state.dialog == nil && !library.store.state.isBusy)
        }

        @Test("A recording of any size is listed", arguments: [0, 49_999, 1_500_000, 12_345_678_901, .max])
        func sizes(bytes: Int) {
            let recording = Recording(folder: "/", name: "a.mkv", title: "a", began: .now, bytes: bytes)
            library.store.update { $0.items = [.recording(recording)] }
            bench.window.screenHost.touch()
            bench.settle()
            #expect(places[ControlID("library.item a.mkv")] != nil)
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
            bench.settle()
            let (first, last) = (row(1).child(0), row(1).child(2))
            let places = bench.window.screenHost.ui.places
            let (left, right) = (try #require(places[first]), try #require(places[last]))
            #expect(left.x >= (try #require(places[row(1)])).x + 60 && right.x - left.x == 72)
            library.send(.askToDelete(recordings[0]))
            bench.settle()
            bench.tab(to: "library.delete.cancel")
            bench.press(.enter)
            #expect(library.store.state.dialog == nil)
        }
    }
}
