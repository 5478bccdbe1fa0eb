import CallCore
import Foundation
import MediaKit
import Testing

@testable import CallMedia
@testable import GStreamerKit

extension RealTime {
    @Suite("Closing an attempt", .timeLimit(.minutes(10)))
    struct ClosingTests {
        /// The number of attempts, of which about one in a thousand fails if closing does not wait for webrtcbin.
        private let attempts =
            ProcessInfo.processInfo.environment["CALLRUNNER_ATTEMPTS"].flatMap(Int.init) ?? 100

        @Test("An attempt that is closed while webrtcbin adds elements is stopped")
        @MediaActor
        func addingElements() async throws {
            let (caller, callee) = (try Endpoint(), try Endpoint())
            let calling = try await caller.media.makeSession(role: .caller, iceServers: [])
            let offer = try await calling.createOffer()
            for _ in 0..<attempts {
                let called = try await callee.media.makeSession(role: .callee, iceServers: [])
                let live = try #require(called as? LiveMediaSession)
                async let answer = try? await called.createAnswer(to: offer)
                while live.remote == nil { await Task.yield() }
                try await Task.sleep(for: .microseconds(Int.random(in: 0...6000)))
                await called.close()
                _ = await answer
                try #require(live.pipeline.graph.contains(#"attempt\n[0]"#))  // the state NULL
            }
            await calling.close()
            await callee.media.finish()
            await caller.media.finish()
        }
    }
}
