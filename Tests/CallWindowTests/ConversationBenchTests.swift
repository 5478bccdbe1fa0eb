import Basics
import ChatCore
import Foundation
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    /// The measurement of a long conversation for `bench/list`; it draws in memory.
    @Suite(
        "Benchmark of a conversation",
        .enabled(if: ProcessInfo.processInfo.environment["CALLRUNNER_LIST_BENCH"] != nil)
    )
    @WindowActor struct ConversationBenchTests {
        private static let count = 10_000
        private static let frames = 300

        private static var conversation: ConversationState {
            var state = SampleChat.conversation
            let samples = state.items
            state.items = (0..<count).map { number in
                let sample = samples[number % samples.count]
                let text = "\(number): \(sample.message.text)"
                return SampleChat.message(number, text, isMine: sample.isMine, minute: number)
            }
            return state
        }

        @Test(
            "A conversation of 10,000 messages is opened and scrolled",
            arguments: [(480, 854), (1280, 720)]
        )
        func scroll(width: Int, height: Int) async throws {
            let (bench, model) = try await ScreenBench.people(width: width, height: height)
            let conversation = Self.conversation
            let opening = ContinuousClock.now
            model.send(.open(SampleChat.people[0]))
            model.show(conversation, with: 1)
            bench.window.screenHost.touch()
            bench.window.redrawIfNeeded()
            let opened = (ContinuousClock.now - opening) / .milliseconds(1)
            bench.handle(.move(Point(Double(width) * 2 / 3, Double(height) / 2)))
            var times: [Double] = []
            for _ in 0..<Self.frames {
                let began = ContinuousClock.now
                bench.now += 1.0 / 60
                bench.handle(.wheel(5))
                times.append((ContinuousClock.now - began) / .milliseconds(1))
            }
            times.sort()
            func text(_ number: Double) -> String { String((number * 100).rounded() / 100) }
            print(
                """
                \(width)×\(height): conversation opened in \(text(opened)) ms; scrolled: \
                median \(text(times[times.count / 2])) ms, p99 \(text(times[times.count * 99 / 100])) ms, \
                \(Int(Double(times.count) * 1000 / times.reduce(0, +))) frames/s
                """
            )
        }
    }
}
