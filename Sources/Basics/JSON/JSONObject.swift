/// The members of a JSON object, in order of appearance.
public struct JSONObject: Hashable, Sendable {
    private struct Member: Hashable, Sendable {
        let key: String
        var value: JSON
    }

    /// A member name, compared by its bytes like all member names; this is faster than a Unicode comparison.
    private struct Name: Hashable {
        let text: String

        static func == (left: Name, right: Name) -> Bool { left.text.hasSameBytes(as: right.text) }

        func hash(into hasher: inout Hasher) {
            let bytes: Void? = text.utf8.withContiguousStorageIfAvailable {
                hasher.combine(bytes: UnsafeRawBufferPointer($0))
            }
            if bytes == nil { for byte in text.utf8 { hasher.combine(byte) } }
        }
    }

    private var members: [Member] = []

    /// Creates an empty object.
    public init() {}

    /// Creates an object; a repeated name keeps its first position and its last value.
    public init(_ pairs: some Sequence<(String, JSON)>) {
        members.reserveCapacity(pairs.underestimatedCount)
        // Large objects use a dictionary instead of a linear search, so that a hostile object takes only
        // linear time.
        var positions: [Name: Int] = [:]
        for (key, value) in pairs {
            let isSearched = members.count < Self.searchedCount
            let known = isSearched ? position(of: key) : positions[Name(text: key)]
            if let position = known {
                members[position].value = value
                continue
            }
            members.append(Member(key: key, value: value))
            if !isSearched {
                positions[Name(text: key)] = members.count - 1
            } else if members.count == Self.searchedCount {
                for (position, member) in members.enumerated() {
                    positions[Name(text: member.key)] = position
                }
            }
        }
    }

    private static let searchedCount = 8

    private func position(of key: String) -> Int? { members.firstIndex { $0.key.hasSameBytes(as: key) } }

    /// The value of a member; setting nil removes the member.
    public subscript(key: String) -> JSON? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: RandomAccessCollection {
    /// The position of the first member.
    public var startIndex: Int { members.startIndex }

    /// The position after the last member.
    public var endIndex: Int { members.endIndex }

    /// The member at a position.
    public subscript(position: Int) -> (key: String, value: JSON) {
        (members[position].key, members[position].value)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members in order; a repeated name keeps the last value.
    public init(dictionaryLiteral pairs: (String, JSON)...) { self.init(pairs) }
}

extension String {
    fileprivate func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
