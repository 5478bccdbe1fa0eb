package import Basics
internal import Synchronization

/// A router that passes the user's commands to the current step, or queues them for the next step.
package final class CommandRouter: Sendable {
    typealias Reader = @Sendable (CallsCommand) -> Void

    private enum Target {
        case reader(Reader)
        case nobody([CallsCommand])
    }

    /// The maximum number of commands queued while no step reads them.
    private static let limit = 64

    /// Whether the user has ended the run; a step can read this even if it missed the command.
    package let isQuitting = StateStore(false)

    private let target = Mutex(Target.nobody([]))

    init() {}

    package func send(_ command: CallsCommand) {
        if command == .quit { isQuitting.update { $0 = true } }
        let reader: Reader? = target.withLock { target in
            switch target {
            case .reader(let reader): return reader
            case .nobody(let kept):
                if kept.count < Self.limit { target = .nobody(kept + [command]) }
                return nil
            }
        }
        reader?(command)
    }

    /// Passes the queued commands and all later ones to `reader`, which must not block.
    func connect(_ reader: @escaping Reader) {
        let kept = target.withLock { target in
            defer { target = .reader(reader) }
            if case .nobody(let kept) = target { return kept }
            return []
        }
        for command in kept { reader(command) }
        if isQuitting.state && !kept.contains(.quit) { reader(.quit) }
    }

    /// Stops passing commands to the reader, and queues later ones for the next reader.
    func disconnect() {
        target.withLock { $0 = .nobody([]) }
    }
}
