package import Basics

/// A file that a user sends to a person, until the server has stored its message.
package struct OutgoingFile: Hashable, Sendable {
    /// The ID of the message.
    package let id: String
    package let path: String
    package let peer: Int
    /// The file on the server; nil until it is there.
    package var media: ChatMedia?
    /// Whether it was not sent, and is only sent when the user asks for it.
    package var isNotSent = false
    /// Whether the user has recorded it as a voice message, whose text is empty.
    package var isVoice = false

    package init(id: String, path: String, peer: Int, media: ChatMedia? = nil) {
        (self.id, self.path, self.peer, self.media) = (id, path, peer, media)
    }

    /// Reads a file that was kept; nil if it is none.
    package init?(_ json: JSON) {
        guard let id = json["id"]?.stringValue, ChatLimits.isMessageID(id),
            let path = json["path"]?.stringValue, !path.isEmpty,
            let peer = json["peer"]?.intValue, peer > 0
        else { return nil }
        self.init(id: id, path: path, peer: peer, media: json["media"].flatMap { try? ChatMedia($0) })
        isNotSent = json["isNotSent"]?.boolValue ?? false
        isVoice = json["isVoice"]?.boolValue ?? false
    }

    package var json: JSON {
        var members: JSONObject = ["id": .string(id), "path": .string(path), "peer": .int(peer)]
        if let media { members["media"] = media.json }
        if isNotSent { members["isNotSent"] = true }
        if isVoice { members["isVoice"] = true }
        return .object(members)
    }
}
