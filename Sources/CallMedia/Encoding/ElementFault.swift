/// What an element's error means for the attempt that it is part of.
enum ElementFault: Hashable {
    /// A packet of the peer cannot be read; what comes after it can.
    case packet
    /// The handshake has failed, or what was agreed in it is broken.
    case encryption
    case pipeline

    /// - Parameter factory: the name of what made the element.
    init(factory: String) {
        if factory.hasPrefix("rtp"), factory.hasSuffix("depay") {
            self = .packet
        } else if ["dtlsdec", "dtlsenc"].contains(factory) {
            self = .encryption
        } else {
            self = .pipeline
        }
    }
}
