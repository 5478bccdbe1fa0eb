internal import FoundationEssentials
internal import NIOCore

/// The address and credentials of a Redis server: `redis[s]://[user:password@]host[:port][/db]`.
package struct RedisAddress: Hashable, Sendable {
    package static let defaultPort = 6379

    package var isSecure: Bool
    package var host: String
    /// The TCP port, 1…65535.
    package var port: Int
    /// The user name; nil for the user `default`.
    package var user: String?
    package var password: String?
    /// The index of the Redis database (`SELECT`).
    package var database: Int

    /// Parses a URL.
    ///
    /// - Throws: `RedisAddressError`, which never contains the password.
    package init(_ text: String) throws(RedisAddressError) {
        guard let url = URLComponents(string: text) else { throw .notURL }
        switch url.scheme?.lowercased() {
        case "redis": isSecure = false
        case "rediss": isSecure = true
        default: throw .scheme
        }
        guard let host = url.host, !host.isEmpty else { throw .noHost }
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        port = url.port ?? Self.defaultPort
        guard (1...65_535).contains(port) else { throw .port }
        user = url.user.flatMap { $0.isEmpty ? nil : $0 }
        password = url.password.flatMap { $0.isEmpty ? nil : $0 }
        guard user == nil || password != nil else { throw .userWithoutPassword }
        let path = url.path.drop { $0 == "/" }
        guard path.isEmpty || Int(path).map({ (0...65_535).contains($0) }) == true else { throw .database }
        database = Int(path) ?? 0
        guard url.query == nil, url.fragment == nil else { throw .excess }
    }
}

extension RedisAddress {
    /// Whether the password would be sent unencrypted over a network.
    package var exposesPassword: Bool { password != nil && !isSecure && !isLoopback }

    private var isLoopback: Bool {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return host == "localhost" || host == "::1" || isAddress && host.hasPrefix("127.")
    }
}

extension RedisAddress: CustomStringConvertible {
    /// The URL without user and password.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "rediss" : "redis")://\(name):\(port)" + (database == 0 ? "" : "/\(database)")
    }
}

/// An error for a text that is not a Redis address.
package enum RedisAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    case notURL, scheme, noHost, port, database, userWithoutPassword, excess

    package var description: String {
        switch self {
        case .notURL: "the text is not a URL"
        case .scheme: "the URL must begin with redis:// or rediss://"
        case .noHost: "the URL has no host"
        case .port: "the port must be between 1 and 65535"
        case .database: "the path must be the number of a database, as in /1"
        case .userWithoutPassword: "the URL has a user without a password; write user:password@"
        case .excess: "the URL must not have a query or a fragment"
        }
    }
}
