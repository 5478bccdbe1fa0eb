import Testing

@testable import GLibKit

@Suite("Host names", .timeLimit(.minutes(1)))
struct NameResolverTests {
    @Test("Loopback's name stands for its addresses, in text")
    func loopback() async throws {
        let addresses = try await NameResolver.addresses(of: "localhost")
        #expect(!addresses.isEmpty && Set(addresses).isSubset(of: ["127.0.0.1", "::1"]))
        #expect(try await NameResolver.addresses(of: "2001:db8::1") == ["2001:db8::1"])
    }

    @Test("A name that nobody has is told as such")
    func unknown() async {
        await #expect(throws: GLibError.self) { try await NameResolver.addresses(of: "nobody.invalid") }
    }
}
