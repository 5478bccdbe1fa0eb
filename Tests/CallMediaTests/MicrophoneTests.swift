import Basics
import Foundation
import GStreamerKit
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTimeFiles {
    @Suite("Microphone", .timeLimit(.minutes(4)))
    @MediaActor
    struct MicrophoneTests {
        private let said = AsyncStream.makeStream(of: String.self)
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            try FileManager.default.createDirectory(
                atPath: folder.path("sources"),
                withIntermediateDirectories: true
            )
            let silence = try String(
                contentsOfFile: Project.library.directory + "/sources/silence.pipeline",
                encoding: .utf8
            )
            let copy = folder.path("sources/silence.pipeline")
            try silence.write(toFile: copy, atomically: true, encoding: .utf8)
        }

        /// Creates a microphone that opens every device with the pipeline template `description`.
        private func microphone(_ description: String, isThere: Bool = true) throws -> Microphone {
            try description.write(
                toFile: folder.path("sources/microphone.pipeline"),
                atomically: true,
                encoding: .utf8
            )
            return Microphone(
                try AudioDevice.find(.standard, .capture, on: isThere ? .pulse : nil),
                voice: nil,
                library: PipelineLibrary(directory: folder.path)
            ) { [said] in said.continuation.yield($0) }
        }

        @Test("Silence is sent with a warning if there is no microphone")
        func none() async throws {
            let microphone = try microphone("", isThere: false)
            try await microphone.open()
            let sent = RecordedTrack(microphone.tracks[0].hub)
            try microphone.connectionIsUp()
            await sent.reach(20)
            await microphone.close()
            said.continuation.finish()
            var sentences: [String] = []
            for await sentence in said.stream { sentences.append(sentence) }
            #expect(sentences == ["there is no microphone, so silence is sent"])
        }

        @Test("Selecting another microphone replaces a lost one, and ends the wait for its return")
        func another() async throws {
            let sourceTemplate =
                "audiotestsrc is-live=true samplesperbuffer=480 ! audio/x-raw,format=S16LE,rate=48000,channels=1 "
            let microphone = try microphone(sourceTemplate + "! identity error-after=30 ! appsink name=audio")
            try await microphone.open()
            try microphone.connectionIsUp()
            var sentences = said.stream.makeAsyncIterator()
            #expect(await sentences.next()?.contains("is lost") == true)
            try (sourceTemplate + "! appsink name=audio").write(
                toFile: folder.path("sources/microphone.pipeline"),
                atomically: true,
                encoding: .utf8
            )
            let other = try #require(try AudioDevice.find(.standard, .capture, on: .alsa))
            try await microphone.select(other)
            said.continuation.yield("selected")
            #expect(microphone.device == other)
            let sent = RecordedTrack(microphone.tracks[0].hub)
            await sent.reach(150)
            #expect(sent.gaps.allSatisfy { $0 > 0 })
            await microphone.close()
            said.continuation.finish()
            // The lost microphone may have been reported as back before the selection.
            while let sentence = await sentences.next(), sentence != "selected" {}
            #expect(await sentences.next() == nil)
        }

        @Test("A selected microphone that cannot be opened does not replace the current one")
        func useless() async throws {
            let sourceTemplate =
                "audiotestsrc is-live=true samplesperbuffer=480 ! audio/x-raw,format=S16LE,rate=48000,channels=1 "
            let microphone = try microphone(sourceTemplate + "! appsink name=audio")
            try await microphone.open()
            try microphone.connectionIsUp()
            let before = microphone.device
            try "nonsense".write(
                toFile: folder.path("sources/microphone.pipeline"),
                atomically: true,
                encoding: .utf8
            )
            let other = try #require(try AudioDevice.find(.standard, .capture, on: .alsa))
            await #expect(throws: (any Error).self) { try await microphone.select(other) }
            #expect(microphone.device == before)
            let sent = RecordedTrack(microphone.tracks[0].hub)
            await sent.reach(20)
            await microphone.close()
        }

        @Test(
            "Timestamps follow from the arrival of samples, regardless of the timestamps that the device sets"
        )
        func times() async throws {
            let microphone = try microphone(
                "audiotestsrc is-live=true samplesperbuffer=480 ! audio/x-raw,format=S16LE,rate=48000,channels=1 "
                    + "! queue min-threshold-time=150000000 ! appsink name=audio"
            )
            try await microphone.open()
            let (errors, error) = AsyncStream.makeStream(of: Int64.self)
            let attachment = microphone.tracks[0].hub.attach { sample in
                guard let time = sample.presentationTime, let duration = sample.duration else { return }
                error.yield(Int64(MediaClock.shared.now) - Int64(time + duration))
            }
            try microphone.connectionIsUp()
            var seen: [Int64] = []
            for await error in errors.prefix(100) { seen.append(error) }
            attachment.detach()
            // A busy machine delivers some samples late, but none before its end and not all of them.
            #expect(seen.allSatisfy { $0 > -16_000_000 })
            #expect(seen.suffix(32).min().map { $0 < 16_000_000 } == true)
            await microphone.close()
        }

        @Test("A lost microphone is replaced by silence until it is back")
        func lost() async throws {
            let microphone = try microphone(
                "audiotestsrc is-live=true samplesperbuffer=480 ! audio/x-raw,format=S16LE,rate=48000,channels=1 "
                    + "! identity error-after=30 ! appsink name=audio"
            )
            try await microphone.open()
            let sent = RecordedTrack(microphone.tracks[0].hub)
            try microphone.connectionIsUp()
            var sentences = said.stream.makeAsyncIterator()
            let lost = await sentences.next()
            #expect(lost?.hasPrefix("the microphone default is lost, so silence is sent") == true)
            #expect(await sentences.next() == "the microphone default is back")
            await sent.reach(100)
            #expect(sent.gaps.allSatisfy { $0 > 0 })
            await microphone.close()
        }

        @Test("A microphone without audio is replaced by silence")
        func mute() async throws {
            let microphone = try microphone(
                "audiotestsrc is-live=true ! audio/x-raw,format=S16LE,rate=48000,channels=1 "
                    + "! identity drop-probability=1 ! appsink name=audio"
            )
            try await microphone.open()
            let sent = RecordedTrack(microphone.tracks[0].hub)
            try microphone.connectionIsUp()
            await sent.reach(20)
            var sentences = said.stream.makeAsyncIterator()
            #expect(await sentences.next()?.contains("cannot be used, so silence is sent") == true)
            await microphone.close()
        }

        @Test("The pauses between retries double up to eight seconds")
        func backoff() {
            var pauses = Backoff.afterDeviceLoss
            #expect((0..<5).map { _ in pauses.next(random: 0) } == [1, 2, 4, 8, 8].map { .seconds($0) })
        }

        @Test("There is no default device without an audio system")
        func noSystem() throws {
            #expect(try AudioDevice.find(.standard, .playback, on: nil) == nil)
            #expect(try AudioDevice.find(.none, .playback, on: .pulse) == nil)
            #expect(try AudioDevice.find(.automatic, .playback, on: .alsa)?.element == "alsasink")
        }
    }
}
