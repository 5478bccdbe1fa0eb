internal import Basics

/// An input of a state machine that has connections, one after another, and deadlines.
protocol ConnectionInput: Sendable {
    associatedtype Deadline: Sendable

    static func opened(connection: Int) -> Self
    static func frame(_ frame: String, connection: Int) -> Self
    static func lost(_ error: ChatError, code: Int?, connection: Int) -> Self
    static func deadline(_ deadline: Deadline, serial: Int) -> Self
}

/// The connections and the deadlines of a state machine, whose events are its inputs.
struct ConnectionDriver<Input: ConnectionInput> {
    /// Opens a connection.
    let open: () -> any ChatConnection
    let clock: any Clock<Duration>
    let inputs: AsyncStream<Input>.Continuation
    private var current: (any ChatConnection)?

    init(
        clock: any Clock<Duration>,
        inputs: AsyncStream<Input>.Continuation,
        open: @escaping () -> any ChatConnection
    ) {
        (self.clock, self.inputs, self.open) = (clock, inputs, open)
    }

    /// Opens the connection of this number, whose events a task of the group reads.
    mutating func connect(_ number: Int, in group: inout DiscardingTaskGroup) {
        let opened = open()
        current = opened
        group.addTask { [inputs] in
            for await event in opened.events { inputs.yield(Self.input(event, number)) }
            // A stream that has dropped events ends without its last one.
            inputs.yield(.lost(.network("it sends too much"), code: nil, connection: number))
        }
    }

    mutating func disconnect() {
        current?.close()
        current = nil
    }

    func send(_ frame: String) { current?.send(frame) }

    /// Starts a deadline, for which a task of the group waits.
    func start(
        _ deadline: Input.Deadline,
        _ span: Duration,
        serial: Int,
        in group: inout DiscardingTaskGroup
    ) {
        group.addTask { [clock, inputs] in
            guard (try? await clock.sleep(for: span)) != nil else { return }
            inputs.yield(.deadline(deadline, serial: serial))
        }
    }

    private static func input(_ event: ChatConnectionEvent, _ number: Int) -> Input {
        switch event {
        case .opened: .opened(connection: number)
        case .frame(let frame): .frame(frame, connection: number)
        case .lost(let error, let code): .lost(error, code: code, connection: number)
        }
    }
}
