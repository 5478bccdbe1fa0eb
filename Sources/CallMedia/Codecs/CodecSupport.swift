/// What this machine can do with one codec, found out by doing it.
package struct CodecSupport: Hashable, Sendable {
    /// A description that was tried.
    package struct Encoder: Hashable, Sendable {
        /// Below `pipelines/encoders/`.
        package var name: String
        package var isHardware: Bool
        /// The element that encodes; nil where it could not be made.
        package var element: String?
        /// Why it is passed over; nil where it makes keyframes.
        package var reason: String?

        package var works: Bool { reason == nil }

        /// For people.
        package var verdict: String {
            let what = element.map { "works (\($0))" } ?? "works"
            return reason.map { "passed over: \($0)" } ?? what
        }
    }

    package var codec: Codec
    /// Whether files that hold it are sent as they are.
    package var passesThrough: Bool
    /// The descriptions that were tried, in the order of preference.
    package var tried: [Encoder]
    /// The element that shows or plays it; nil where there is none.
    package var decoder: String?

    /// The element that calls encode with; nil where none works.
    package var encoder: String? { tried.first { $0.works }?.element }
}
