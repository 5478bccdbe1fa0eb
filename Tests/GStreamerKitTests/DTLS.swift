@testable import GStreamerKit

/// Functions that build DTLS packets.
enum DTLS {
    static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func record(_ content: [UInt8], type: UInt8 = 22, epoch: Int = 0, number: Int = 0)
        -> [UInt8]
    {
        [type, 254, 253] + Self.number(epoch, 2) + Self.number(number, 6) + Self.number(content.count, 2)
            + content
    }

    /// Builds a handshake message, or only the fragment `range` of it.
    static func message(
        _ body: [UInt8],
        type: UInt8 = 11,
        sequence: Int = 2,
        _ range: Range<Int>? = nil
    ) -> [UInt8] {
        let part = Array(body[range ?? 0..<body.count])
        return [type] + number(body.count, 3) + number(sequence, 2) + number(range?.lowerBound ?? 0, 3)
            + number(part.count, 3) + part
    }

    static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case 0..<0x80: [tag, UInt8(content.count)] + content
        case 0x80...0xFF: [tag, 0x81] + number(content.count, 1) + content
        default: [tag, 0x82] + number(content.count, 2) + content
        }
    }

    static func certificate(subject: Int, version: Bool = true) -> [UInt8] {
        let empty = der(0x30, [])
        let fields =
            (version ? der(0xA0, der(0x02, [2])) : []) + der(0x02, [1]) + empty + empty + empty
            + der(0x30, Array(repeating: 0x31, count: subject)) + empty
        return der(0x30, der(0x30, fields) + empty + der(0x03, [0, 1]))
    }

    static func chain(_ certificates: [UInt8]...) -> [UInt8] {
        let list = certificates.flatMap { number($0.count, 3) + $0 }
        return number(list.count, 3) + list
    }

    static let small = chain(certificate(subject: 100))
    static let large = chain(certificate(subject: DTLSCertificateMessage.longestSubject + 1))
}
