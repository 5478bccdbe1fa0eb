internal import Crypto
internal import FoundationEssentials
package import ServerStore

/// The encryption of stream keys, so that a copy of the database lets nobody publish.
package struct StreamKeyBox: Sendable {
    private static let file = "live.key"
    private static let length = 32

    private let key: SymmetricKey
    private let path: String

    /// Reads the secret from the data folder of the server, and creates it at the first start.
    ///
    /// - Throws: `ServerStoreFailure`.
    package init(_ folder: ServerFolder) throws(ServerStoreFailure) {
        path = folder.path(Self.file)
        if try folder.secret(Self.file) == nil {
            let new = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
            try folder.create(Self.file, new)
        }
        let bytes = try folder.secret(Self.file) ?? []
        guard bytes.count == Self.length else { throw .unusable(path, "it is not a key of this program") }
        key = SymmetricKey(data: bytes)
    }

    /// Encrypts a stream key, which can then be decrypted only for this stream.
    ///
    /// - Throws: `ServerStoreFailure`.
    func seal(_ streamKey: String, of stream: String) throws(ServerStoreFailure) -> Data {
        let sealed = try? AES.GCM.seal(
            Data(streamKey.utf8),
            using: key,
            authenticating: Data(stream.utf8)
        )
        guard let bytes = sealed?.combined else { throw .unusable(path, "a stream key cannot be encrypted") }
        return bytes
    }

    /// Decrypts a stream key.
    ///
    /// - Throws: `ServerStoreFailure` if it was encrypted with another secret.
    func open(_ sealed: Data, of stream: String) throws(ServerStoreFailure) -> String {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            let bytes = try AES.GCM.open(box, using: key, authenticating: Data(stream.utf8))
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw .unusable(path, "the stream keys in the database were encrypted with another key")
        }
    }
}
