/// The sizes and weights of letters; there are no others.
enum TypeStyle: Int, Hashable, Sendable, CaseIterable {
    case caption, captionStrong, body, strong, title, display

    enum Weight: Hashable, Sendable {
        case regular, medium
    }

    var weight: Weight {
        switch self {
        case .caption, .body: .regular
        case .captionStrong, .strong, .title, .display: .medium
        }
    }

    /// The height of the letter M's square, in points.
    var size: Double {
        switch self {
        case .caption, .captionStrong: 13
        case .body, .strong: 15
        case .title: 20
        case .display: 28
        }
    }

    /// From one line to the next, in points.
    var lineHeight: Double {
        switch self {
        case .caption, .captionStrong: 18
        case .body, .strong: 22
        case .title: 28
        case .display: 36
        }
    }

    /// What a font's ascenders and descenders take, as a share of its size: the measure that ImGui goes by.
    private static let extent = 1.172

    func pixels(scale: Double) -> Double { (size * Self.extent * scale).rounded() }
}
