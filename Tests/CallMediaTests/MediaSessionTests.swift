import Basics
import CallCore
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite("Hostile and unusual peers", .timeLimit(.minutes(4)))
    struct MediaSessionTests {
        private static func silent() throws -> Endpoint { try Endpoint { $0.source = .none } }

        private static func session(_ endpoint: Endpoint) async throws -> any MediaSession {
            try await endpoint.media.makeSession(role: .callee, iceServers: [])
        }

        /// Creates an offer and applies `change` to it.
        private static func offer(_ change: (String) -> String) async throws -> String {
            let endpoint = try Endpoint()
            let session = try await session(endpoint)
            let offer = try await session.createOffer()
            await endpoint.media.finish()
            return change(offer)
        }

        private nonisolated static let digest = Array(repeating: "0A", count: 32).joined(separator: ":")

        private static func failure(of body: () async throws -> Void) async -> CallMediaFailure? {
            do { try await body() } catch { return error as? CallMediaFailure }
            return nil
        }

        @Test(
            "Malformed offers and answers are rejected",
            arguments: [
                "", "garbage", "v=0\r\n", "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n", "v=0\0",
                "v=0\r\na=ice-ufrag:abcd\r\na=fingerprint:sha-256 \(digest)\r\nm=video 9 X 96\r\n",
            ]
        )
        func garbage(_ text: String) async throws {
            let endpoint = try Self.silent()
            let session = try await Self.session(endpoint)
            #expect(await Self.failure { _ = try await session.createAnswer(to: text) } != nil)
            let caller = try await Self.session(endpoint)
            _ = try await caller.createOffer()
            #expect(await Self.failure { try await caller.apply(answer: text) } != nil)
            await endpoint.media.finish()
        }

        @Test("A failed negotiation lists the codecs of both sides")
        func noCommonCodec() async throws {
            let offer = try await Self.offer {
                $0.replacing("H264", with: "AV1X").replacing("VP8", with: "H265").replacing(
                    "VP9",
                    with: "H265"
                )
                .replacing("OPUS", with: "SPEEX").replacing("PCMU", with: "G722").replacing(
                    "PCMA",
                    with: "G722"
                )
            }
            let endpoint = try Self.silent()
            let session = try await Self.session(endpoint)
            let failure = await Self.failure { _ = try await session.createAnswer(to: offer) }
            #expect(
                failure
                    == .noCommonCodec(
                        offered: ["AV1X", "H265", "SPEEX", "G722"],
                        accepted: Codec.allCases.map(\.rawValue)
                    )
            )
            await endpoint.media.finish()
        }

        @Test("A section with only unknown codecs is answered as inactive")
        func foreignSection() async throws {
            let offer = try await Self.offer {
                $0.replacing("OPUS", with: "SPEEX").replacing("PCMU", with: "G722").replacing(
                    "PCMA",
                    with: "G722"
                )
            }
            #expect(try await Self.directions(answering: offer) == [.recvonly, .inactive])
        }

        @Test("A second audio section is answered as inactive")
        func secondSection() async throws {
            let offer = try await Self.offer { offer in
                guard let second = offer.range(of: "m=audio") else { return offer }
                let more = offer[second.lowerBound...].replacing("audio1", with: "audio2")
                return offer.replacing("video0 audio1", with: "video0 audio1 audio2") + more
            }
            #expect(try await Self.directions(answering: offer) == [.recvonly, .recvonly, .inactive])
        }

        private nonisolated static let channels =
            "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=setup:actpass\r\n"
            + "a=mid:channels\r\na=sctp-port:5000\r\n"

        @Test(
            "A call connects without the data channels that its peer offers",
            arguments: ["m=video", "m=audio", nil]
        )
        func dataChannels(_ follower: String?) async throws {
            let (caller, callee) = (try Endpoint(), try Self.silent())
            let (a, b) = (try await Self.session(caller), try await Self.session(callee))
            let offer = try await a.createOffer()
            let place = follower.flatMap { offer.range(of: $0)?.lowerBound } ?? offer.endIndex
            let more = String(offer[..<place]) + Self.channels + String(offer[place...])
            let answer = try await b.createAnswer(
                to: more.replacing("video0 audio1", with: "channels video0 audio1")
            )
            let sections = answer.components(separatedBy: "m=")
            let accepted = sections.filter { !$0.hasPrefix("application 0 ") }
            #expect(sections.count == 4 && accepted.count == 3)
            let description = accepted.joined(separator: "m=").replacing(" channels", with: "")
            try await a.apply(answer: description)
            async let connected: Void = { for await event in b.events where event == .connected { break } }()
            for await event in a.events {
                if case .localCandidate(let candidate) = event { await b.add(candidate) }
                if event == .connected { break }
            }
            await connected
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("An answer that replaces a media section by data channels is rejected")
        func answeredChannels() async throws {
            let (caller, callee) = (try Endpoint(), try Self.silent())
            let (a, b) = (try await Self.session(caller), try await Self.session(callee))
            let answer = try await b.createAnswer(to: try await a.createOffer())
            let audio = try #require(answer.range(of: "m=audio"))
            let text = answer[..<audio.lowerBound] + Self.channels.replacing("channels", with: "audio1")
            let failure = await Self.failure { try await a.apply(answer: String(text)) }
            #expect(failure == .badDescription("it has a section that is neither audio nor video"))
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("An answer that exchanges the kinds of media of its sections is rejected")
        func answeredKinds() async throws {
            let (caller, callee) = (try Endpoint(), try Self.silent())
            let (a, b) = (try await Self.session(caller), try await Self.session(callee))
            let answer = try await b.createAnswer(to: try await a.createOffer())
            let exchanged = answer.replacing("m=audio", with: "m=x").replacing("m=video", with: "m=audio")
                .replacing("m=x", with: "m=video")
            let failure = await Self.failure { try await a.apply(answer: exchanged) }
            #expect(failure == .badDescription("section 0 was offered for another kind of media"))
            await caller.media.finish()
            await callee.media.finish()
        }

        private static func directions(answering offer: String) async throws -> [MediaSection.Direction] {
            let endpoint = try silent()
            let session = try await session(endpoint)
            let answer = try SessionDescription(parsing: try await session.createAnswer(to: offer))
            await endpoint.media.finish()
            return answer.media.map(\.direction)
        }

        @Test("An answer with a codec that was not offered is rejected")
        func foreignAnswer() async throws {
            let caller = try Endpoint { $0.codecs = [.h264, .opus] }
            let callee = try Endpoint { $0.codecs = [.h264, .opus] }
            let (a, b) = (try await Self.session(caller), try await Self.session(callee))
            let answer = try await b.createAnswer(to: try await a.createOffer())
            let foreign = answer.replacing("H264", with: "VP8").replacing("OPUS", with: "SPEEX")
            guard case .noCommonCodec = await Self.failure(of: { try await a.apply(answer: foreign) }) else {
                Issue.record("the answer was taken")
                return
            }
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("Malformed candidates are ignored, and the call connects")
        func garbageCandidates() async throws {
            let (caller, callee) = (try Endpoint(), try Self.silent())
            let attempt = try await Endpoint.Attempt(caller, callee)
            for text in [
                "", "garbage", "candidate:", "candidate:1 1 UDP 1 nowhere.local 9 typ host", "a\r\nb",
            ] {
                for index in [-1, 0, 99, Int.max] {
                    let candidate = ICECandidate(candidate: text, sdpMid: "no such", sdpMLineIndex: index)
                    await attempt.caller.add(candidate)
                    await attempt.callee.add(candidate)
                }
            }
            let seen = await attempt.run(until: 1)
            #expect(seen[1].contains(.connected))
            await attempt.close()
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("Candidates may arrive before the session description, identified by sdpMid alone")
        func earlyCandidates() async throws {
            let (caller, callee) = (try Endpoint(), try Self.silent())
            let (a, b) = (try await Self.session(caller), try await Self.session(callee))
            let offer = try await a.createOffer()
            var candidates: [ICECandidate] = []
            for await event in a.events {
                guard case .localCandidate(var candidate) = event else { continue }
                candidate.sdpMLineIndex = nil
                candidates.append(candidate)
                break
            }
            for candidate in candidates { await b.add(candidate) }
            try await a.apply(answer: try await b.createAnswer(to: offer))
            for await event in b.events where event == .connected { break }
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("Closing a session cancels its operations and rejects later ones")
        func closed() async throws {
            let endpoint = try Self.silent()
            let session = try await Self.session(endpoint)
            async let offer = session.createOffer()
            await session.close()
            _ = try? await offer  // either call may be the first
            await #expect(throws: CancellationError.self) { _ = try await session.createOffer() }
            await session.add(
                ICECandidate(candidate: "candidate:1 1 UDP 1 192.0.2.1 9 typ host", sdpMLineIndex: 0)
            )
            await session.close()
            for await _ in session.events {}
            await endpoint.media.finish()
        }

        @Test("A session is closed even if the closing task is cancelled")
        func cancelledClose() async throws {
            let endpoint = try Self.silent()
            let session = try await Self.session(endpoint)
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { await session.close() }
            }
            for await _ in session.events {}
            await endpoint.media.finish()
        }
    }
}
