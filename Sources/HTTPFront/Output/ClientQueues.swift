package import NIOCore

/// The queued bytes of slow clients: output that they have not read, or input that they have not completed.
///
/// When the total exceeds the budget, the clients that the policy selects are disconnected. A client that makes no
/// progress within the timeout is disconnected too. Confined to the event loop.
package final class ClientQueues {
    /// The interval at which non-empty queues are checked.
    private static let interval = TimeAmount.seconds(1)
    /// The reciprocal of the fraction of the budget that is freed when it is exceeded, so that the queues are rarely
    /// sorted.
    private static let freedPart = 8

    /// The clients that are disconnected first when the budget is exceeded.
    package enum Policy: Hashable, Sendable {
        /// The client with the most bytes.
        case largest
        /// The client that has made no progress for the longest time at the address or network with the most bytes
        /// (`ClientAddress.network`).
        case slowestOfHeaviest
    }

    private let budget: Int
    private let policy: Policy
    private let timeout: TimeAmount
    private let eventLoop: any EventLoop
    private var queues: [any ClientQueue] = []
    /// The number of bytes in all queues, as last recorded.
    package private(set) var total = 0
    private var isWaking = false

    /// Creates the queues; `budget` is the maximum number of bytes in all queues, and `timeout` the time
    /// after which a client without progress is disconnected.
    package init(budget: Int, _ policy: Policy, timeout: TimeAmount, eventLoop: any EventLoop) {
        self.budget = budget
        self.policy = policy
        self.timeout = timeout
        self.eventLoop = eventLoop
    }

    /// The number of non-empty queues.
    package var count: Int { queues.count }

    /// Records how many bytes wait in a queue now, and whether there was progress since the last record.
    package func note(_ queue: any ClientQueue, bytes: Int, hasProgress: Bool = false) {
        total -= Int(queue.queueSeat.bytes)
        queue.queueSeat.bytes = UInt32(clamping: bytes)
        total += Int(queue.queueSeat.bytes)
        if bytes == 0 { return remove(queue) }
        if !queue.queueSeat.isTaken {
            queue.queueSeat.index = Int32(queues.count)
            queue.queueSeat.progress = eventLoop.now
            queues.append(queue)
            wakeLater()
        } else if hasProgress {
            queue.queueSeat.progress = eventLoop.now
        }
        if total > budget { dropWorst() }
    }

    private func dropWorst() {
        let goal = budget - budget / Self.freedPart
        // Dropping a queue may remove others from the records.
        for queue in worstFirst() where queue.queueSeat.isTaken {
            guard total > goal else { break }
            drop(queue, .overBudget)
        }
    }

    private func worstFirst() -> [any ClientQueue] {
        switch policy {
        case .largest: return queues.sorted { $0.queueSeat.bytes > $1.queueSeat.bytes }
        case .slowestOfHeaviest:
            let owners = queues.map { queue in queue.client.map { $0.network ?? $0 } }
            var bytes: [ClientAddress?: Int] = [:]
            for (queue, owner) in zip(queues, owners) {
                bytes[owner, default: 0] += Int(queue.queueSeat.bytes)
            }
            let shares = zip(queues, owners).map { (queue: $0, bytes: bytes[$1, default: 0]) }
            return shares.sorted { one, other in
                (-one.bytes, one.queue.queueSeat.progress) < (-other.bytes, other.queue.queueSeat.progress)
            }.map(\.queue)
        }
    }

    /// Removes a queue and its bytes from the records.
    package func remove(_ queue: any ClientQueue) {
        let seat = queue.queueSeat
        queue.queueSeat = ClientQueueSeat()
        guard seat.isTaken else { return }
        total -= Int(seat.bytes)
        let last = queues.removeLast()
        guard last !== queue else { return }
        queues[Int(seat.index)] = last
        last.queueSeat.index = seat.index
    }

    private func drop(_ queue: any ClientQueue, _ reason: SlowClient) {
        remove(queue)
        queue.dropQueue(reason)
    }

    private func wakeLater() {
        guard !isWaking else { return }
        isWaking = true
        eventLoop.assumeIsolated().scheduleTask(in: Self.interval) { [weak self] in
            guard let self else { return }
            isWaking = false
            look()
            if !queues.isEmpty { wakeLater() }
        }
    }

    private func look() {
        let now = eventLoop.now
        // A check may remove other queues from the records.
        for queue in queues where queue.queueSeat.isTaken {
            queue.lookAtQueue()
            guard queue.queueSeat.isTaken, queue.queueSeat.progress + timeout <= now else { continue }
            drop(queue, .stalled)
        }
    }
}

/// A queue of bytes that wait for one client.
package protocol ClientQueue: AnyObject {
    /// Storage that only `ClientQueues` uses.
    var queueSeat: ClientQueueSeat { get set }
    /// The address of the client, which only the policy `slowestOfHeaviest` requires; nil if it is unknown.
    var client: ClientAddress? { get }

    /// Updates the number of this queue's waiting bytes in the records of `ClientQueues`.
    func lookAtQueue()

    /// Discards the queue, and disconnects the client later on the event loop.
    ///
    /// The client is not disconnected immediately, because the caller may be sending to several clients.
    func dropQueue(_ reason: SlowClient)
}

extension ClientQueue {
    package var client: ClientAddress? { nil }
}

/// The data that `ClientQueues` stores in a queue.
package struct ClientQueueSeat {
    /// The time when the client last made progress, or when the queue began to fill.
    fileprivate var progress = NIODeadline.distantPast
    /// The number of bytes, at most 4 GiB.
    fileprivate var bytes: UInt32 = 0
    fileprivate var index: Int32 = -1

    /// Whether the queue is recorded as non-empty.
    package var isTaken: Bool { index >= 0 }

    package init() {}
}
