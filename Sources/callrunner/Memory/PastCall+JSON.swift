internal import AppFlow
internal import Basics
internal import CallCore

extension PastCall {
    /// The maximum length of a peer's name in bytes.
    private static let longestName = 1024

    /// Creates a call; nil unless the JSON has a valid time, room and result.
    init?(_ json: JSON) {
        guard let began = json["began"]?.stringValue.flatMap({ Timestamp($0) }),
            let room = json["room"]?.intValue.flatMap({ try? RoomID($0) }),
            let isOutgoing = json["outgoing"]?.boolValue,
            let result = json["result"]?.stringValue.flatMap({ Result(name: $0, json["seconds"]?.intValue) })
        else { return nil }
        let peer = json["peer"]?.stringValue.flatMap { $0.utf8.count <= Self.longestName ? $0 : nil }
        self.init(peer: peer, room: room, isOutgoing: isOutgoing, began: began, result: result)
    }

    var json: JSON {
        [
            "peer": peer.map(JSON.string) ?? .null, "room": .int(room.value), "outgoing": .bool(isOutgoing),
            "began": .string("\(began)"), "result": .string(result.name),
            "seconds": result.seconds.map(JSON.int) ?? .null,
        ]
    }
}

extension PastCall.Result {
    fileprivate init?(name: String, _ seconds: Int?) {
        switch name {
        case "held": self = .held(seconds.map { .seconds(min(max(0, $0), 31_536_000)) })
        case "missed": self = .missed
        case "declined": self = .declined
        case "unanswered": self = .unanswered
        case "failed": self = .failed
        default: return nil
        }
    }

    fileprivate var name: String {
        switch self {
        case .held: "held"
        case .missed: "missed"
        case .declined: "declined"
        case .unanswered: "unanswered"
        case .failed: "failed"
        }
    }

    fileprivate var seconds: Int? {
        if case .held(let duration?) = self { Int(duration.components.seconds) } else { nil }
    }
}
