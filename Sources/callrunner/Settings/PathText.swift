internal import CallMedia

/// Parsers for port ranges and network interfaces on the command line.
enum PathText {
    /// Parses a port range: `MIN-MAX`, or a single port.
    ///
    /// - Throws: `SettingText.Problem`.
    static func ports(_ text: String) throws -> ClosedRange<Int> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) ?? 0 }
        guard (1...2).contains(ends.count), let first = ends.first, let last = ends.last, first > 0,
            first <= last
        else { throw SettingText.Problem("“\(text)” is not a port range; write MIN-MAX, as in 40000-40100") }
        return Int(first)...Int(last)
    }

    /// Parses the name of a network interface, or an IP address with or without brackets.
    ///
    /// - Throws: `SettingText.Problem`.
    static func interface(_ text: String) throws -> String {
        let name = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        guard !name.isEmpty, name.utf8.count <= 45, !name.contains(where: { $0.isWhitespace || $0 == "/" })
        else {
            throw SettingText.Problem(
                "“\(text)” is not a network interface; write its name, such as eth0, or one of its IP addresses"
            )
        }
        return name
    }
}
