/// The role of a participant in a call; a call has one participant of each role.
package enum Role: String, Hashable, Sendable, CaseIterable {
    case caller, callee

    package var opposite: Role { self == .caller ? .callee : .caller }
}
