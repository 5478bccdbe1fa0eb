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
}

/// The files of messages that are fetched, saved or sent.
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

    /// A file on its way to the server.
    package struct Upload: Hashable, Sendable {
        package let id: Int
        package let path: String
        /// The other person of the conversation.
        package let peer: Int
        /// The file on the server; it is sent when its conversation is open.
        package var media: ChatMedia?
        package var failure: ChatError?

        /// The name of the file.
        package var name: String { path.split(separator: "/").last.map { String($0) } ?? path }
    }

    /// The number of decoded pictures that are kept; the oldest ones are decoded again when they are shown.
    static let mostPictures = 48
    /// The maximum number of files that wait in all conversations.
    static let mostUploads = 32

    /// The pictures by the ID of the file.
    package private(set) var pictures: [String: Picture] = [:]
    private var order: [String] = []
    /// The files that are being saved, or were, by ID.
    package var savings: [String: Saving] = [:]
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

    /// Adds a file to send; nil if too many wait.
    mutating func add(_ path: String, to peer: Int) -> Upload? {
        guard uploads.count < Self.mostUploads else { return nil }
        lastUpload += 1
        let upload = Upload(id: lastUpload, path: path, peer: peer)
        uploads.append(upload)
        return upload
    }

    /// Tries a file again that was not sent; returns it.
    mutating func retry(_ id: Int) -> Upload? {
        guard let index = uploads.firstIndex(where: { $0.id == id && $0.failure != nil }) else { return nil }
        uploads[index].failure = nil
        return uploads[index]
    }

    /// Notes that the server has a file.
    mutating func didUpload(_ id: Int, _ media: ChatMedia) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].media = media }
    }

    mutating func fail(_ id: Int, _ error: ChatError) {
        if let index = uploads.firstIndex(where: { $0.id == id }) { uploads[index].failure = error }
    }

    mutating func removeUpload(_ id: Int) { uploads.removeAll { $0.id == id } }

    /// Removes and returns the files that the server has and the other person does not.
    mutating func takeUploaded(to peer: Int) -> [Upload] {
        let done = uploads.filter { $0.peer == peer && $0.media != nil }
        uploads.removeAll { $0.peer == peer && $0.media != nil }
        return done
    }
}
