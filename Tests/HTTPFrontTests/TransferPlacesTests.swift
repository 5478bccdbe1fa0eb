import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import HTTPFront

@Suite("Places for transfers")
struct TransferPlacesTests {
    private let places = TransferPlaces<Int>(most: 32, mostOfHolder: 8)
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func take(for holder: Int, after time: TimeAmount = .zero) throws -> TransferPlaces<Int>.Place {
        let place = places.take(for: holder, at: start + time, end: {})
        return try #require(place)
    }

    @Test("A holder may have eight transfers at once, and another one when one of them ends")
    func mostOfHolder() throws {
        var held = try (0..<8).map { _ in try take(for: 20) }
        let further = places.take(for: 20, at: start, end: {})
        #expect(further.map(ObjectIdentifier.init) == nil)
        held.removeFirst()
        held.append(try take(for: 20))
        withExtendedLifetime(held) {}
    }

    @Test("If four holders with slow transfers take all places, the slowest transfer ends for a newcomer")
    func slowTransfers() throws {
        let ended = Mutex<[Int]>([])
        var held: [TransferPlaces<Int>.Place] = []
        for number in 0..<32 {
            let place = places.take(for: 20 + number / 8, at: start) {
                ended.withLock { $0.append(number) }
            }
            place?.note(number == 13 ? 100 : 5000)
            held.append(try #require(place))
        }
        held.append(try take(for: 30, after: .seconds(5)))
        #expect(ended.withLock(\.self) == [13])
        // The end of the one that was ended frees no place of another.
        held.remove(at: 13)
        held.append(try take(for: 31, after: .seconds(6)))
        #expect(ended.withLock(\.self).count == 2)
        withExtendedLifetime(held) {}
    }

    @Test("Counting the bytes of a body does not change its content")
    func countedBodies() async throws {
        let place = try take(for: 20)
        let response = ResponseBody(byteBuffer: ByteBuffer(string: "12345"))
        #expect(place.counting(response).contentLength == 5)
        let request = place.counting(RequestBody(buffer: ByteBuffer(string: "12345")))
        #expect(String(buffer: try await request.collect(upTo: 5)) == "12345")
    }
}
