internal import NIOCore

/// What waits for clients that read more slowly than they are sent to, of all of them together.
///
/// Where it is more than the budget, the client with the most is closed; one whose queue makes no progress is closed in
/// time. Confined to the event loop.
final class OutgoingQueues {
    /// How often queues are looked at in which something waits.
    private static let interval = TimeAmount.seconds(1)

    private let budget: Int
    private let patience: TimeAmount
    private let eventLoop: any EventLoop
    private var queues: [any OutgoingQueue] = []
    /// Bytes that wait, as far as they are known.
    private(set) var total = 0
    private var isWaking = false

    init(_ configuration: ServerConfiguration, eventLoop: any EventLoop) {
        budget = configuration.maximumQueuedBytesInAll
        patience = TimeAmount(configuration.readTimeout)
        self.eventLoop = eventLoop
    }

    /// The number of queues in which something waits.
    var count: Int { queues.count }

    /// Notes how much waits in a queue now, and whether any of it was taken since it was last noted.
    func note(_ queue: any OutgoingQueue, bytes: Int, hasProgress: Bool) {
        total += bytes - queue.queueSeat.bytes
        queue.queueSeat.bytes = bytes
        if bytes == 0 { return remove(queue) }
        if !queue.queueSeat.isTaken {
            queue.queueSeat.index = Int32(queues.count)
            queue.queueSeat.progress = eventLoop.now
            queues.append(queue)
            wakeLater()
        } else if hasProgress {
            queue.queueSeat.progress = eventLoop.now
        }
        while total > budget, let largest = queues.max(by: { $0.queueSeat.bytes < $1.queueSeat.bytes }) {
            drop(largest, .overBudget)
        }
    }

    /// Forgets a queue, and what waits in it.
    func remove(_ queue: any OutgoingQueue) {
        let seat = queue.queueSeat
        queue.queueSeat = OutgoingQueueSeat()
        guard seat.isTaken else { return }
        total -= seat.bytes
        let last = queues.removeLast()
        guard last !== queue else { return }
        queues[Int(seat.index)] = last
        last.queueSeat.index = seat.index
    }

    private func drop(_ queue: any OutgoingQueue, _ reason: SlowConsumer) {
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
        // To look at one may take others out.
        for queue in queues where queue.queueSeat.isTaken {
            queue.lookAtQueue()
            guard queue.queueSeat.isTaken, queue.queueSeat.progress + patience <= now else { continue }
            drop(queue, .stalled)
        }
    }
}

/// What waits for one client.
protocol OutgoingQueue: AnyObject {
    /// For `OutgoingQueues` alone.
    var queueSeat: OutgoingQueueSeat { get set }

    /// Notes how much waits now.
    func lookAtQueue()

    /// Gives up what waits, and closes the client; not at once, because this is called in the midst of sending to several.
    func dropQueue(_ reason: SlowConsumer)
}

/// What is known of a queue.
struct OutgoingQueueSeat {
    fileprivate var bytes = 0
    /// When something was last taken out of it, or it began to fill.
    fileprivate var progress = NIODeadline.distantPast
    fileprivate var index: Int32 = -1

    /// Whether something waits in it, as far as that is known.
    var isTaken: Bool { index >= 0 }
}
