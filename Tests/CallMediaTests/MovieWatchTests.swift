import GStreamerKit
import Testing

@testable import MediaKit

@Suite("The check of an MP4 while it arrives", .timeLimit(.minutes(4)))
struct MovieWatchTests {
    private static let endless = "it declares too many samples"
    private static let huge = MovieMaker.film(
        Array(repeating: MovieMaker.Track(count: 900_000, size: 1), count: 5)
    )

    /// Returns the reason against a film that is pushed in parts of this length, and how much of it has passed.
    private func push(_ film: [UInt8], _ length: Int, to watch: inout MovieWatch) -> (
        reason: String?, passed: Int
    ) {
        for start in stride(from: 0, to: film.count, by: length) {
            let part = film[start..<min(start + length, film.count)]
            let scheduling = Pad.Scheduling.pushed(isAfterGap: start == 0)
            if let reason = part.withUnsafeBytes({ watch.reason(against: $0, scheduling) }) {
                return (reason, start)
            }
        }
        return (nil, film.count)
    }

    @Test(
        "A movie with an excessive index is refused before the end of the index has passed",
        arguments: [1, 7, 100, 4096, 1 << 20]
    )
    func pushed(length: Int) throws {
        var (watch, other) = (MovieWatch(), MovieWatch())
        #expect(push(MovieMaker.film(), length, to: &watch).reason == nil)
        let (reason, passed) = push(Self.huge, length, to: &other)
        #expect(reason == Self.endless)
        // No part that completes the index has passed.
        let index = try #require(Self.huge.firstRange(of: Array("moov".utf8))).lowerBound - 4
        let size = try #require(Self.huge[index...].number(at: 0, size: 4))
        #expect(passed < index + Int(size))
    }

    @Test("Data read in pull mode is checked only if it contains the whole index")
    func pulled() throws {
        var watch = MovieWatch()
        let index = try #require(Self.huge.firstRange(of: Array("moov".utf8))).lowerBound - 4
        let reasons = [
            Self.huge[..<16], Self.huge[index..<index + 16], Self.huge[(index + 8)...], Self.huge[index...],
        ]
        .map { part in part.withUnsafeBytes { watch.reason(against: $0, .pulled) } }
        #expect(reasons == [nil, nil, nil, Self.endless])
    }

    @Test("Fragment samples are limited in total in pull mode, but per fragment in push mode")
    func fragments() {
        var (pulled, pushed) = (MovieWatch(), MovieWatch())
        let fragment = MovieMaker.fragment(samples: 190_000, flags: 0)
        let reasons = (0..<25).map { _ in fragment.withUnsafeBytes { pulled.reason(against: $0, .pulled) } }
        #expect(reasons.firstIndex { $0 != nil } == 21)
        #expect(reasons[21] == Self.endless)
        let film = MovieMaker.fragments(samples: 190_000, flags: 0)
        #expect((0..<200).allSatisfy { _ in push(film, 1000, to: &pushed).reason == nil })
        let huge = MovieMaker.fragments(samples: 5_200_000, flags: 0)
        #expect(push(huge, 1000, to: &pushed).reason != nil)
    }

    @Test("Overlong indexes and invalid box sizes are refused, but mdat may extend to the end of the file")
    func sizes() {
        func reason(_ bytes: [UInt8]) -> String? {
            var watch = MovieWatch()
            return push(bytes, 5, to: &watch).reason
        }
        #expect(reason([0x7F, 0, 0, 0] + Array("moov".utf8)) == "its index is too long")
        #expect(reason([0, 0, 0, 0] + Array("moov".utf8)) == "its index is too long")
        #expect(reason([0, 0, 0, 7] + Array("free".utf8)) == "its boxes are damaged")
        #expect(reason([0, 0, 0, 0] + Array("mdat".utf8) + [UInt8](repeating: 0, count: 50)) == nil)
        #expect(
            reason([0, 0, 0, 1] + Array("moov".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]) == "its index is too long"
        )
    }

    @Test("Damaged bytes never trap")
    func anything() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            var (watch, film) = (MovieWatch(), MovieMaker.film())
            for _ in 0..<8 {
                film[Int.random(in: 0..<film.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = push(film, Int.random(in: 1...500, using: &random), to: &watch)
        }
    }
}
