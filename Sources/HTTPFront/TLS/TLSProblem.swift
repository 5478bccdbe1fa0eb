/// An error that makes the given TLS credentials unusable.
package struct TLSProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
