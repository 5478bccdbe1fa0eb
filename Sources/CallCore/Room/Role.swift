/// The side of the call that a participant takes; a room holds one of each.
package enum Role: String, Hashable, Sendable, CaseIterable {
    case caller, callee

    package var opposite: Role { self == .caller ? .callee : .caller }
}
