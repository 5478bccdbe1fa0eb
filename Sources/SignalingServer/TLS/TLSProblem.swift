/// Why there is no TLS with what was given for it.
package struct TLSProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
