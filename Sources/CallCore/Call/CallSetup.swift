/// When the steps of a set-up were done, in milliseconds since `call.started`.
package struct CallSetup: Hashable, Sendable {
    /// The offer was created, or received.
    package var offer: Int?
    /// The answer was received, or created.
    package var answer: Int?
    /// The first local candidate.
    package var firstCandidate: Int?
    package var ice: Int?
    package var dtls: Int?
    package var firstPacket: Int?
    /// The first picture; where none comes, the first sound.
    package var firstFrame: Int?

    package init() {}
}
