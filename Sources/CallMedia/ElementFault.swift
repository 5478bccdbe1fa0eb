/// What an element's error means for the attempt that it is part of.
enum ElementFault: Hashable {
    /// A packet of the peer cannot be read; what comes after it can.
    case packet
    /// The handshake has failed, or what was agreed in it is broken.
    case encryption
    case pipeline

    /// - Parameter element: its name, which begins with its factory's.
    init(element: String) {
        let kind = String(element.reversed().drop(while: \.isNumber).reversed())
        if kind.hasPrefix("rtp"), kind.hasSuffix("depay") {
            self = .packet
        } else if ["dtlsdec", "dtlsenc"].contains(kind) {
            self = .encryption
        } else {
            self = .pipeline
        }
    }
}
