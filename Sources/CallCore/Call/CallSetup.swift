/// The times of the setup steps, in milliseconds since `call.started`; nil for a step that was not reached.
package struct CallSetup: Hashable, Sendable {
    /// The time at which the offer was created or received.
    package var offer: Int?
    /// The time at which the answer was received or created.
    package var answer: Int?
    /// The time of the first local candidate.
    package var firstCandidate: Int?
    package var ice: Int?
    package var dtls: Int?
    package var firstPacket: Int?
    /// The time of the first video frame or, if there is none, of the first audio frame.
    package var firstFrame: Int?

    package init() {}
}
