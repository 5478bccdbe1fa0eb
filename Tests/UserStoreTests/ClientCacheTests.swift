import Foundation
import Testing
import UserStore

@Suite("Client cache", .timeLimit(.minutes(4)))
@DiskActor
struct ClientCacheTests {
    @Test("An entry is read back under its key, even if the key has unusual characters")
    func entries() async throws {
        try await withFolder { folder in
            let cache = ClientCache(folder, limit: 1000)
            let keys = ["a", "../b", "https://example.org/a?b=c", String(repeating: "k", count: 5000), ""]
            for (number, key) in keys.enumerated() { try cache.write([UInt8(number)], for: key) }
            for (number, key) in keys.enumerated() { #expect(cache.read(key) == [UInt8(number)]) }
            #expect(folder.names.count == keys.count)
            cache.remove("a")
            #expect(cache.read("a") == nil)
            cache.removeAll()
            #expect(folder.names.isEmpty)
        }
    }

    @Test("Above the limit, the least recently used entries are removed")
    func limit() async throws {
        try await withFolder { folder in
            let cache = ClientCache(folder, limit: 1000)
            var known: Set<String> = []
            for number in 0..<10 {
                try cache.write([UInt8](repeating: 0, count: 100), for: "\(number)")
                let time = Date(timeIntervalSince1970: Double(number))
                for name in folder.names where !known.contains(name) {
                    try FileManager.default.setAttributes(
                        [.modificationDate: time],
                        ofItemAtPath: folder.path(name)
                    )
                }
                known.formUnion(folder.names)
            }
            _ = cache.read("0")
            try cache.write([UInt8](repeating: 0, count: 50), for: "new")
            #expect(cache.read("0") != nil && cache.read("new") != nil)
            #expect(cache.read("1") == nil && cache.read("2") == nil && cache.read("3") == nil)
            #expect(cache.read("4") != nil && cache.read("9") != nil)
        }
    }

    @Test("An entry above the limit is not stored, and removes the previous entry under its key")
    func tooLarge() async throws {
        try await withFolder { folder in
            let cache = ClientCache(folder, limit: 10)
            try cache.write([1], for: "a")
            try cache.write([UInt8](repeating: 0, count: 11), for: "a")
            #expect(cache.read("a") == nil && folder.names.isEmpty)
        }
    }
}
