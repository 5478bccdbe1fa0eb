import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import ChatServer

@Suite("Files on their way")
struct MediaTransfersTests {
    private let transfers = MediaTransfers()
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test("A person sends eight files at once")
    func mostOfPerson() throws {
        var held = try (0..<8).map { _ in try transfers.begin(of: 20) }
        #expect(throws: ChatRefusal.self) { try transfers.begin(of: 20) }
        held.removeFirst()
        held.append(try transfers.begin(of: 20))
        withExtendedLifetime(held) {}
    }

    @Test("Four people with slow files keep nobody out: the slowest ends")
    func slowFiles() throws {
        let ended = Mutex<[Int]>([])
        var held: [MediaTransfers.Transfer] = []
        for number in 0..<MediaTransfers.most {
            let transfer = try transfers.begin(of: 20 + number / 8, at: start) {
                ended.withLock { $0.append(number) }
            }
            transfer.note(number == 13 ? 100 : 5000)
            held.append(transfer)
        }
        held.append(try transfers.begin(of: 30, at: start + .seconds(5)))
        #expect(ended.withLock(\.self) == [13])
        // The end of what was ended frees no place of another.
        held.remove(at: 13)
        held.append(try transfers.begin(of: 31, at: start + .seconds(6)))
        #expect(ended.withLock(\.self).count == 2)
        withExtendedLifetime(held) {}
    }

    @Test("A body that is counted keeps its length")
    func countedBody() throws {
        let body = ResponseBody(byteBuffer: ByteBuffer(string: "12345"))
        #expect(try transfers.begin(of: 20).counting(body).contentLength == 5)
    }
}
