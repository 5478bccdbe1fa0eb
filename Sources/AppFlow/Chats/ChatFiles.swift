package import ChatCore

/// The files of messages on the user's computer.
package protocol ChatFiles: Sendable {
    /// Fetches and decodes a picture.
    ///
    /// - Throws: `ChatError`.
    func picture(_ media: ChatMedia) async throws(ChatError) -> UserPicture

    /// Fetches a file into the user's folder for downloads; no other file is replaced.
    ///
    /// - Returns: The file's path.
    /// - Throws: `ChatError`.
    func save(_ media: ChatMedia, as name: String) async throws(ChatError) -> String

    /// Fetches a file to be played; it is private, and lasts until it is forgotten.
    ///
    /// - Returns: The file's path.
    /// - Throws: `ChatError`.
    func fetch(_ media: ChatMedia) async throws(ChatError) -> String

    /// Removes a file that was fetched to be played, or a voice message that is not needed any more.
    func forget(_ path: String) async

    /// Creates an empty file for a new voice message, which lasts until it is forgotten.
    ///
    /// - Returns: The file's path.
    /// - Throws: `ChatError` if its folder cannot be written.
    func newVoice(_ id: String, for peer: Int) async throws(ChatError) -> String

    /// Lists the voice messages of earlier processes, which were not sent as far as their files tell.
    func leftVoices() async -> [OutgoingFile]
}

/// The files of messages that are fetched, saved, played or sent.
package struct ChatTransfers: Hashable, Sendable {
    package enum Picture: Hashable, Sendable {
        case loading
        case shown(UserPicture)
        case failed(ChatError)
    }

    package enum Saving: Hashable, Sendable {
        case saving
        /// The path of the file.
        case saved(String)
        case failed(ChatError)
    }

    /// A file on its way to the server and to the other person.
    package struct Upload: Hashable, Sendable {
        package let id: Int
        /// The file, as it is kept.
        package var file: OutgoingFile
        package var failure: ChatError? {
            didSet { file.isNotSent = failure != nil }
        }
        /// The number of the inbox's connection by which the message was last sent.
        var sentBy: Int?
        /// Whether the open conversation sends and shows the message.
        var isHandedOver = false

        package var path: String { file.path }
        package var peer: Int { file.peer }
        /// The name of the file; empty for a voice message.
        package var name: String {
            file.isVoice ? "" : path.split(separator: "/").last.map { String($0) } ?? path
        }
    }

    /// The number of decoded pictures that are kept; the oldest ones are decoded again when they are shown.
    static let mostPictures = 48
    /// The maximum number of files that wait in all conversations.
    static let mostUploads = 32
    /// The failure of a file that was not sent before the app ended.
    static let notSent = ChatError.refused(code: "not_sent", message: "not sent before the app was closed")

    /// The pictures by the ID of the file.
    package private(set) var pictures: [String: Picture] = [:]
    private var order: [String] = []
    /// The files that are being saved, or were, by ID.
    package var savings: [String: Saving] = [:]
    /// The sound that plays, or is about to; nil for none.
    package var sound: ChatSound?
    /// Whether there is a player for sounds.
    package var playsSounds = false
    package private(set) var uploads: [Upload] = []
    private var lastUpload = 0

    package init() {}

    /// Begins to load a picture; false if it is loaded or on its way.
    mutating func load(_ id: String, again: Bool) -> Bool {
        switch pictures[id] {
        case .failed? where again: break
        case nil: order.append(id)
        case .loading, .shown, .failed: return false
        }
        pictures[id] = .loading
        if order.count > Self.mostPictures { pictures[order.removeFirst()] = nil }
        return true
    }

    /// Shows what has become of a picture, unless it was forgotten meanwhile.
    mutating func finish(_ id: String, _ picture: Picture) {
        if pictures[id] != nil { pictures[id] = picture }
    }

    /// Whether a picture is to be loaded, and was not forgotten meanwhile.
    func isLoading(_ id: String) -> Bool { pictures[id] == .loading }

    var hasRoom: Bool { uploads.count < Self.mostUploads }

    /// Adds a file to send; nil if too many wait.
    mutating func add(_ path: String, to peer: Int) -> Upload? {
        guard hasRoom else { return nil }
        return add(OutgoingFile(id: OutgoingMessage.newID(), path: path, peer: peer))
    }

    /// Adds a file that was kept; one that was not sent stays so.
    @discardableResult
    mutating func add(_ file: OutgoingFile) -> Upload {
        lastUpload += 1
        let upload = Upload(id: lastUpload, file: file, failure: file.isNotSent ? Self.notSent : nil)
        uploads.append(upload)
        return upload
    }

    /// Tries a file again that was not sent; returns it.
    mutating func retry(_ id: Int) -> Upload? {
        guard let index = uploads.firstIndex(where: { $0.id == id && $0.failure != nil }) else { return nil }
        (uploads[index].failure, uploads[index].sentBy, uploads[index].isHandedOver) = (nil, nil, false)
        return uploads[index]
    }

    /// Notes that the server has a file.
    mutating func didUpload(_ id: Int, _ media: ChatMedia) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].file.media = media }
    }

    mutating func fail(_ id: Int, _ error: ChatError) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].failure = error }
    }

    mutating func removeUpload(_ id: Int) { uploads.removeAll { $0.id == id } }

    /// Removes the file whose message has arrived, by the ID of the message.
    mutating func didSend(_ message: String) { uploads.removeAll { $0.file.id == message } }

    /// Takes the refusal of a message; returns whether it is to be sent again after a pause.
    mutating func refuse(_ message: String, _ error: ChatError) -> Bool {
        guard let index = uploads.firstIndex(where: { $0.file.id == message }) else { return false }
        uploads[index].sentBy = nil
        if case .refused(let code, _) = error, ["busy", "too_fast"].contains(code) { return true }
        uploads[index].failure = error
        if error.isOfMissingFile { uploads[index].file.media = nil }
        return false
    }

    /// Takes the refusal of a message that its conversation has sent, and keeps as not sent.
    ///
    /// - Returns: Whether the conversation is to discard the message: its file must be uploaded anew, or is a voice
    ///   message, which exists nowhere else.
    mutating func refuseHandedOver(_ message: String, _ error: ChatError) -> Bool {
        guard let index = uploads.firstIndex(where: { $0.file.id == message }),
            error.isOfMissingFile || uploads[index].file.isVoice
        else {
            didSend(message)
            return false
        }
        uploads[index].isHandedOver = false
        _ = refuse(message, error)
        return true
    }

    /// Returns the files that the server has, and whose messages were not sent by the connection of the inbox or by
    /// their conversation.
    func unsent(by opening: Int) -> [Upload] {
        uploads.filter { upload in
            upload.file.media != nil && upload.failure == nil && upload.sentBy != opening
                && !upload.isHandedOver
        }
    }

    /// Leaves a message to the open conversation; its file stays until the server has stored the message.
    mutating func handOver(_ id: Int) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].isHandedOver = true }
    }

    /// Takes back the messages that a conversation was to send, which has ended.
    mutating func takeBack(from peer: Int) {
        for index in uploads.indices where uploads[index].peer == peer { uploads[index].isHandedOver = false }
    }

    /// Returns the files for a person that the conversation does not show as messages.
    package func shown(to peer: Int) -> [Upload] { uploads.filter { $0.peer == peer && !$0.isHandedOver } }

    mutating func didSend(_ id: Int, by opening: Int) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].sentBy = opening }
    }

    /// Whether something is being sent to a person; nil if nothing is, false if nothing could be.
    package func isSending(to peer: Int) -> Bool? {
        let files = uploads.filter { $0.peer == peer }
        return files.isEmpty ? nil : files.contains { $0.failure == nil }
    }
}

extension ChatError {
    /// Whether the server does not have the file of a message, such as one that had to make room.
    fileprivate var isOfMissingFile: Bool {
        if case .refused("no_media", _) = self { true } else { false }
    }
}
