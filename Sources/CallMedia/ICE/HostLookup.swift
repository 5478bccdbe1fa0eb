internal import CallCore
internal import GLibKit

/// The result of a DNS lookup that decides whether a server may be used.
enum HostLookup: Hashable, Sendable {
    /// The name has addresses; the value is the reach of the nearest one.
    case found(HostReach)
    /// The name does not exist, so the connection will fail for the same reason.
    case unknown
    /// The lookup did not finish within `limit`.
    case late

    /// The maximum duration of a lookup, which delays the setup of the call.
    private static let limit = Duration.seconds(2)

    /// Looks all names up concurrently.
    static func all(_ names: Set<String>) async -> [String: HostLookup] {
        await withTaskGroup(of: (String, HostLookup).self) { group in
            for name in names { group.addTask { (name, await HostLookup(name)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private init(_ name: String) async {
        self = await withTaskGroup(of: HostLookup.self) { group in
            group.addTask {
                let addresses = (try? await NameResolver.addresses(of: name)) ?? []
                // An address in an unknown form counts as the nearest possible.
                return addresses.map { HostReach(address: $0) ?? .loopback }.min().map { .found($0) }
                    ?? .unknown
            }
            group.addTask {
                try? await Task.sleep(for: Self.limit)
                return .late
            }
            defer { group.cancelAll() }
            return await group.next() ?? .late
        }
    }
}
