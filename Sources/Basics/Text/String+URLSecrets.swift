extension String {
    /// The text of a URL without secrets, which may be shown and logged.
    ///
    /// It lacks user, password, fragment and the values of the query, because tokens occur in all of them.
    package var withoutURLSecrets: String {
        let beforeFragment = prefix { $0 != "#" }
        let address = beforeFragment.prefix { $0 != "?" }
        let query = beforeFragment.dropFirst(address.count + 1).split(separator: "&").map { field in
            let name = String(field.prefix { $0 != "=" })
            // A field without `=` is hidden entirely, because it may be a token.
            return name.utf8.count < field.utf8.count ? "\(name)=(hidden)" : "(hidden)"
        }
        let shown = Self.withoutUser(address)
        return query.isEmpty ? shown : "\(shown)?\(query.joined(separator: "&"))"
    }

    private static func withoutUser(_ address: Substring) -> String {
        let parts = address.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        // Only an `@` in the host part ends the user information. Without a scheme, the first part is the
        // host.
        let host = parts.count > 2 && parts[1].isEmpty ? 2 : 0
        guard let end = parts[host].lastIndex(of: "@") else { return String(address) }
        var shown = parts
        shown[host] = String(parts[host][parts[host].index(after: end)...])
        return shown.joined(separator: "/")
    }
}
