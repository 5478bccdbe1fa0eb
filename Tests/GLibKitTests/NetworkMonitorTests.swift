import GLibKit
import Glibc
import Testing

@Suite("Network monitor", .timeLimit(.minutes(4)))
struct NetworkMonitorTests {
    @Test("The local addresses include loopback, in text form")
    func loopback() throws {
        #expect(try #require(LocalAddresses.current()).contains("127.0.0.1"))
    }

    @Test(
        "Adding or removing a local address is reported as a change, even if no route changes",
        .enabled(if: geteuid() == 0, "addresses are root's to give")
    )
    func address() async throws {
        // A loopback address has no effect on other programs of this host.
        let address = "127.\(Int.random(in: 64..<255)).\(Int.random(in: 0...255)).77"
        var changes = NetworkMonitor().makeAsyncIterator()
        try await Self.ip("add", address)
        #expect(await changes.next() != nil)
        #expect(LocalAddresses.current()?.contains(address) == true)
        try await Self.ip("del", address)
        #expect(await changes.next() != nil)
        #expect(LocalAddresses.current()?.contains(address) == false)
    }

    @Test("Cancelling the task ends the wait for a change")
    func cancellation() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in NetworkMonitor() {} }
            group.cancelAll()
        }
    }

    private static func ip(_ verb: String, _ address: String) async throws {
        try await run("ip", "address", verb, "\(address)/32", "dev", "lo")
    }
}
