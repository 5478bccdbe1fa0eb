internal import Basics

/// The input type of a state machine that opens one connection at a time and has deadlines.
protocol ConnectionInput: Sendable {
    associatedtype Deadline: Sendable

    static func opened(connection: Int) -> Self
    static func frame(_ frame: String, connection: Int) -> Self
    static func lost(_ error: ChatError, code: Int?, connection: Int) -> Self
    static func deadline(_ deadline: Deadline, serial: Int) -> Self

    /// The number of the connection that a frame came from; nil for other inputs.
    var frameConnection: Int? { get }
}

/// A driver that opens the connections and starts the deadlines of a state machine, and passes their events to it as
/// inputs.
struct ConnectionDriver<Input: ConnectionInput> {
    /// Creates a connection and starts to open it.
    let open: () -> any ChatConnection
    let clock: any Clock<Duration>
    let inputs: AsyncStream<Input>.Continuation
    private var current: Current?

    private struct Current {
        let number: Int
        let connection: any ChatConnection
        /// Each element permits the next frame to be passed on.
        let turns: AsyncStream<Void>.Continuation
    }

    init(
        clock: any Clock<Duration>,
        inputs: AsyncStream<Input>.Continuation,
        open: @escaping () -> any ChatConnection
    ) {
        (self.clock, self.inputs, self.open) = (clock, inputs, open)
    }

    /// Opens the connection with this number; a task in the group reads its events.
    ///
    /// The next frame is passed on only after the previous one has been handled, so that the frames of a fast server
    /// wait in the connection's bounded queue.
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
            // A stream that has dropped events ends without `.lost`.
            inputs.yield(
                .lost(
                    .network("the server sends more than this program can process"),
                    code: nil,
                    connection: number
                )
            )
        }
    }

    /// Lets the connection pass on its next frame if `input` was its previous one.
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

    /// Starts a deadline as a task in the group.
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
