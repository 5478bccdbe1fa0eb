internal import Basics
internal import CallCore
internal import GLibKit

/// The result of a DNS lookup that decides whether a server may be used.
enum HostLookup: Hashable, Sendable {
    /// The name was resolved; the value is the smallest reach of its addresses.
    case found(HostReach)
    /// The name could not be resolved, so connecting to the server will fail too.
    case unknown
    /// The lookup did not finish within `limit`.
    case late

    /// The maximum duration of a lookup, which delays the setup of the call.
    private static let limit = Duration.seconds(2)

    /// Looks up all names concurrently.
    static func all(_ names: Set<String>) async -> [String: HostLookup] {
        await withTaskGroup(of: (String, HostLookup).self) { group in
            for name in names { group.addTask { (name, await HostLookup(name)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private init(_ name: String) async {
        let lookup = try? await withDeadline(Self.limit) { () -> HostLookup in
            let addresses = (try? await NameResolver.addresses(of: name)) ?? []
            // An address in an unknown form counts as loopback, the smallest reach.
            return addresses.map { HostReach(address: $0) ?? .loopback }.min().map { .found($0) } ?? .unknown
        }
        self = lookup ?? .late
    }
}
