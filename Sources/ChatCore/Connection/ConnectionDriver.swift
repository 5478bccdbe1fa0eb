internal import Basics

/// An input of a state machine that has connections, one after another, and deadlines.
protocol ConnectionInput: Sendable {
    associatedtype Deadline: Sendable

    static func opened(connection: Int) -> Self
    static func frame(_ frame: String, connection: Int) -> Self
    static func lost(_ error: ChatError, code: Int?, connection: Int) -> Self
    static func deadline(_ deadline: Deadline, serial: Int) -> Self

    /// The connection of a frame; nil for other inputs.
    var frameConnection: Int? { get }
}

/// The connections and the deadlines of a state machine, whose events are its inputs.
struct ConnectionDriver<Input: ConnectionInput> {
    /// Opens a connection.
    let open: () -> any ChatConnection
    let clock: any Clock<Duration>
    let inputs: AsyncStream<Input>.Continuation
    private var current: Current?

    private struct Current {
        let number: Int
        let connection: any ChatConnection
        /// The permissions to pass the next frame.
        let turns: AsyncStream<Void>.Continuation
    }

    init(
        clock: any Clock<Duration>,
        inputs: AsyncStream<Input>.Continuation,
        open: @escaping () -> any ChatConnection
    ) {
        (self.clock, self.inputs, self.open) = (clock, inputs, open)
    }

    /// Opens the connection of this number, whose events a task of the group reads.
    ///
    /// Its frames are passed one at a time, so that those of a fast server wait where their number is limited.
    mutating func connect(_ number: Int, in group: inout DiscardingTaskGroup) {
        let connection = open()
        let (turns, turnSink) = AsyncStream.makeStream(of: Void.self)
        current?.turns.finish()
        current = Current(number: number, connection: connection, turns: turnSink)
        group.addTask { [inputs] in
            var turn = turns.makeAsyncIterator()
            var isWanted = true
            for await event in connection.events {
                switch event {
                case .opened: inputs.yield(.opened(connection: number))
                case .frame(let frame):
                    guard isWanted else { continue }
                    inputs.yield(.frame(frame, connection: number))
                    isWanted = await turn.next() != nil
                case .lost(let error, let code): inputs.yield(.lost(error, code: code, connection: number))
                }
            }
            // A stream that has dropped events ends without its last one.
            inputs.yield(.lost(.network("it sends too much"), code: nil, connection: number))
        }
    }

    /// Lets the next frame come, if this input was the last one.
    func didHandle(_ input: Input) {
        guard let current, input.frameConnection == current.number else { return }
        current.turns.yield()
    }

    mutating func disconnect() {
        current?.connection.close()
        current?.turns.finish()
        current = nil
    }

    func send(_ frame: String) { current?.connection.send(frame) }

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
}
