package import Basics

extension SeededGenerator {
    private static let characters: [Character] = Array(
        "aZ09 \"\\/\u{0}\u{8}\u{1F}\u{7F}\n\r\té漢𝄞👩‍👩‍👧,:{}[]\u{2028}"
    )

    /// Generates at most `count` bytes.
    package mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Generates a string of at most twelve characters, some of which JSON escapes.
    package mutating func string() -> String {
        String(
            (0..<Int.random(in: 0...12, using: &self)).map { _ in
                Self.characters.randomElement(using: &self) ?? "x"
            }
        )
    }

    /// Generates a random value with at most `depth` nested containers.
    ///
    /// It contains at most `attachments` binary values, and their number is subtracted from `attachments`.
    package mutating func json(depth: Int, attachments: inout Int) -> JSON {
        switch Int.random(in: 0...(depth > 0 ? 8 : 6), using: &self) {
        case 0: return nil
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .int(Int(truncatingIfNeeded: next()))
        // The parser would return a whole number as an `.int`.
        case 3: return .number(Double(Int.random(in: -9999...9999, using: &self)) + 0.25)
        case 4: return .string(string())
        case 5, 6:
            guard attachments > 0 else { return false }
            attachments -= 1
            return .binary(bytes(upTo: 20))
        case 7: return .array((0..<3).map { _ in json(depth: depth - 1, attachments: &attachments) })
        default:
            return .object(
                JSONObject(
                    (0..<3).map { ("\($0)" + string(), json(depth: depth - 1, attachments: &attachments)) }
                )
            )
        }
    }
}
