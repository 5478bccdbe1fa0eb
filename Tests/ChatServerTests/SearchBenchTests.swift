import Foundation
import Testing

@testable import ChatServer

/// The measurement of searches for `bench/list`.
@Suite(
    "Benchmark of searches",
    .enabled(if: ProcessInfo.processInfo.environment["CALLRUNNER_LIST_BENCH"] != nil)
)
struct SearchBenchTests {
    @Test("The times to search 100,000 messages and to load the newest page are measured")
    func search() throws {
        let store = try ChatStore()
        let words = ["tea", "train", "garden", "meeting", "чай", "поїзд", "зустріч", "завтра"]
        func text(_ number: Int) -> String {
            (0..<8).map { words[(number * 7 + $0 * (number % 5 + 1)) % words.count] }.joined(separator: " ")
                + " \(number)"
        }
        try store.open(20, 30)
        for start in stride(from: 0, to: 100_000, by: 1000) {
            _ = try store.performAll(
                (start..<start + 1000).map { number in
                    let peer = number % 10 == 0 ? 30 : 31
                    let sender = number % 10 == 0 ? 20 : 32
                    return .message(ChatDraft(id: "m\(number)", from: sender, to: peer, text: text(number)))
                }
            )
        }
        func milliseconds(_ body: () throws -> Void) rethrows -> Double {
            let start = ContinuousClock.now
            try body()
            return ((ContinuousClock.now - start) / .milliseconds(1) * 100).rounded() / 100
        }
        for query in ["tea", "чай поїзд", "99990", "nothing"] {
            var found = 0
            let time = try milliseconds {
                if case .found(let messages) = try store.perform(.search(person: 20, query: query)) {
                    found = messages.count
                }
            }
            print("search of “\(query)”: \(found) in \(time) ms among 100,000 messages")
        }
        print("page of the newest: \(try milliseconds { try store.open(20, 30) }) ms")
    }
}
