/// The kind of a person, which follows from the ID.
package enum PersonKind: Hashable, Sendable {
    /// A person simulated by the server.
    case simulated
    /// A person without an account.
    case guest
    case account

    package static let firstAccount = 1000

    package init(_ id: Int) {
        self =
            switch id {
            case ...SimulatedPeople.count: .simulated
            case Self.firstAccount...: .account
            default: .guest
            }
    }
}
