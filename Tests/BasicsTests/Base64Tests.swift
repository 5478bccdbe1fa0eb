import Basics
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test("URL-safe Base64 is decoded only without padding and in its own alphabet")
    func urls() {
        for count in 0..<9 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 251 + 3 * $0) }
            let text = Base64.encode(bytes)
            let safe = String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" })
            #expect(Base64.decodeURL(safe) == bytes)
            if text.contains("=") { #expect(Base64.decodeURL(text) == nil) }
        }
        #expect(Base64.decodeURL("-_-_") == [0xFB, 0xFF, 0xBF])
        for text in ["+_-_", "/_-_", "a", "abcde", "ab=", "éa", "a b", "ab\n"] {
            #expect(Base64.decodeURL(text) == nil, "\(text)")
        }
    }
}
