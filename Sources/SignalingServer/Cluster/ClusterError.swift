/// The error for an invalid Redis configuration.
package struct ClusterError: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: String

    init(_ reason: String) { self.reason = reason }

    package var description: String { "Redis cannot be used: \(reason)" }
}
