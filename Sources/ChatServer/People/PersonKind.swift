/// The kind of a person, by the ID.
package enum PersonKind: Hashable, Sendable {
    /// A person who is played by the server.
    case simulated
    /// A client without an account.
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
