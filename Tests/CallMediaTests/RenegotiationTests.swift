import Basics
import CallCore
import Foundation
import GStreamerKit
import Synchronization
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite("Renegotiation", .timeLimit(.minutes(4)))
    @MediaActor
    struct RenegotiationTests {
        /// Counts the frames shown.
        private final class Screen: VideoSink {
            let frames = Mutex(0)
            func show(_ frame: VideoFrame, from side: MediaSide) {
                if side == .remote { frames.withLock { $0 += 1 } }
            }
        }

        /// Returns the offer with an incremented version in its `o=` line, after applying `change`.
        private static func next(_ offer: String, _ change: (String) -> String = { $0 }) -> String {
            let line = offer.split(whereSeparator: \.isNewline).first { $0.hasPrefix("o=") } ?? ""
            var fields = line.split(separator: " ").map(String.init)
            fields[2] = "\((Int(fields[2]) ?? 0) + 1)"
            return change(offer.replacing(line, with: fields.joined(separator: " ")))
        }

        @Test("A renegotiation does not interrupt media, and creates no second track or decoder")
        func goesOn() async throws {
            let screen = Screen()
            let (caller, callee) = (try Endpoint(), try Endpoint { $0.window = screen })
            let attempt = try await Endpoint.Attempt(caller, callee)
            _ = await attempt.run(until: 1)
            let (b, offer) = (attempt.callee, attempt.offer)
            let live = try #require(b as? LiveMediaSession)
            let tracks = live.outgoing.mapValues { ObjectIdentifier($0) }
            let decoders = live.decoders.mapValues { ObjectIdentifier($0) }
            let answer = try SessionDescription(parsing: try await b.createAnswer(to: Self.next(offer)))
            #expect(answer.media.map(\.direction) == [.sendrecv, .sendrecv])
            let now = live.outgoing.mapValues { ObjectIdentifier($0) }
            #expect(now == tracks)
            #expect(live.decoders.mapValues { ObjectIdentifier($0) } == decoders)
            let seen = await attempt.run(until: 2)
            for side in seen {
                #expect((side.statistics.last?.videoIn?.fps ?? 0) > 10)
                #expect((side.statistics.last?.audioOut?.bitrate ?? 0) > 10_000)
            }
            await attempt.close()
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("An offer that changes the BUNDLE group of a call is rejected, and media continues")
        func bundle() async throws {
            let (caller, callee) = (try Endpoint(), try Endpoint())
            let attempt = try await Endpoint.Attempt(caller, callee)
            _ = await attempt.run(until: 1)
            let (b, offer) = (attempt.callee, attempt.offer)
            let unbundled = Self.next(offer) { $0.replacing("a=group:BUNDLE", with: "a=former-group:BUNDLE") }
            await #expect(throws: CallMediaFailure.badDescription("it changes the BUNDLE group")) {
                _ = try await b.createAnswer(to: unbundled)
            }
            _ = try await b.createAnswer(to: Self.next(Self.next(offer)))
            let seen = await attempt.run(until: 2)
            #expect((seen[1].statistics.last?.videoIn?.fps ?? 0) > 10)
            await attempt.close()
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("A change of direction, which webrtcbin 1.22 cannot do, is rejected, and media continues")
        func direction() async throws {
            let (caller, callee) = (try Endpoint(), try Endpoint())
            let attempt = try await Endpoint.Attempt(caller, callee)
            _ = await attempt.run(until: 1)
            let (b, offer) = (attempt.callee, attempt.offer)
            let live = try #require(b as? LiveMediaSession)
            let held = Self.next(offer) { $0.replacing("a=sendrecv", with: "a=sendonly") }
            await #expect(throws: CallMediaFailure.self) { _ = try await b.createAnswer(to: held) }
            _ = try await b.createAnswer(to: Self.next(Self.next(offer)))
            #expect(live.outgoing.values.map(\.isFlowing) == [true, true])
            let seen = await attempt.run(until: 2)
            #expect((seen[0].statistics.last?.videoIn?.fps ?? 0) > 10)
            await attempt.close()
            await caller.media.finish()
            await callee.media.finish()
        }
    }
}
