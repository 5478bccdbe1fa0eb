package import Basics

/// A file that a user sends to a person; it exists until the server has stored its message.
package struct OutgoingFile: Hashable, Sendable {
    /// The ID of the message.
    package let id: String
    package let path: String
    package let peer: Int
    /// The uploaded file; nil until the upload is complete.
    package var media: ChatMedia?
    /// Whether sending has failed, so that the file is sent again only at the user's request.
    package var isNotSent = false
    /// Whether the file is a recorded voice message, which has no text.
    package var isVoice = false

    package init(id: String, path: String, peer: Int, media: ChatMedia? = nil) {
        (self.id, self.path, self.peer, self.media) = (id, path, peer, media)
    }

    /// Parses a stored file; nil if it is invalid.
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
