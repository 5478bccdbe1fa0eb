import NIOCore
import Testing

@testable import HTTPFront

@Suite("Places (slots for transfers) that holders share")
struct PlaceTableTests {
    private typealias Places = PlaceTable<String>

    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func take(
        _ holder: String,
        _ places: inout Places,
        after time: TimeAmount = .zero
    ) throws -> (id: Places.ID, freed: Places.ID?) {
        let taken = places.take(for: holder, at: start + time)
        return try #require(taken)
    }

    private func isRefused(_ holder: String, _ places: inout Places, mayEnd: Bool = true) -> Bool {
        places.take(for: holder, at: start, mayEnd: { _ in mayEnd }) == nil
    }

    @Test("A holder cannot take more places than its maximum")
    func mostOfHolder() throws {
        var places = Places(most: 5, mostOfHolder: 2)
        let first = try take("a", &places)
        _ = try take("a", &places)
        #expect(isRefused("a", &places))
        places.free(first.id)
        _ = try take("a", &places)
        #expect(places.count == 2)
    }

    @Test("When all places are taken, the holder with the most loses its slowest transfer to a newcomer")
    func slowest() throws {
        var places = Places(most: 5)
        let other = try take("b", &places).id
        let ids = try (0..<3).map { _ in try take("a", &places).id }
        _ = try take("b", &places)
        for (id, bytes) in zip([other] + ids, [0, 30_000, 10_000, 20_000]) { places.note(bytes, of: id) }
        let taken = try take("c", &places, after: .seconds(10))
        #expect(taken.freed == ids[1])
        #expect(places.count == 5)
        // The former holder notes and frees in vain.
        places.note(1, of: ids[1])
        places.free(ids[1])
        #expect(places.count == 5)
    }

    @Test("A transfer that has just begun does not count as slower than a stalled one")
    func newTransfers() throws {
        var places = Places(most: 2)
        let old = try take("a", &places)
        places.note(50_000, of: old.id)
        _ = try take("a", &places, after: .seconds(9))
        let taken = try take("b", &places, after: .seconds(10))
        #expect(taken.freed == old.id)
    }

    @Test("If all places are taken and shared equally, a holder gets no further place")
    func equalShares() throws {
        var places = Places(most: 2)
        _ = try take("a", &places)
        _ = try take("b", &places)
        #expect(isRefused("a", &places))
        // Nobody is slow yet.
        #expect(isRefused("c", &places))
        let taken = try take("c", &places, after: .seconds(6))
        #expect(taken.freed != nil && places.count == 2)
    }

    @Test("A transfer that may not be ended keeps its place")
    func busyPlaces() throws {
        var places = Places(most: 3)
        let ids = try (0..<3).map { _ in try take("a", &places).id }
        #expect(isRefused("b", &places, mayEnd: false))
        let taken = places.take(for: "b", at: start, mayEnd: { $0 == ids[2] })
        #expect(taken?.freed == ids[2])
    }
}
