/// How often what was asked for has been refused, by reason.
package struct RefusalCounts: Hashable, Sendable {
    /// Joins: `invalid_field`, `not_authorized`, `role_taken`, `room_full`, `server_draining`.
    package internal(set) var joins: [String: Int] = [:]
    /// Connections above the limit of all or of an address: `too_many`, `too_fast`.
    package internal(set) var connections: [String: Int] = [:]
    /// Connections closed because their address sent more messages than allowed.
    package internal(set) var floods = 0
}
