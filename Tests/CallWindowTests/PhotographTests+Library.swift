import Basics
import CallCore
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests.PhotographTests {
    static let recordings = (1...9).map { number in
        Recording(
            folder: "/videos",
            name: "\(number).mkv",
            title: number == 2 ? "Олена й дуже довга назва запису, яка не вміщується" : "42-Olena",
            began: Timestamp(milliseconds: 1_769_860_800_000 + Int64(number) * 7_000_000),
            bytes: number * 7_654_321
        )
    }

    func photographLibrary(_ bench: ScreenBench, _ photograph: (String) throws -> Void) throws {
        let library = try #require(bench.shell?.library).model
        let player = try #require(bench.shell?.live).player
        library.store.update { $0.items = [.sample(.file("/videos/one.mp4"))] }
        bench.show(.library(library))
        try photograph("library-empty")
        let results: [PastCall.Result] = [.held(.seconds(754)), .missed, .declined, .unanswered, .failed]
        let calls = try results.enumerated().map { number, result in
            PastCall(
                peer: number == 3 ? nil : "Bob Marley",
                room: try RoomID(1),
                isOutgoing: number.isMultiple(of: 2),
                began: .now + .seconds(-50_000 * number),
                result: result
            )
        }
        library.store.update { state in
            state.items =
                Self.recordings.prefix(3).map(LibraryItem.recording) + calls.map(LibraryItem.call)
        }
        let pictures = [SolidFrame.red, .green, .blue].map { $0.sized(320, 180).frame }
        library.previews.store.update { previews in
            for (recording, picture) in zip(Self.recordings, pictures) {
                previews[recording.path] = RecordingPreview(duration: .seconds(75), picture: picture)
            }
        }
        try photograph("library")
        player.playback.update { $0.address = Self.recordings[0].address }
        ScreenBench.play(player, isLive: false)
        try photograph("library-playing")
        library.send(.askForTitle(Self.recordings[1]))
        try photograph("library-renaming")
        library.store.update {
            $0.dialog = .renaming(Self.recordings[1], text: "a/b", problem: .invalid)
        }
        try photograph("library-renaming-refused")
        library.store.update { $0.dialog = .trashing(Self.recordings[1]) }
        try photograph("library-deleting")
        library.store.update {
            $0.dialog = .deleting(
                Self.recordings[1],
                trashFailure: "Trashing on system mounts is unsupported"
            )
        }
        try photograph("library-deleting-no-trash")
        library.store.update { state in
            (state.dialog, state.problem) = (nil, .failed("Failed to find a default application"))
        }
        try photograph("library-problem")
        library.send(.cancel)
        player.playback.update { $0.address = nil }
    }
}
