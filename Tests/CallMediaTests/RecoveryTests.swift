import Basics
import CallCore
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Recovery of recordings", .timeLimit(.minutes(4)))
struct RecoveryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "The container is determined by the content, not by the extension",
        arguments: [
            ([0x1A, 0x45, 0xDF, 0xA3, 1, 2, 3] as [UInt8], Container.mkv),
            ([0x1A, 0x45, 0xDF, 0xA3, 0x42, 0x82, 0x84] + Array("webm".utf8), .webm),
            ([0, 0, 0, 32] + Array("ftypisom".utf8), .mp4),
        ]
    )
    func format(_ bytes: [UInt8], _ container: Container) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("x.bin")))
        #expect(try Recovery.container(of: folder.path("x.bin")) == container)
    }

    @Test("A file that is not a recording is rejected", arguments: [nil, "", "no recording at all"])
    func refused(_ text: String?) throws {
        let path = folder.path("x.mkv")
        if let text { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        #expect {
            try Recovery.container(of: path)
        } throws: { error in
            guard case MediaFailure.source(let message, let hint) = error else { return false }
            return message.contains(path) && !hint.isEmpty
        }
    }

    @Test("A folder is rejected as a recording") func directory() {
        #expect(throws: MediaFailure.self) { try Recovery.container(of: folder.path) }
    }
}
