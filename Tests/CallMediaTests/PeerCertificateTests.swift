import Basics
import CallCore
import Foundation
import Synchronization
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite(
        "Verification of the peer's certificate",
        .enabled(if: Tool.areInstalled, Tool.reason),
        .timeLimit(.minutes(4))
    )
    struct PeerCertificateTests {
        /// Changes the last digit of each fingerprint in a session description.
        private static func altered(_ description: String) -> String {
            SessionDescriptionText.editing(description) { line in
                guard line.hasPrefix("a=fingerprint:") else { return String(line) }
                return line.dropLast() + (line.hasSuffix("0") ? "1" : "0")
            }
        }

        /// Runs a call in which `role` receives a fingerprint that does not match its peer's certificate.
        ///
        /// - Returns: the events of that side's session until it failed.
        private static func deceive(_ role: Role, _ change: (inout MediaConfiguration) throws -> Void)
            async throws
            -> [MediaEvent]
        {
            let (caller, callee) = (
                try Endpoint(role == .caller ? change : { _ in }),
                try Endpoint(role == .callee ? change : { _ in })
            )
            let calling = try await caller.media.makeSession(role: .caller, iceServers: [])
            let called = try await callee.media.makeSession(role: .callee, iceServers: [])
            let offer = try await calling.createOffer()
            let answer = try await called.createAnswer(to: role == .callee ? altered(offer) : offer)
            try await calling.apply(answer: role == .caller ? altered(answer) : answer)
            let (deceived, other) = role == .caller ? (calling, called) : (called, calling)
            let passing = Task {
                for await case .localCandidate(let candidate) in other.events {
                    await deceived.add(candidate)
                }
            }
            var seen: [MediaEvent] = []
            for await event in deceived.events {
                if case .localCandidate(let candidate) = event { await other.add(candidate) }
                seen.append(event)
                if case .failed = event { break }
            }
            await calling.close()
            await called.close()
            await passing.value
            await caller.media.finish()
            await callee.media.finish()
            return seen
        }

        @Test(
            "A certificate that does not match the session description ends the attempt before any media",
            arguments: [Role.caller, .callee]
        )
        func another(role: Role) async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("never.mkv")
            let seen = try await Self.deceive(role) {
                $0.recording = try RecordingFile(path: path, container: .mkv, overwrite: false)
            }
            guard case .failed(.unverifiedPeer(let detail)) = seen.last else {
                Issue.record("\(seen)")
                return
            }
            #expect(
                detail.contains("its certificate has the fingerprint sha-256")
                    && detail.contains("its session description has sha-256")
            )
            let media: [MediaEvent] = [
                .connected, .firstPacket(.video), .firstPacket(.audio), .firstFrame(.video),
                .firstFrame(.audio),
            ]
            #expect(media.allSatisfy { !seen.contains($0) })
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("A session description without a fingerprint is rejected before it is applied")
        func none() async throws {
            let (caller, callee) = (try Endpoint(), try Endpoint())
            let session = try await caller.media.makeSession(role: .caller, iceServers: [])
            let offer = try await session.createOffer()
            func bare(_ sdp: String) -> String {
                SessionDescriptionText.editing(sdp) { $0.hasPrefix("a=fingerprint:") ? nil : String($0) }
            }
            let other = try await callee.media.makeSession(role: .callee, iceServers: [])
            let failure = CallMediaFailure.badDescription(
                "the offer: \(SessionDescriptionError.noFingerprint)"
            )
            await #expect(throws: failure) { try await other.createAnswer(to: bare(offer)) }
            let answer = bare(try await other.createAnswer(to: offer))
            await #expect(throws: CallMediaFailure.badDescription("\(SessionDescriptionError.noFingerprint)"))
            {
                try await session.apply(answer: answer)
            }
            await session.close()
            await other.close()
            await caller.media.finish()
            await callee.media.finish()
        }

        @Test("A later session description cannot name another certificate")
        func later() throws {
            let certificate = try DTLSCertificate()
            let check = PeerCertificateCheck { Issue.record("\($0)") }
            let names = "v=0\r\nm=audio 9 X 0\r\na=fingerprint:sha-256 \(certificate.fingerprint)\r\n"
            let pem = try #require(certificate.pem.components(separatedBy: "-----BEGIN PRIVATE").first)
            #expect(!check.isVerified)
            try check.expect(SessionDescription(parsing: names))
            #expect(check.accepts(pem: pem) && check.isVerified)
            try check.expect(SessionDescription(parsing: names.lowercased()))
            #expect(throws: CallMediaFailure.self) {
                try check.expect(SessionDescription(parsing: Self.altered(names)))
            }
            #expect(check.accepts(pem: pem))
        }

        @Test("A certificate that precedes the session description or is malformed is rejected")
        func early() throws {
            let failures = Mutex(0)
            let check = PeerCertificateCheck { _ in failures.withLock { $0 += 1 } }
            #expect(!check.accepts(pem: try DTLSCertificate().pem))
            for pem in ["", "garbage", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"] {
                #expect(!check.accepts(pem: pem))
            }
            #expect(!check.isVerified)
            #expect(failures.withLock { $0 } == 4)
        }
    }
}
