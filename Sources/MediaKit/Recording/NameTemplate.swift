internal import Basics
package import FoundationEssentials

/// A file path with placeholders in braces, such as `{room}-{name}-{time}.mkv`; `{{` and `}}` are literal
/// braces.
package struct NameTemplate: Hashable, Sendable {
    package enum Placeholder: String, Hashable, Sendable, CaseIterable {
        /// The room number.
        case room
        /// Our own username.
        case name
        /// The peer's username.
        case peer
        /// The start time in UTC, such as `20260131T120000Z`.
        case time
        /// The number of the call within the process, from 1.
        case call
        /// The number of the segment, from 1.
        case segment
    }

    /// The reason why a text is not a template, in one sentence.
    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    private enum Piece: Hashable, Sendable {
        case text(String)
        case value(Placeholder)
    }

    private var pieces: [Piece] = []

    /// Parses a template.
    ///
    /// - Throws: `Problem` for an unknown placeholder or an unmatched brace.
    package init(_ text: String) throws(Problem) {
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            append(String(rest[..<brace]))
            let next = rest.index(after: brace)
            if next < rest.endIndex, rest[next] == rest[brace] {
                append(String(rest[brace]))
                rest = rest[rest.index(after: next)...]
                continue
            }
            guard rest[brace] == "{", let end = rest[next...].firstIndex(of: "}") else {
                throw Problem(
                    description: "“\(text)” has an unmatched brace; write {{ or }} for a literal brace"
                )
            }
            guard let placeholder = Placeholder(rawValue: String(rest[next..<end])) else {
                let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw Problem(description: "{\(rest[next..<end])} is not a placeholder; use \(known)")
            }
            pieces.append(.value(placeholder))
            rest = rest[rest.index(after: end)...]
        }
        append(String(rest))
    }

    /// Creates a template without placeholders; braces in `path` are literal.
    package init(literal path: String) { pieces = [.text(path)] }

    /// The placeholders that have no value yet.
    package var placeholders: Set<Placeholder> {
        Set(pieces.compactMap { if case .value(let placeholder) = $0 { placeholder } else { nil } })
    }

    /// Returns the template with these values filled in; characters of a value that are unsafe in file names
    /// are replaced.
    package func filled(_ values: [Placeholder: String]) -> NameTemplate {
        var copy = self
        copy.pieces = pieces.map { piece in
            guard case .value(let placeholder) = piece, let value = values[placeholder] else { return piece }
            return .text(Self.harmless(value))
        }
        return copy
    }

    /// The path, in which placeholders without a value are still in braces.
    package var path: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let placeholder): "{\(placeholder.rawValue)}"
            }
        }.joined()
    }

    /// Formats a date as a value of `{time}`: in UTC, such as `20260131T120000Z`.
    package static func stamp(of moment: Date) -> String {
        moment.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }

    private mutating func append(_ text: String) {
        guard !text.isEmpty else { return }
        pieces.append(.text(text))
    }

    /// The maximum length of a value in bytes.
    ///
    /// A file name has at most 255 bytes and may contain several values and an extension.
    private static let maximumBytes = 64

    /// Makes a value safe for use in a file name.
    ///
    /// A peer chooses its own name, which must not lead to another folder or create a hidden file.
    ///
    /// - Parameter value: the value of a placeholder.
    /// - Returns: the value with unsafe characters replaced, cut off after `maximumBytes` bytes.
    private static func harmless(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            let next = scalar.isSafeInFileNames ? scalar : "_"
            // A leading dot would create a hidden file or leave the folder. A leading dash looks like a flag.
            let isFirst = text.isEmpty && (next == "." || next == "-" || next == "~")
            guard text.utf8.count + UTF8.width(next) <= maximumBytes else { break }
            text.unicodeScalars.append(isFirst ? "_" : next)
        }
        return text.isEmpty ? "_" : text
    }
}
