/// A camera, microphone or loudspeaker that the user can select.
package struct MediaDevice: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case camera, microphone, speaker
    }

    package var kind: Kind
    /// The ID that flags and commands accept.
    package var id: String
    /// The name for display.
    package var name: String

    /// The ID of the system's default device of any kind.
    package static let standard = "default"

    package init(_ kind: Kind, id: String, name: String) {
        (self.kind, self.id, self.name) = (kind, id, name)
    }
}
