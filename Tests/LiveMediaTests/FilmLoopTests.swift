import Testing

@testable import LiveMedia

@Suite("The loop of a film")
struct FilmLoopTests {
    @Test(
        "At most a minute of a looped file is read ahead, regardless of its declared duration",
        arguments: [
            (0, UInt64.max, true), (2, 29_000_000_000, true), (2, 30_000_000_000, false),
            (2, 1 << 63, false), (Int.max, UInt64.max, false), (3, 0, true),
        ] as [(Int, UInt64, Bool)]
    )
    func rounds(count: Int, duration: UInt64, fits: Bool) {
        #expect(FilmLoop.fits(rounds: count, of: duration) == fits)
    }
}
