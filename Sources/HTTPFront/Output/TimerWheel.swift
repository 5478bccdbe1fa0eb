package import NIOCore

/// A timer wheel for all sessions and requests, which sets and cancels a timer in constant time.
package final class TimerWheel {
    private static let slotCount = 1024

    private let resolution: Int64
    private let eventLoop: any EventLoop
    private var slots: [[any TimerWheelEntry]]
    private var count = 0
    /// The last tick whose timers have fired.
    private var current: Int64
    /// Whether timers are being fired; a timer set in the meantime must not be added to the current slot.
    private var isServing = false
    private var wake: (tick: Int64, task: Scheduled<Void>)?

    /// Creates a wheel whose timers fire late by up to `resolution`, but never early.
    package init(resolution: TimeAmount, eventLoop: any EventLoop) {
        self.resolution = max(resolution.nanoseconds, 1_000_000)
        self.eventLoop = eventLoop
        slots = Array(repeating: [], count: Self.slotCount)
        current = Int64(eventLoop.now.uptimeNanoseconds) / self.resolution
    }

    /// Sets the entry's only timer, or moves it if it is set.
    package func set(_ entry: any TimerWheelEntry, to time: NIODeadline) {
        if count == 0, !isServing { current = tick(eventLoop.now, roundingUp: false) }
        if entry.wheelSeat.isTaken {
            // The entry is checked at its old time and then moved, which costs less than moving it with every
            // pong.
            if entry.wheelSeat.tick <= tick(time, roundingUp: true) {
                entry.wheelSeat.time = time
                return
            }
            cancel(entry)
        }
        entry.wheelSeat.time = time
        insert(entry)
    }

    /// Cancels the entry's timer, if it has one.
    package func cancel(_ entry: any TimerWheelEntry) {
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
        // After a stall of more than a full rotation of the wheel, each slot is handled once.
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

/// An object with at most one timer on a wheel.
package protocol TimerWheelEntry: AnyObject {
    /// Storage that only the wheel uses.
    var wheelSeat: TimerWheelSeat { get set }

    /// Called when the timer fires; the timer is no longer set.
    func timeIsUp(_ now: NIODeadline)
}

/// The position of an entry on the wheel.
package struct TimerWheelSeat {
    fileprivate var time = NIODeadline.distantFuture
    fileprivate var tick: Int64 = 0
    fileprivate var index: Int32 = -1

    fileprivate var isTaken: Bool { index >= 0 }

    package init() {}
}
