/// The members of a JSON object, in order of appearance.
public struct JSONObject: Hashable, Sendable {
    private struct Member: Hashable, Sendable {
        let key: String
        var value: JSON
    }

    private var members: [Member] = []

    /// Creates an empty object.
    public init() {}

    /// Creates an object; a repeated name keeps its first position and its last value.
    public init(_ pairs: some Sequence<(String, JSON)>) {
        members.reserveCapacity(pairs.underestimatedCount)
        // Large objects use a dictionary instead of a linear search, so that a hostile object takes only
        // linear time.
        var positions: [String: Int] = [:]
        for (key, value) in pairs {
            let isSearched = members.count < Self.searchedCount
            if let position = isSearched ? members.firstIndex(where: { $0.key == key }) : positions[key] {
                members[position].value = value
                continue
            }
            members.append(Member(key: key, value: value))
            if !isSearched {
                positions[key] = members.count - 1
            } else if members.count == Self.searchedCount {
                for (position, member) in members.enumerated() { positions[member.key] = position }
            }
        }
    }

    private static let searchedCount = 8

    /// The value of a member; setting nil removes the member.
    public subscript(key: String) -> JSON? {
        get { members.first { $0.key == key }?.value }
        set {
            switch (members.firstIndex { $0.key == key }, newValue) {
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
