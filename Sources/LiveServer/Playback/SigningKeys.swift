internal import CryptoExtras
internal import FoundationEssentials
internal import HTTPFront
internal import Hummingbird
internal import ServerStore
internal import Synchronization

/// The keys that sign playback tokens.
final class SigningKeys: Sendable {
    /// A new key with its private half, which is not stored.
    struct NewKey {
        let record: SigningKeyRecord
        /// The private key in PEM.
        let privateKey: String
    }

    private struct Admission {
        let playbackID: String
        let key: String
        let expiry: Double
    }

    private struct State {
        var keys: [String: TokenKey] = [:]
        var records: [SigningKeyRecord] = []
        /// The tokens that were verified, because each segment is requested with one.
        var admissions: [String: Admission] = [:]
    }

    private static let most = 100
    /// The maximum number of tokens that are remembered.
    private static let mostAdmissions = 1000

    private let table: SigningKeyTable
    private let state = Mutex(State())

    /// Reads the stored keys.
    ///
    /// - Throws: `ServerStoreFailure`.
    init(_ database: ServerDatabase) async throws {
        table = SigningKeyTable(database: database)
        for record in try await table.all().reversed() { try await add(record) }
    }

    /// The keys, the newest first.
    var records: [SigningKeyRecord] { state.withLock(\.records) }

    /// Creates a key.
    ///
    /// - Throws: `LiveRefusal`, or `ServerStoreFailure`.
    func create() async throws -> NewKey {
        guard records.count < Self.most else {
            throw LiveRefusal.invalid("there are \(Self.most) signing keys")
        }
        guard table.database.folder.hasRoom else { throw LiveRefusal.full }
        // Finding the primes takes a tenth of a second.
        let pair = try await FileThreads.run { () -> (privateKey: String, publicKey: String)? in
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else { return nil }
            return (key.pemRepresentation, key.publicKey.pemRepresentation)
        }
        guard let pair else { throw LiveRefusal.unavailable }
        let record = SigningKeyRecord(
            id: StreamRecord.randomText(40),
            created: WallClock.seconds,
            publicKey: pair.publicKey
        )
        try await table.insert(record)
        try await add(record)
        return NewKey(record: record, privateKey: pair.privateKey)
    }

    private func add(_ record: SigningKeyRecord) async throws {
        guard let key = try? await TokenKey(rsa: record.publicKey) else {
            throw ServerStoreFailure.unusable(table.database.path, "a signing key is damaged")
        }
        state.withLock { state in
            state.keys[record.id] = key
            state.records.insert(record, at: 0)
        }
    }

    /// Deletes a key, whose tokens admit nobody from now on.
    ///
    /// - Throws: `LiveRefusal`, or `ServerStoreFailure`.
    func delete(_ id: String) async throws {
        guard try await table.delete(id) else { throw LiveRefusal.noSigningKey }
        state.withLock { state in
            state.keys[id] = nil
            state.records.removeAll { $0.id == id }
            state.admissions = state.admissions.filter { $0.value.key != id }
        }
    }

    /// Checks that a request with this token may play what has a playback ID and a policy.
    ///
    /// - Returns: The token that the addresses in a playlist need; nil if they need none.
    /// - Throws: `HTTPError` with the status 403.
    func admit(
        _ token: String?,
        to playbackID: String,
        _ policy: PlaybackPolicy,
        at time: Double = Double(WallClock.seconds)
    ) async throws(HTTPError) -> String? {
        guard policy == .signed else { return nil }
        guard let token else {
            throw HTTPError(.forbidden, message: "the playback ID is signed, and the address has no token")
        }
        guard await admits(token, to: playbackID, at: time) else {
            throw HTTPError(.forbidden, message: "the token is not valid, or not for this playback ID")
        }
        return token
    }

    private func admits(_ token: String, to playbackID: String, at time: Double) async -> Bool {
        if let known = state.withLock({ $0.admissions[token] }) {
            return known.playbackID == playbackID && time < known.expiry
        }
        guard let id = TokenKey.id(of: token), let key = state.withLock({ $0.keys[id] }),
            let claims = try? await key.verify(token, as: PlaybackClaims.self, at: time, leeway: 0),
            let expiry = claims.expiry, !claims.playbackID.isEmpty
        else { return false }
        state.withLock { state in
            // The key may have been deleted meanwhile.
            guard state.keys[id] != nil else { return }
            if state.admissions.count >= Self.mostAdmissions { state.admissions = [:] }
            state.admissions[token] = Admission(playbackID: claims.playbackID, key: id, expiry: expiry)
        }
        return claims.playbackID == playbackID
    }
}
