package import FoundationEssentials

/// A file name with placeholders in braces, as in `{room}-{name}-{time}.mkv`; `{{` and `}}` stand for braces.
package struct NameTemplate: Hashable, Sendable {
    package enum Placeholder: String, Hashable, Sendable, CaseIterable {
        /// The room's number.
        case room
        /// Our own username.
        case name
        /// The peer's username.
        case peer
        /// When it began, in UTC, as in `20260131T120000Z`.
        case time
        /// The number of the call among those of one process, from 1.
        case call
        /// The number of the segment, from 1.
        case segment
    }

    /// Why a text is no template, in one sentence.
    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    private enum Piece: Hashable, Sendable {
        case text(String)
        case value(Placeholder)
    }

    private var pieces: [Piece] = []

    /// - Throws: `Problem` for an unknown placeholder, or a brace that stands alone.
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
                    description: "“\(text)” has a brace without its other half; {{ stands for a brace"
                )
            }
            guard let placeholder = Placeholder(rawValue: String(rest[next..<end])) else {
                let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw Problem(description: "there is no {\(rest[next..<end])}; known are \(known)")
            }
            pieces.append(.value(placeholder))
            rest = rest[rest.index(after: end)...]
        }
        append(String(rest))
    }

    /// `path` as it is, braces and all.
    package init(literal path: String) { pieces = [.text(path)] }

    /// What is still open.
    package var placeholders: Set<Placeholder> {
        Set(pieces.compactMap { if case .value(let placeholder) = $0 { placeholder } else { nil } })
    }

    /// The same with these values in their places, made harmless.
    package func filled(_ values: [Placeholder: String]) -> NameTemplate {
        var copy = self
        copy.pieces = pieces.map { piece in
            guard case .value(let placeholder) = piece, let value = values[placeholder] else { return piece }
            return .text(Self.harmless(value))
        }
        return copy
    }

    /// The path; what is still open stands in braces.
    package var path: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let placeholder): "{\(placeholder.rawValue)}"
            }
        }.joined()
    }

    /// A moment as `{time}` says it, in UTC, as in `20260131T120000Z`.
    package static func stamp(of moment: Date) -> String {
        moment.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }

    private mutating func append(_ text: String) {
        guard !text.isEmpty else { return }
        pieces.append(.text(text))
    }

    /// A file system's names have 255 bytes; several values and an extension are to fit.
    private static let mostBytes = 64

    /// A value as part of one file name: peers choose their names, and no folder is left or hidden file made
    /// by one.
    private static func harmless(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            let isHarmful =
                switch scalar {
                case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": true
                default:
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
                        .privateUse:
                        true
                    default: false
                    }
                }
            let next = isHarmful ? "_" : scalar
            // Nothing begins with a dot, which hides it or leaves the folder, or with what looks like a flag.
            let isFirst = text.isEmpty && (next == "." || next == "-" || next == "~")
            guard text.utf8.count + UTF8.width(next) <= mostBytes else { break }
            text.unicodeScalars.append(isFirst ? "_" : next)
        }
        return text.isEmpty ? "_" : text
    }
}
