import AccountsCore
import AccountsTesting
import Basics

/// A random schedule of one or two processes with a common store, a network, and a server.
struct SessionSchedule {
    struct Tally {
        var answered = 0
        var failed = 0
        var refreshes = 0
        var repeats = 0
        var lostReplies = 0
        var lateArrivals = 0
        var restarts = 0
        var adoptions = 0
        var revocations = 0
        var signOuts = 0
        var failedStores = 0

        mutating func add(_ other: Tally) {
            answered += other.answered
            failed += other.failed
            refreshes += other.refreshes
            repeats += other.repeats
            lostReplies += other.lostReplies
            lateArrivals += other.lateArrivals
            restarts += other.restarts
            adoptions += other.adoptions
            revocations += other.revocations
            signOuts += other.signOuts
            failedStores += other.failedStores
        }
    }

    /// A process in one of its runs: what was sent by a killed one still arrives, but nobody waits for the answer.
    private struct Sender: Hashable {
        let process: Int
        let run: Int
    }

    /// A step of the store.
    private enum Change {
        case store(AccountTokens)
        case delete(AccountTokens)
        case deleteAll
    }

    /// An operation under the lock of the store.
    private enum LockUse {
        case refresh(Int, AccountTokens, isKept: Bool)
        case change(Change)
    }

    private enum Event {
        case request(Int)
        case arrival(Int, token: Secret, Sender)
        case answer(Int, token: Secret, isRefused: Bool, Sender)
        case deadline(Int, Sender)
        case locked(LockUse, Sender)
        case refreshArrival(Int, tokens: AccountTokens, Sender, isLate: Bool)
        case refreshEnd(Int, TokenMachine.Outcome, Sender)
        case changed(Change, Sender, unlocks: Bool)
        case restart(process: Int)
        case revocation
        case signOut(process: Int)
    }

    /// A process of the user.
    private struct Process {
        var machine = TokenMachine()
        /// How often it was started again.
        var run = 0
        var openRequests: Set<Int> = []
        var refreshes = 0
    }

    private static let deadline = Duration.seconds(10)

    private(set) var problems: [String] = []
    private(set) var tally = Tally()
    private var random: SeededGenerator
    private let lifetime: Int
    private var server: SessionServer
    private var processes: [Process]
    private var stored: AccountTokens?
    /// The holder of the lock of the store, and the operations that wait for it.
    private var lockHolder: Sender?
    private var waiting: [(use: LockUse, sender: Sender)] = []
    private var now = Duration.zero
    private var events: [(time: Duration, event: Event)] = []
    private var numbers: [Secret: Int] = [:]
    private var hasSignedOut = false
    /// Whether the store could not be written, so that it has lost the tokens.
    private var hasFailedStore = false
    /// Whether a process was killed before it has changed the store.
    private var hasLostChange = false
    /// The requests that are on their way.
    private var travelling: Set<Int> = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        lifetime = [2, 10, 60, 600].randomElement(using: &random) ?? 600
        server = SessionServer(lifetime: .seconds(lifetime))
        processes = Array(repeating: Process(), count: Int.random(in: 1...2, using: &random))
        let first = tokens(server.begin(at: .zero))
        stored = first
        for process in processes.indices { _ = processes[process].machine.handle(.found(first), at: .zero) }
        let span = Double(3 * lifetime)
        for number in 1...Int.random(in: 1...40, using: &random) { later(random(span), .request(number)) }
        for process in processes.indices where Int.random(in: 0..<4, using: &random) == 0 {
            later(random(span), .restart(process: process))
        }
        if Int.random(in: 0..<10, using: &random) == 0 { later(random(span), .revocation) }
        if Int.random(in: 0..<10, using: &random) == 0 { later(random(span), .signOut(process: 0)) }
    }

    private mutating func random(_ seconds: Double) -> Duration {
        .seconds(Double.random(in: 0...seconds, using: &random))
    }

    private mutating func tokens(_ number: Int) -> AccountTokens {
        let tokens = TokenMachineTests.tokens(number, lifetime: lifetime)
        numbers[tokens.access] = number
        return tokens
    }

    private mutating func later(_ delay: Duration, _ event: Event) { events.append((now + delay, event)) }

    /// The time of a message on its way; nil if it is lost.
    private mutating func journey() -> Duration? {
        guard Int.random(in: 0..<10, using: &random) > 0 else { return nil }
        return random(Int.random(in: 0..<10, using: &random) == 0 ? 5 : 0.2)
    }

    private func sender(_ process: Int) -> Sender { Sender(process: process, run: processes[process].run) }

    private func isAlive(_ sender: Sender) -> Bool { processes[sender.process].run == sender.run }

    // MARK: Clients

    private func process(of request: Int) -> Int { request % processes.count }

    private mutating func handle(_ input: TokenMachine.Input, in process: Int) {
        let changes = perform(processes[process].machine.handle(input, at: now), in: process)
        for change in changes { lock(for: .change(change), sender(process)) }
    }

    /// Performs effects, and returns those of the store.
    private mutating func perform(_ effects: [TokenMachine.Effect], in process: Int) -> [Change] {
        var changes: [Change] = []
        let sender = sender(process)
        for effect in effects {
            switch effect {
            case .send(let id, let token):
                if !processes[process].openRequests.contains(id) {
                    problems.append("\(id) is sent after its end")
                }
                if !travelling.insert(id).inserted { problems.append("\(id) is on its way twice") }
                if let delay = journey() {
                    later(delay, .arrival(id, token: token, sender))
                } else {
                    later(Self.deadline, .deadline(id, sender))
                }
            case .fail(let id, _):
                processes[process].openRequests.remove(id)
                travelling.remove(id)
                tally.failed += 1
            case .refresh(let refresh, let tokens, let isKept):
                tally.refreshes += 1
                processes[process].refreshes += 1
                if processes[process].refreshes > 1 { problems.append("two refreshes at once") }
                lock(for: .refresh(refresh, tokens, isKept: isKept), sender)
            case .store(let tokens): changes.append(.store(tokens))
            case .delete(let tokens): changes.append(.delete(tokens))
            case .deleteAll: changes.append(.deleteAll)
            case .signedOut(let failure):
                let isExpected = server.isRevoked || hasSignedOut || hasFailedStore
                if !isExpected { problems.append("the session is lost: \(failure.message)") }
            case .userChanged: problems.append("another user appears")
            }
        }
        return changes
    }

    private mutating func lock(for use: LockUse, _ sender: Sender) {
        guard lockHolder == nil else { return waiting.append((use, sender)) }
        lockHolder = sender
        later(random(0.01), .locked(use, sender))
    }

    private mutating func unlock(_ sender: Sender) {
        guard lockHolder == sender else { return }
        lockHolder = nil
        guard !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        lock(for: next.use, next.sender)
    }

    /// Handles a process that is killed and started again.
    private mutating func restart(_ process: Int) {
        tally.restarts += 1
        let before = sender(process)
        for id in processes[process].openRequests { travelling.remove(id) }
        processes[process] = Process(run: before.run + 1)
        let isSigningOut = waiting.contains { waiting in
            if case .change(.deleteAll) = waiting.use { waiting.sender == before } else { false }
        }
        // A sign-out is lost if the process is killed before the tokens are deleted.
        if isSigningOut || lockHolder == before { hasLostChange = true }
        waiting.removeAll { $0.sender == before }
        unlock(before)
        handle(.found(stored), in: process)
    }

    // MARK: Events

    private mutating func handle(_ event: Event) {
        switch event {
        case .request(let id):
            let process = process(of: id)
            processes[process].openRequests.insert(id)
            handle(.wanted(id, user: 7), in: process)
            if Int.random(in: 0..<8, using: &random) == 0 { later(random(2), .deadline(id, sender(process))) }
        case .deadline(let id, let sender):
            guard isAlive(sender), processes[sender.process].openRequests.remove(id) != nil else { return }
            travelling.remove(id)
            handle(.ended(id), in: sender.process)
        case .arrival(let id, let token, let sender):
            let isRefused = !server.accepts(numbers[token] ?? 0, at: now)
            if let delay = journey() {
                later(delay, .answer(id, token: token, isRefused: isRefused, sender))
            } else {
                later(Self.deadline, .deadline(id, sender))
            }
        case .answer(let id, let token, let isRefused, let sender):
            answer(id, token, isRefused: isRefused, to: sender)
        case .locked(let use, let sender):
            guard isAlive(sender) else { return }
            switch use {
            case .refresh(let refresh, let tokens, let isKept):
                begin(refresh, of: tokens, isKept: isKept, sender)
            case .change(let change): later(random(0.05), .changed(change, sender, unlocks: true))
            }
        case .refreshArrival(let refresh, let tokens, let sender, let isLate):
            answer(refresh, of: tokens, to: sender, isLate: isLate)
        case .refreshEnd(let refresh, let outcome, let sender): end(refresh, outcome, sender)
        case .changed(let change, let sender, let unlocks):
            guard isAlive(sender) else { return }
            make(change, in: sender.process)
            if unlocks { unlock(sender) }
        case .restart(let process): restart(process)
        case .revocation:
            tally.revocations += 1
            server.revoke()
        case .signOut(let process):
            tally.signOuts += 1
            hasSignedOut = true
            handle(.signOut, in: process)
        }
    }

    private mutating func answer(_ id: Int, _ token: Secret, isRefused: Bool, to sender: Sender) {
        guard isAlive(sender), processes[sender.process].openRequests.contains(id) else { return }
        travelling.remove(id)
        if isRefused {
            tally.repeats += 1
            return handle(.refused(id, token: token), in: sender.process)
        }
        processes[sender.process].openRequests.remove(id)
        tally.answered += 1
        handle(.ended(id), in: sender.process)
    }

    private mutating func make(_ change: Change, in process: Int) {
        switch change {
        case .store(let tokens):
            let isKept = Int.random(in: 0..<30, using: &random) > 0
            if !isKept { (hasFailedStore, tally.failedStores) = (true, tally.failedStores + 1) }
            stored = isKept ? tokens : nil
            handle(.stored(tokens, isKept: isKept), in: process)
        case .delete(let tokens): if stored == tokens { stored = nil }
        case .deleteAll: stored = nil
        }
    }

    /// Begins a refresh under the lock: another process may have been faster.
    private mutating func begin(_ refresh: Int, of tokens: AccountTokens, isKept: Bool, _ sender: Sender) {
        if isKept, stored != tokens {
            tally.adoptions += 1
            let elsewhere = AccountFailure(.signedOut, "signed out elsewhere")
            let outcome = stored.map { TokenMachine.Outcome.stored($0) } ?? .refused(elsewhere)
            return later(.zero, .refreshEnd(refresh, outcome, sender))
        }
        if let delay = journey() {
            return later(delay, .refreshArrival(refresh, tokens: tokens, sender, isLate: false))
        }
        // The message may arrive after the client has given it up.
        if Bool.random(using: &random) {
            tally.lateArrivals += 1
            later(Self.deadline + random(60), .refreshArrival(refresh, tokens: tokens, sender, isLate: true))
        }
        later(Self.deadline, .refreshEnd(refresh, .failed(AccountFailure(.timedOut, "no answer")), sender))
    }

    /// Handles the arrival of a refresh at the server; nobody waits for the answer to a late one.
    private mutating func answer(_ refresh: Int, of tokens: AccountTokens, to sender: Sender, isLate: Bool) {
        let number = Int(tokens.refresh.value.dropFirst()) ?? 0
        let outcome: TokenMachine.Outcome
        switch server.refresh(number, at: now) {
        case .issued(let new): outcome = .issued(self.tokens(new))
        case .refused: outcome = .refused(AccountFailure(.signedOut, "unknown token"))
        }
        guard !isLate else { return }
        let isBroken = Int.random(in: 0..<20, using: &random) == 0
        guard !isBroken, let delay = journey() else {
            tally.lostReplies += 1
            let failure = AccountFailure(isBroken ? .serverFailed : .timedOut, "no answer")
            return later(isBroken ? .zero : Self.deadline, .refreshEnd(refresh, .failed(failure), sender))
        }
        later(delay, .refreshEnd(refresh, outcome, sender))
    }

    /// Ends a refresh; its changes of the store are made before others get the lock.
    private mutating func end(_ refresh: Int, _ outcome: TokenMachine.Outcome, _ sender: Sender) {
        guard isAlive(sender) else { return }
        processes[sender.process].refreshes -= 1
        let effects = processes[sender.process].machine.handle(.refreshed(refresh, outcome), at: now)
        let changes = perform(effects, in: sender.process)
        guard !changes.isEmpty else { return unlock(sender) }
        for (index, change) in changes.enumerated() {
            let isLast = index == changes.count - 1
            later(.milliseconds(10 * (index + 1)), .changed(change, sender, unlocks: isLast))
        }
    }

    /// Runs the schedule to its end.
    mutating func run() {
        while let next = events.indices.min(by: { events[$0].time < events[$1].time }) {
            let (time, event) = events.remove(at: next)
            now = time
            handle(event)
        }
        for process in processes {
            if process.machine.isRefreshing { problems.append("a refresh does not end") }
            if !process.openRequests.isEmpty { problems.append("no end: \(process.openRequests)") }
        }
        if server.sawTheft { problems.append("a token was used that counts as stolen") }
        if lockHolder != nil { problems.append("the store stays locked") }
        if hasSignedOut, !hasFailedStore, !hasLostChange, stored != nil {
            problems.append("tokens are left after a sign-out")
        }
    }
}
