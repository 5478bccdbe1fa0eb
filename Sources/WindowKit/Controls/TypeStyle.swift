/// A text style: a font size and a weight.
package enum TypeStyle: Int, Hashable, Sendable, CaseIterable {
    case caption, captionStrong, body, strong, title, display

    package enum Weight: Hashable, Sendable {
        case regular, medium
    }

    var weight: Weight {
        switch self {
        case .caption, .body: .regular
        case .captionStrong, .strong, .title, .display: .medium
        }
    }

    /// The font size (em) in points.
    package var size: Double {
        switch self {
        case .caption, .captionStrong: 13
        case .body, .strong: 15
        case .title: 20
        case .display: 28
        }
    }

    /// The line height in points.
    package var lineHeight: Double {
        switch self {
        case .caption, .captionStrong: 18
        case .body, .strong: 22
        case .title: 28
        case .display: 36
        }
    }
}
