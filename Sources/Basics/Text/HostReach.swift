/// The widest network from which a host can be reached.
package enum HostReach: Int, Hashable, Sendable, Comparable {
    /// This host (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3), and addresses that refer to it.
    case loopback
    /// A private network (RFC 1918, RFC 6598, RFC 3927, RFC 4193), and link-local and multicast addresses.
    case privateNetwork
    case internet

    package static func < (left: HostReach, right: HostReach) -> Bool { left.rawValue < right.rawValue }

    /// Determines the reach of a name, or of an address in any form that a resolver accepts.
    ///
    /// An IPv6 address must have no brackets. Names are not resolved.
    package init(host: String) {
        if let address = HostReach(address: host) {
            self = address
            return
        }
        let labels = host.lowercased().split(separator: ".")
        guard let last = labels.last else {
            self = .loopback
            return
        }
        let isNumber = last.first?.isNumber ?? false
        // A name with percent signs may be the encoded form of any other name.
        if isNumber || host.utf8.contains(UInt8(ascii: "%")) || Self.namesOfLoopback.contains(String(last)) {
            // Resolvers disagree about malformed numeric addresses, so they may refer to this host.
            self = .loopback
        } else if labels.count == 1 || Self.privateZones.contains(String(last))
            || labels.suffix(2) == ["home", "arpa"]
        {
            self = .privateNetwork
        } else {
            self = .internet
        }
    }

    /// Determines the reach of an IPv4 or IPv6 address; nil for anything else.
    package init?(address: String) {
        if let ipv4 = Self.ipv4(address[...]) {
            self.init(ipv4: ipv4)
        } else if let groups = Self.ipv6(address) {
            self.init(ipv6: groups)
        } else {
            return nil
        }
    }

    /// The loopback names of RFC 6761 §6.3 and of Debian's /etc/hosts.
    private static let namesOfLoopback: Set = [
        "localhost", "localdomain", "ip6-localhost", "ip6-loopback", "loopback",
    ]
    /// The private zones of RFC 6762 §3 and appendix G, and those that ICANN has reserved.
    private static let privateZones: Set = [
        "local", "internal", "lan", "home", "corp", "intranet", "private",
    ]

    private init(ipv4: UInt32) {
        func isIn(_ network: UInt32, _ bits: UInt32) -> Bool {
            ipv4 >> (32 - bits) == network >> (32 - bits)
        }
        if isIn(0x7F00_0000, 8) || isIn(0, 8) {
            self = .loopback
        } else if isIn(0x0A00_0000, 8) || isIn(0xAC10_0000, 12) || isIn(0xC0A8_0000, 16)
            || isIn(0xA9FE_0000, 16) || isIn(0x6440_0000, 10) || isIn(0xE000_0000, 3)
        {
            // The last range contains multicast and broadcast.
            self = .privateNetwork
        } else {
            self = .internet
        }
    }

    private init(ipv6 groups: [UInt16]) {
        func ipv4(at index: Int) -> HostReach {
            HostReach(ipv4: UInt32(groups[index]) << 16 | UInt32(groups[index + 1]))
        }
        let isMapped = groups[..<5].allSatisfy { $0 == 0 } && (groups[5] == 0 || groups[5] == 0xFFFF)
        if groups[..<7].allSatisfy({ $0 == 0 }), groups[7] < 2 {
            self = .loopback
        } else if isMapped || groups[..<6] == [0x64, 0xFF9B, 0, 0, 0, 0] {
            self = ipv4(at: 6)
        } else if groups[0] == 0x2002 {
            self = ipv4(at: 1)
        } else if groups[0] & 0xFE00 == 0xFC00 || groups[0] >= 0xFE80 {
            self = .privateNetwork
        } else {
            self = .internet
        }
    }

    /// Parses an IPv4 address as inet_aton(3) does: one to four numbers, each decimal, octal or hexadecimal.
    private static func ipv4(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap(number)
        guard (1...4).contains(parts.count), numbers.count == parts.count, let last = numbers.last else {
            return nil
        }
        let lastBits = 32 - 8 * (parts.count - 1)
        guard numbers.dropLast().allSatisfy({ $0 < 256 }), last >> lastBits == 0 else { return nil }
        let first = numbers.dropLast().reduce(0) { $0 << 8 | $1 }
        return UInt32(truncatingIfNeeded: first << lastBits | last)
    }

    private static func number(_ text: Substring) -> UInt64? {
        let lower = text.lowercased()
        var (digits, radix) = (lower[...], 10)
        if lower.hasPrefix("0x") {
            (digits, radix) = (lower.dropFirst(2), 16)
        } else if lower.hasPrefix("0"), lower != "0" {
            (digits, radix) = (lower.dropFirst(), 8)
        }
        guard !digits.isEmpty, digits.count <= 12, digits.allSatisfy(\.isHexDigit) else { return nil }
        return UInt64(digits, radix: radix)
    }

    /// Parses the eight groups of an IPv6 address (RFC 4291 §2.2), whose last two may be written as IPv4.
    private static func ipv6(_ text: String) -> [UInt16]? {
        guard text.contains(":") else { return nil }
        var text = text[...]
        var tail: [UInt16] = []
        if let colon = text.lastIndex(of: ":"), text[colon...].contains(".") {
            let last = text[text.index(after: colon)...]
            guard last.count(where: { $0 == "." }) == 3, let ipv4 = ipv4(last) else { return nil }
            tail = [UInt16(truncatingIfNeeded: ipv4 >> 16), UInt16(truncatingIfNeeded: ipv4)]
            // If the rest ends with a double colon, which stands for zeros, both colons are kept.
            let rest = text[..<colon]
            text = rest.hasSuffix(":") ? text[...colon] : rest
        }
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = groups(halves[0]), let second = halves.count == 2 ? groups(halves[1]) : [] else {
            return nil
        }
        let known = first.count + second.count + tail.count
        guard halves.count == 2 ? known < 8 : known == 8 else { return nil }
        return first + Array(repeating: 0, count: 8 - known) + second + tail
    }

    private static func groups(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let groups = parts.compactMap { part in
            part.count <= 4 && part.allSatisfy(\.isHexDigit) ? UInt16(part, radix: 16) : nil
        }
        return groups.count == parts.count ? groups : nil
    }
}
