/// The file formats of recordings, by the file's extension.
package enum Container: String, Hashable, Sendable, CaseIterable {
    case mkv, mp4, webm

    /// - Parameter path: its extension decides; nil for any other.
    package init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(rawValue: path[path.index(after: dot)...].lowercased())
    }

    /// What it can hold; a recording narrows what a call offers and accepts to this.
    package var codecs: [Codec] {
        switch self {
        case .mkv: Codec.allCases
        case .mp4: [.h264, .opus]
        case .webm: [.vp8, .vp9, .opus]
        }
    }
}
