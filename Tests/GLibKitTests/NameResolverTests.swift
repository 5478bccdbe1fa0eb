import Testing

@testable import GLibKit

@Suite("Host name resolution", .timeLimit(.minutes(4)))
struct NameResolverTests {
    @Test("The name localhost resolves to loopback addresses in text form")
    func loopback() async throws {
        let addresses = try await NameResolver.addresses(of: "localhost")
        #expect(!addresses.isEmpty && Set(addresses).isSubset(of: ["127.0.0.1", "::1"]))
        #expect(try await NameResolver.addresses(of: "2001:db8::1") == ["2001:db8::1"])
    }

    @Test("An unknown name throws an error")
    func unknown() async {
        await #expect(throws: GLibError.self) { try await NameResolver.addresses(of: "nobody.invalid") }
    }
}
