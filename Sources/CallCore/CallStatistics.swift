/// One second of a call, both directions; bit rates in bits per second.
package struct CallStatistics: Hashable, Sendable {
    package struct Incoming: Hashable, Sendable {
        package var codec = ""
        package var bitrate = 0
        /// Since the call began, like `frames` and `lost`.
        package var packets = 0
        package var lost = 0
        package var jitterMs = 0.0
        // Video only.
        package var fps = 0.0
        package var frames = 0
        package var width = 0
        package var height = 0
        package var freezes = 0
        /// Audio only: the second's root mean square in dBov (−127…0), where it is decoded.
        package var level: Double?

        package init() {}
    }

    package struct Outgoing: Hashable, Sendable {
        package var codec = ""
        package var bitrate = 0
        /// Since the call began, like `frames`.
        package var packets = 0
        package var frames = 0
        package var fps = 0.0
        package var passthrough = false
        /// Audio only: the second's root mean square in dBov (−127…0), where it is encoded here or muted.
        package var level: Double?

        package init() {}
    }

    package var videoIn: Incoming?
    package var videoOut: Outgoing?
    package var audioIn: Incoming?
    package var audioOut: Outgoing?
    package var rttMs: Double?

    package init() {}
}
