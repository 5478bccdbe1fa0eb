import Foundation
import Synchronization

/// Cuts what arrives in pieces into lines.
final class LineBuffer: Sendable {
    private let rest = Mutex(Data())

    /// The lines that `data` completes.
    func take(_ data: Data) -> [String] {
        rest.withLock { rest in
            rest.append(data)
            var lines: [String] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[rest.index(after: end)...])
            }
            return lines
        }
    }
}
