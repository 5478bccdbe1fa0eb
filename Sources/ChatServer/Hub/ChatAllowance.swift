internal import ChatCore
internal import HTTPFront
internal import NIOCore

/// The rate limits of one person: frames, received bytes, opened sockets and stored text.
struct ChatAllowance: Sendable {
    private static let frameRate = TokenRate(
        perSecond: Double(ChatLimits.framesPerSecond),
        capacity: Double(ChatLimits.burst)
    )
    private static let byteRate = TokenRate(perSecond: 500_000, capacity: 2_000_000)
    private static let openingRate = TokenRate(perSecond: 5, capacity: 40)
    /// The rate of stored bytes, limited so that no person can fill the disk.
    private static let storageRate = TokenRate(
        perSecond: Double(ChatLimits.storedPerSecond),
        capacity: Double(ChatLimits.storedAtOnce)
    )
    /// The number of bytes that a message occupies on disk in addition to its text.
    private static let rowBytes = 256
    /// The maximum time for which later messages are refused while the client has not resent a refused message.
    ///
    /// It is longer than the delay after which clients resend.
    private static let patience = TimeAmount.seconds(3)
    /// The time after which all limits except that for storage have recovered completely.
    private static let recovery = TimeAmount.seconds(10)

    private var frames = TokenBucket()
    private var bytes = TokenBucket()
    private var openings = TokenBucket()
    private var storage = TokenBucket()
    private var refused: (id: String, end: NIODeadline)?
    private var lastUse = NIODeadline.distantPast

    mutating func takeOpening(at time: NIODeadline) -> Bool {
        lastUse = time
        return openings.take(of: Self.openingRate, at: time)
    }

    /// Deducts the length of a frame before the frame is parsed; returns false if the limit is exceeded.
    mutating func takeBytes(_ count: Int, at time: NIODeadline) -> Bool {
        lastUse = time
        return bytes.take(count, of: Self.byteRate, at: time)
    }

    mutating func takeFrame(at time: NIODeadline) -> Bool {
        lastUse = time
        return frames.take(of: Self.frameRate, at: time)
    }

    /// Deducts a text that is to be stored; returns false if the limit is exceeded.
    mutating func takeStorage(_ text: String, at time: NIODeadline) -> Bool {
        lastUse = time
        return storage.take(text.utf8.count + Self.rowBytes, of: Self.storageRate, at: time)
    }

    /// Deducts a message with the given client-assigned ID; returns false if the message is refused.
    ///
    /// After a refused message, later messages are refused as well until it is resent, so that messages are stored in
    /// their original order.
    mutating func takeMessage(_ id: String, _ text: String, at time: NIODeadline) -> Bool {
        guard refused.map({ $0.id == id || $0.end <= time }) ?? true, takeFrame(at: time),
            takeStorage(text, at: time)
        else {
            refuse(id, at: time)
            return false
        }
        refused = nil
        return true
    }

    /// Records that a message was temporarily refused.
    mutating func refuse(_ id: String, at time: NIODeadline) {
        guard refused.map({ $0.id == id || $0.end <= time }) ?? true else { return }
        refused = (id, time + Self.patience)
    }

    /// Returns whether the allowance equals a new one, so that it can be removed.
    func isWhole(at time: NIODeadline) -> Bool {
        lastUse + Self.recovery <= time && storage.isFull(of: Self.storageRate, at: time)
    }
}
