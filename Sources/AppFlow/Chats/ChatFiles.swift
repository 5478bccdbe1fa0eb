package import ChatCore

/// The storage of message files on the user's computer.
package protocol ChatFiles: Sendable {
    /// Fetches and decodes a picture.
    ///
    /// - Throws: `ChatError`.
    func picture(_ media: ChatMedia) async throws(ChatError) -> UserPicture

    /// Downloads a file to the user's download folder without replacing another file.
    ///
    /// - Returns: The file's path.
    /// - Throws: `ChatError`.
    func save(_ media: ChatMedia, as name: String) async throws(ChatError) -> String

    /// Downloads a file for playback; it is readable only by the user, and exists until `forget(_:)` is called.
    ///
    /// - Returns: The file's path.
    /// - Throws: `ChatError`.
    func fetch(_ media: ChatMedia) async throws(ChatError) -> String

    /// Deletes a file that was downloaded for playback, or a voice message that is no longer needed.
    func forget(_ path: String) async

    /// Creates an empty file for a new voice message, which exists until `forget(_:)` is called.
    ///
    /// - Returns: The file's path.
    /// - Throws: `ChatError` if its folder cannot be written.
    func newVoice(_ id: String, for peer: Int) async throws(ChatError) -> String

    /// Lists the voice messages that earlier processes have recorded and not sent.
    func leftVoices() async -> [OutgoingFile]
}

/// The states of the files of messages: pictures, saved files, the audio being played, and uploads.
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

    /// A file that is being uploaded and sent to another person.
    package struct Upload: Hashable, Sendable {
        package let id: Int
        /// The file and its message, as stored on disk.
        package var file: OutgoingFile
        package var failure: ChatError? {
            didSet { file.isNotSent = failure != nil }
        }
        /// The number of the inbox connection that last sent the message; nil if none has.
        var sentBy: Int?
        /// Whether the open conversation sends and displays the message.
        var isHandedOver = false

        package var path: String { file.path }
        package var peer: Int { file.peer }
        /// The name of the file; empty for a voice message.
        package var name: String {
            file.isVoice ? "" : path.split(separator: "/").last.map { String($0) } ?? path
        }
    }

    /// The maximum number of decoded pictures in memory; an evicted picture is decoded again when it is shown.
    static let mostPictures = 48
    /// The maximum number of files waiting to be sent in all conversations.
    static let mostUploads = 32
    /// The failure of a file that was not sent before the app ended.
    static let notSent = ChatError.refused(code: "not_sent", message: "not sent before the app was closed")

    /// The pictures by the ID of the file.
    package private(set) var pictures: [String: Picture] = [:]
    private var order: [String] = []
    /// The states of the files that are being saved or have been saved, by file ID.
    package var savings: [String: Saving] = [:]
    /// The audio or video that is being loaded or played, or is paused; nil if there is none.
    package var sound: ChatSound?
    /// Whether the app can play audio and video.
    package var playsSounds = false
    package private(set) var uploads: [Upload] = []
    private var lastUpload = 0

    package init() {}

    /// Marks a picture as loading.
    ///
    /// - Returns: False if it is loaded or being loaded, or if it has failed and `again` is false.
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

    /// Stores the result of loading a picture, unless the picture was evicted in the meantime.
    mutating func finish(_ id: String, _ picture: Picture) {
        if pictures[id] != nil { pictures[id] = picture }
    }

    /// Whether a picture is being loaded and has not been evicted.
    func isLoading(_ id: String) -> Bool { pictures[id] == .loading }

    var hasRoom: Bool { uploads.count < Self.mostUploads }

    /// Adds a file to send; returns nil if too many files are waiting.
    mutating func add(_ path: String, to peer: Int) -> Upload? {
        guard hasRoom else { return nil }
        return add(OutgoingFile(id: OutgoingMessage.newID(), path: path, peer: peer))
    }

    /// Adds a stored file; if it is marked as not sent, its failure is `notSent`.
    @discardableResult
    mutating func add(_ file: OutgoingFile) -> Upload {
        lastUpload += 1
        let upload = Upload(id: lastUpload, file: file, failure: file.isNotSent ? Self.notSent : nil)
        uploads.append(upload)
        return upload
    }

    /// Clears the failure of a file so that it is sent again; returns nil if there is no such failed file.
    mutating func retry(_ id: Int) -> Upload? {
        guard let index = uploads.firstIndex(where: { $0.id == id && $0.failure != nil }) else { return nil }
        (uploads[index].failure, uploads[index].sentBy, uploads[index].isHandedOver) = (nil, nil, false)
        return uploads[index]
    }

    /// Records that a file has been uploaded.
    mutating func didUpload(_ id: Int, _ media: ChatMedia) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].file.media = media }
    }

    mutating func fail(_ id: Int, _ error: ChatError) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].failure = error }
    }

    mutating func removeUpload(_ id: Int) { uploads.removeAll { $0.id == id } }

    /// Removes the file whose message the server has stored, by the ID of the message.
    mutating func didSend(_ message: String) { uploads.removeAll { $0.file.id == message } }

    /// Handles the refusal of a message; returns whether to send the message again after a pause.
    mutating func refuse(_ message: String, _ error: ChatError) -> Bool {
        guard let index = uploads.firstIndex(where: { $0.file.id == message }) else { return false }
        uploads[index].sentBy = nil
        if case .refused(let code, _) = error, ["busy", "too_fast"].contains(code) { return true }
        uploads[index].failure = error
        if error.isOfMissingFile { uploads[index].file.media = nil }
        return false
    }

    /// Handles the refusal of a message that its conversation has sent.
    ///
    /// - Returns: Whether the conversation must discard the message, because the upload will send it again: the file
    ///   must be uploaded anew, or it is a voice message, of which no other copy exists.
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

    /// Returns the uploaded files whose messages were sent neither by this inbox connection nor by their conversation.
    func unsent(by opening: Int) -> [Upload] {
        uploads.filter { upload in
            upload.file.media != nil && upload.failure == nil && upload.sentBy != opening
                && !upload.isHandedOver
        }
    }

    /// Passes a message to the open conversation; the upload remains until the server has stored the message.
    mutating func handOver(_ id: Int) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].isHandedOver = true }
    }

    /// Takes back the messages that a conversation has not sent before its end.
    mutating func takeBack(from peer: Int) {
        for index in uploads.indices where uploads[index].peer == peer { uploads[index].isHandedOver = false }
    }

    /// Returns the files for a person that the conversation does not show as messages.
    package func shown(to peer: Int) -> [Upload] { uploads.filter { $0.peer == peer && !$0.isHandedOver } }

    mutating func didSend(_ id: Int, by opening: Int) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].sentBy = opening }
    }

    /// Whether a file is being sent to a person; nil without files for this person, false if all of them have failed.
    package func isSending(to peer: Int) -> Bool? {
        let files = uploads.filter { $0.peer == peer }
        return files.isEmpty ? nil : files.contains { $0.failure == nil }
    }
}

extension ChatError {
    /// Whether the server does not have the file of a message, for example because the server has evicted it.
    fileprivate var isOfMissingFile: Bool {
        if case .refused("no_media", _) = self { true } else { false }
    }
}
