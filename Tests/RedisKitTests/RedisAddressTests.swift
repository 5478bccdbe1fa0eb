import Testing

@testable import RedisKit

@Suite struct RedisAddressTests {
    @Test("A Redis URL with all parts is parsed")
    func completeURL() throws {
        let address = try RedisAddress("rediss://ann:p%40ss@redis.example:6380/3")
        #expect(address.isSecure)
        #expect(address.host == "redis.example")
        #expect(address.port == 6380)
        #expect(address.user == "ann")
        #expect(address.password == "p@ss")
        #expect(address.database == 3)
        #expect("\(address)" == "rediss://redis.example:6380/3", "no secret in it")
    }

    @Test("Missing parts of a Redis URL have default values")
    func defaults() throws {
        let address = try RedisAddress("redis://127.0.0.1")
        #expect(address.port == 6379)
        #expect(address.user == nil && address.password == nil && address.database == 0)
        #expect(!address.isSecure)
    }

    @Test("A Redis URL with a password but no user, and with an IPv6 address, is accepted")
    func passwordAndIPv6() throws {
        let address = try RedisAddress("redis://:secret@[::1]/")
        #expect(address.user == nil)
        #expect(address.password == "secret")
        #expect(address.host == "::1")
        #expect("\(address)" == "redis://[::1]:6379")
    }

    @Test(
        "An invalid Redis URL is rejected",
        arguments: [
            ("http://a", RedisAddressError.scheme), ("redis://", .noHost), ("redis://a:0", .port),
            ("redis://a:70000", .port), ("redis://a/x", .database), ("redis://a/-1", .database),
            ("redis://ann@a", .userWithoutPassword), ("redis://a?x=1", .excess), ("redis://[", .notURL),
        ]
    )
    func refuses(text: String, error: RedisAddressError) {
        #expect(throws: error) { try RedisAddress(text) }
    }

    @Test(
        "A password without TLS counts as exposed unless the host is loopback",
        arguments: [
            ("redis://:p@redis.example", true), ("redis://:p@10.0.0.1", true),
            ("redis://:p@127.0.0.1", false),
            ("redis://:p@localhost", false), ("redis://:p@[::1]", false),
            ("rediss://:p@redis.example", false),
            ("redis://redis.example", false), ("redis://:p@127.evil.example", true),
        ]
    )
    func exposedPassword(text: String, isExposed: Bool) throws {
        #expect(try RedisAddress(text).exposesPassword == isExposed)
    }

    @Test("A password quoted in an error message from Redis is removed from the message")
    func quotedPassword() {
        let words = "ERR unknown command 'AUTH', with args beginning with: 'secret'"
        #expect(throws: RedisError.refused("ERR to AUTH")) {
            try RedisLink.withoutPassword(RedisError.refused(words))
        }
    }
}
