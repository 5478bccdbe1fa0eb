internal import GStreamerKit

/// The kind of an element's error, which determines the consequence for the attempt.
package enum ElementFault: Hashable {
    /// A packet from the peer is malformed; later ones can still be read.
    case packet
    /// The DTLS handshake failed, or the encryption that it set up is broken.
    case encryption
    case pipeline

    /// Classifies an error by the factory name of the element that reported it.
    package init(factory: String) {
        if Element.isDepayloader(factory) {
            self = .packet
        } else if ["dtlsdec", "dtlsenc"].contains(factory) {
            self = .encryption
        } else {
            self = .pipeline
        }
    }
}
