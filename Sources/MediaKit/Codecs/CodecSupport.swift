/// The support for one codec on this computer, determined by trial encoding.
package struct CodecSupport: Hashable, Sendable {
    /// An encoder template that was tried.
    package struct Encoder: Hashable, Sendable {
        /// The name of the template below `pipelines/encoders/`.
        package var name: String
        package var isHardware: Bool
        /// The factory name of the encoder element; nil if it could not be created.
        package var element: String?
        /// The reason why the encoder is not used; nil if it produces keyframes.
        package var reason: String?

        package var works: Bool { reason == nil }

        /// The result of the trial as text for users.
        package var verdict: String {
            let what = element.map { "works (\($0))" } ?? "works"
            return reason.map { "not used: \($0)" } ?? what
        }
    }

    package var codec: Codec
    /// Whether files in this codec are sent without re-encoding.
    package var passesThrough: Bool
    /// The encoder templates that were tried, in order of preference.
    package var tried: [Encoder]
    /// The factory name of the element that decodes the codec; nil if there is none.
    package var decoder: String?

    /// The factory name of the encoder element that calls use; nil if none works.
    package var encoder: String? { tried.first { $0.works }?.element }
}
