internal import AppFlow
package import ChatCore
package import WindowKit

extension Strings {
    /// Returns the name of a person; for a guest or a deleted account, it is translated.
    package func name(of person: ChatPerson) -> String {
        if person.isDeleted { return self["chats.deleted"] }
        guard ChatPerson.guests.contains(person.id), person.name == ChatPerson.guestName(person.id) else {
            return person.name
        }
        return self("chats.guest", ["number": "\(person.id)"])
    }

    /// Returns the name of the peer of a call, which is translated if it is that of a guest of the chat.
    package func name(ofPeer name: String?) -> String {
        guard let name else { return self["common.peer"] }
        let number = name.split(separator: " ").last.flatMap { Int($0) } ?? 0
        return self.name(of: ChatPerson(id: number, name: name))
    }

    /// Describes a message in one line: by its text, or by the kind of its file.
    @WindowActor func summary(of message: ChatMessage) -> String {
        if message.isDeleted { return self["chat.deleted"] }
        guard let view = MediaView(message, ChatTransfers()) else { return message.text }
        let words = view.media.kind == .file ? view.shownName : message.text
        let isShown = words.isBlank || view.hasName && view.media.kind != .file
        return isShown ? self["chat.file.\(view.kind)"] : words
    }

    /// Formats the size of a file.
    func size(ofBytes bytes: Int) -> String {
        if bytes < 1000 { return self("chat.size.bytes", ["size": "\(bytes)"]) }
        if bytes < 1_000_000 { return self("chat.size.kilobytes", ["size": "\((bytes + 500) / 1000)"]) }
        let tenths = (bytes + 50_000) / 100_000
        return self("library.size", ["size": "\(tenths / 10).\(tenths % 10)"])
    }
}
