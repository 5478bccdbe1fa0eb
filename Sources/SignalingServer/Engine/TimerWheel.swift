internal import NIOCore

/// The timers of all sessions and requests in one: to set, move or cancel one costs the same however many there are.
final class TimerWheel {
    private static let slotCount = 1024

    private let resolution: Int64
    private let eventLoop: any EventLoop
    private var slots: [[any TimerWheelEntry]]
    private var count = 0
    /// The last tick that was served.
    private var current: Int64
    /// While slots are emptied, what is set again must not get into the one at hand.
    private var isServing = false
    private var wake: (tick: Int64, task: Scheduled<Void>)?

    /// `resolution` is by how much an entry's time may be missed; never early.
    init(resolution: TimeAmount, eventLoop: any EventLoop) {
        self.resolution = max(resolution.nanoseconds, 1_000_000)
        self.eventLoop = eventLoop
        slots = Array(repeating: [], count: Self.slotCount)
        current = Int64(eventLoop.now.uptimeNanoseconds) / self.resolution
    }

    /// Sets or moves the entry's one timer.
    func set(_ entry: any TimerWheelEntry, to time: NIODeadline) {
        if count == 0, !isServing { current = tick(eventLoop.now, roundingUp: false) }
        if entry.wheelSeat.isTaken {
            // It looks again when it gets there, which costs less than to move it with every pong.
            if entry.wheelSeat.tick <= tick(time, roundingUp: true) {
                entry.wheelSeat.time = time
                return
            }
            cancel(entry)
        }
        entry.wheelSeat.time = time
        insert(entry)
    }

    /// Takes the entry out, if it is in.
    func cancel(_ entry: any TimerWheelEntry) {
        let seat = entry.wheelSeat
        guard seat.isTaken else { return }
        let slot = Int(seat.tick % Int64(Self.slotCount))
        let last = slots[slot].removeLast()
        if last !== entry {
            slots[slot][Int(seat.index)] = last
            last.wheelSeat.index = seat.index
        }
        leave(entry)
    }

    private func leave(_ entry: any TimerWheelEntry) {
        entry.wheelSeat.index = -1
        count -= 1
        if count == 0 {
            wake?.task.cancel()
            wake = nil
        }
    }

    private func insert(_ entry: any TimerWheelEntry) {
        let wanted = tick(entry.wheelSeat.time, roundingUp: true)
        let tick = min(max(wanted, current + 1), current + Int64(Self.slotCount) - 1)
        let slot = Int(tick % Int64(Self.slotCount))
        entry.wheelSeat.tick = tick
        entry.wheelSeat.index = Int32(slots[slot].count)
        slots[slot].append(entry)
        count += 1
        if wake.map({ tick < $0.tick }) ?? true { scheduleWake(at: tick) }
    }

    private func tick(_ time: NIODeadline, roundingUp: Bool) -> Int64 {
        let nanoseconds = Int64(clamping: time.uptimeNanoseconds)
        return nanoseconds / resolution + (roundingUp && nanoseconds % resolution != 0 ? 1 : 0)
    }

    private func scheduleWake(at tick: Int64) {
        wake?.task.cancel()
        let time = NIODeadline.uptimeNanoseconds(UInt64(tick * resolution))
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
            guard let self else { return }
            wake = nil
            serve(until: self.eventLoop.now)
        }
        wake = (tick, task)
    }

    private func serve(until now: NIODeadline) {
        isServing = true
        defer { isServing = false }
        let last = tick(now, roundingUp: false)
        // A loop that stood still for longer than a turn has each slot served once.
        current = max(current, last - Int64(Self.slotCount))
        while current < last, count > 0 {
            current += 1
            let slot = Int(current % Int64(Self.slotCount))
            while let entry = slots[slot].popLast() {
                leave(entry)
                if entry.wheelSeat.time <= now { entry.timeIsUp(now) } else { insert(entry) }
            }
        }
        current = max(current, last)
        guard count > 0 else { return }
        let next = (1..<Int64(Self.slotCount)).first {
            !slots[Int((current + $0) % Int64(Self.slotCount))].isEmpty
        }
        if let next, wake.map({ current + next < $0.tick }) ?? true { scheduleWake(at: current + next) }
    }
}

/// What has a timer on a wheel, one at a time.
protocol TimerWheelEntry: AnyObject {
    /// For the wheel alone.
    var wheelSeat: TimerWheelSeat { get set }

    /// The time set has come; none is set any more.
    func timeIsUp(_ now: NIODeadline)
}

/// Where on the wheel an entry is.
struct TimerWheelSeat {
    fileprivate var time = NIODeadline.distantFuture
    fileprivate var tick: Int64 = 0
    fileprivate var index: Int32 = -1

    fileprivate var isTaken: Bool { index >= 0 }
}
