internal import Synchronization

/// The router of the user's commands to the step that reads them now, or to the next one.
package final class CommandRouter: Sendable {
    typealias Reader = @Sendable (AppCommand) -> Void

    private enum Target {
        case reader(Reader)
        case nobody([AppCommand])
    }

    /// The maximum number of commands kept between two steps.
    private static let limit = 64

    /// Whether the run is to end; no step can miss this.
    package let isQuitting = StateStore(false)

    private let target = Mutex(Target.nobody([]))

    init() {}

    package func send(_ command: AppCommand) {
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

    /// Passes the kept commands and all further ones to `reader`, which must return at once.
    func connect(_ reader: @escaping Reader) {
        let kept = target.withLock { target in
            defer { target = .reader(reader) }
            if case .nobody(let kept) = target { return kept }
            return []
        }
        for command in kept { reader(command) }
        if isQuitting.state && !kept.contains(.quit) { reader(.quit) }
    }

    /// Keeps further commands for the next reader.
    func disconnect() {
        target.withLock { $0 = .nobody([]) }
    }
}
