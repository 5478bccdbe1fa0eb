import HTTPFront
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import AccountsServer

@Suite("Pictures that are being read", .timeLimit(.minutes(4)))
struct PictureReadsTests {
    private let reads = PictureReads()

    private func read(_ id: String, by user: Int = 1, isLoaded: Bool = true) async throws -> Response {
        try await reads.response(id, for: user) {
            #expect(isLoaded)
            return PictureReads.Picture(type: "image/png", bytes: ByteBuffer(string: id))
        }
    }

    @Test("Clients that read the same picture share one copy, which is released after the last read")
    func shared() async throws {
        var first: Response? = try await read("a")
        var second: Response? = try await read("a", isLoaded: false)
        #expect(first?.body.contentLength == 1 && second?.headers[.contentType] == "image/png")
        #expect(reads.count == 1)
        first = nil
        #expect(reads.count == 1)
        second = nil
        #expect(reads.count == 0)
        _ = try await read("a")
    }

    @Test("The number of different pictures being read is limited")
    func most() async throws {
        var held: [Response] = []
        for number in 0..<PictureReads.most { held.append(try await read("\(number)", by: number)) }
        await #expect(throws: AccountRefusal.self) { try await read("another") }
        held.append(try await read("0", isLoaded: false))
        held.remove(at: 1)
        held.append(try await read("another"))
    }

    @Test("At the limit, a new picture ends all reads of the picture that is read most slowly")
    func slowReaders() async throws {
        let ended = Mutex<[Int]>([])
        var held: [Response] = []
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        func read(_ number: Int, by user: Int, at time: NIODeadline) async throws {
            held.append(
                try await reads.response(
                    "\(number)",
                    for: user,
                    at: time,
                    end: { ended.withLock { $0.append(user) } },
                    load: { PictureReads.Picture(type: "image/png", bytes: ByteBuffer(string: "x")) }
                )
            )
        }
        for number in 0..<PictureReads.most { try await read(number, by: 1 + number / 12, at: start) }
        try await read(0, by: 4, at: start)
        try await read(100, by: 5, at: start + .seconds(1))
        #expect(ended.withLock { $0.sorted() } == [1, 4])
        #expect(reads.count == PictureReads.most)
        held = []
        #expect(reads.count == 0)
    }

    @Test("The number of pictures that one user reads at the same time is limited")
    func mostOfUser() async throws {
        var held: [Response] = []
        for number in 0..<PictureReads.mostOfUser { held.append(try await read("\(number)")) }
        await #expect(throws: AccountRefusal.self) { try await read("0") }
        held.append(try await read("0", by: 2, isLoaded: false))
        held.removeFirst()
        held.append(try await read("0", isLoaded: false))
    }

    @Test("A picture that is missing or fails to load leaves no entry behind")
    func missing() async {
        struct Failure: Error {}
        await #expect(throws: AccountRefusal.self) { try await reads.response("a", for: 1) { nil } }
        await #expect(throws: Failure.self) { try await reads.response("a", for: 1) { throw Failure() } }
        #expect(reads.count == 0)
    }
}
