/// A camera, microphone or loudspeaker that a call may use.
package struct CallDevice: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case camera, microphone, speaker
    }

    package var kind: Kind
    /// As flags and commands take it.
    package var id: String
    /// For people.
    package var name: String

    /// By which the system's own device of a kind is chosen.
    package static let standard = "default"

    package init(_ kind: Kind, id: String, name: String) {
        (self.kind, self.id, self.name) = (kind, id, name)
    }
}
