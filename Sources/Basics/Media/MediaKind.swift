package enum MediaKind: String, Codable, Hashable, Sendable, CaseIterable {
    case audio, video
}
