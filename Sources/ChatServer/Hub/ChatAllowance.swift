internal import ChatCore
internal import HTTPFront
internal import NIOCore

/// The frames and openings of sockets that a person may still use.
struct ChatAllowance: Sendable {
    private static let frameRate = TokenRate(
        perSecond: Double(ChatLimits.framesPerSecond),
        capacity: Double(ChatLimits.burst)
    )
    private static let byteRate = TokenRate(perSecond: 500_000, capacity: 2_000_000)
    private static let openingRate = TokenRate(perSecond: 5, capacity: 40)
    /// The bytes of texts that are stored for a person, who could else fill the disk in time.
    private static let storageRate = TokenRate(
        perSecond: Double(ChatLimits.storedPerSecond),
        capacity: Double(ChatLimits.storedAtOnce)
    )
    /// The bytes that a message takes on the disk beside its text.
    private static let rowBytes = 256
    /// The time for which a refused message is awaited; longer than clients wait before they send it again.
    private static let patience = TimeAmount.seconds(3)
    /// The time after which an allowance is whole again, except that for storage.
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

    /// Deducts the length of a frame, before it is read.
    mutating func takeBytes(_ count: Int, at time: NIODeadline) -> Bool {
        lastUse = time
        return bytes.take(count, of: Self.byteRate, at: time)
    }

    mutating func takeFrame(at time: NIODeadline) -> Bool {
        lastUse = time
        return frames.take(of: Self.frameRate, at: time)
    }

    /// Deducts a text that is to be stored.
    mutating func takeStorage(_ text: String, at time: NIODeadline) -> Bool {
        lastUse = time
        return storage.take(text.utf8.count + Self.rowBytes, of: Self.storageRate, at: time)
    }

    /// Deducts a message with an ID that the client has given.
    ///
    /// Messages after one that was refused are refused too until it comes again, because all would otherwise be stored in
    /// another order.
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

    /// Notes that a message was refused for now.
    mutating func refuse(_ id: String, at time: NIODeadline) {
        guard refused.map({ $0.id == id || $0.end <= time }) ?? true else { return }
        refused = (id, time + Self.patience)
    }

    /// Whether the allowance equals a new one, so that it can be removed.
    func isWhole(at time: NIODeadline) -> Bool {
        lastUse + Self.recovery <= time && storage.isFull(of: Self.storageRate, at: time)
    }
}
