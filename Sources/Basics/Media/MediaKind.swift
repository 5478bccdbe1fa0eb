package enum MediaKind: String, Hashable, Sendable, CaseIterable {
    case audio, video
}
