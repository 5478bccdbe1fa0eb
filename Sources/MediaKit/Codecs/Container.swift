/// A container format for recordings, named by its file extension.
package enum Container: String, Hashable, Sendable, CaseIterable {
    case mkv, mp4, webm

    /// Finds the container format for a path's extension; nil for an unknown one.
    package init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(rawValue: path[path.index(after: dot)...].lowercased())
    }

    /// The codecs that the container can hold; a recording restricts the codecs of its call to these.
    package var codecs: [Codec] {
        switch self {
        case .mkv: Codec.allCases
        case .mp4: [.h264, .opus]
        case .webm: [.vp8, .vp9, .opus]
        }
    }
}
