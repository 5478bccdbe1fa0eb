import Basics

/// A generator that mutates stored inputs as libFuzzer does, but without coverage feedback.
struct Mutation {
    private static let longest = 4096
    private static let tokens = [
        "{", "}", "[", "]", "\"", ",", ":", "\\u0000", "\r\n", "-1", "65536", "99999999999999999999", "null",
        "a=", "m=",
    ].map { Array($0.utf8) }

    private let corpus: Corpus
    private var generator: SeededGenerator

    init(of corpus: Corpus, seed: UInt64) {
        self.corpus = corpus
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var bytes = anyInput()
        for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&bytes) }
        return Array(bytes.prefix(Self.longest))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
        case 1: bytes.insert(.random(in: 0...255, using: &generator), at: place)
        case 2: bytes.removeSubrange(range(from: place, in: bytes))
        case 3: bytes.insert(contentsOf: bytes[range(from: place, in: bytes)], at: place)
        case 4: bytes.insert(contentsOf: Self.tokens.randomElement(using: &generator) ?? [], at: place)
        default:
            let other = anyInput()
            let start = Int.random(in: 0...other.count, using: &generator)
            bytes.replaceSubrange(place..., with: other[start...])
        }
    }

    private mutating func anyInput() -> [UInt8] {
        corpus.inputs.randomElement(using: &generator)?.bytes ?? []
    }

    private mutating func range(from start: Int, in bytes: [UInt8]) -> Range<Int> {
        start..<min(bytes.count, start + Int.random(in: 0...32, using: &generator))
    }
}
