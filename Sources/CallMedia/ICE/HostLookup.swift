internal import CallCore
internal import GLibKit

/// The result of a DNS lookup, as far as it decides whether a server may be used.
enum HostLookup: Hashable, Sendable {
    /// The reach of the nearest address.
    case found(HostReach)
    /// The name does not exist; the connection will fail for the same reason.
    case unknown
    /// No answer came within the limit.
    case late

    /// The call is not set up before.
    private static let limit = Duration.seconds(2)

    /// Looks all names up at once.
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
                // What has no known form is nearer than anything.
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
