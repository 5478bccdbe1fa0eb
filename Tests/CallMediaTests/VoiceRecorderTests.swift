import Basics
import Foundation
import GStreamerKit
import Synchronization
import Testing

@testable import MediaKit

extension RealTimeFiles {
    @Suite("Recorder of voice messages", .timeLimit(.minutes(4)))
    @MediaActor
    struct VoiceRecorderTests {
        private static let tone =
            "audiotestsrc is-live=true samplesperbuffer=480 wave=square volume=0.5"
            + " ! audio/x-raw,format=S16LE,rate=48000,channels=1 ! appsink name=audio"
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            for name in ["sources/silence", "recorders/voice"] {
                let path = folder.path("\(name).pipeline")
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent,
                    withIntermediateDirectories: true
                )
                try FileManager.default.copyItem(
                    atPath: "\(Project.library.directory)/\(name).pipeline",
                    toPath: path
                )
            }
        }

        /// A request for a microphone that the pipeline template `description` stands for.
        private func request(_ description: String, isThere: Bool = true) throws -> AudioRequest {
            try description.write(
                toFile: folder.path("sources/microphone.pipeline"),
                atomically: true,
                encoding: .utf8
            )
            var settings = AudioSettings()
            settings.capture = isThere ? .pulse : nil
            return AudioRequest(
                settings: settings,
                sends: true,
                receives: false,
                source: .auto,
                needsSpeaker: false,
                preferred: [:],
                library: PipelineLibrary(directory: folder.path)
            )
        }

        @Test("The microphone is recorded as Opus until the end is requested, and its level is reported")
        func record() async throws {
            let end = AsyncStream.makeStream(of: Never.self)
            let levels = Mutex<[Double]>([])
            let path = folder.path("voice.ogg")
            try await VoiceRecorder.record(try request(Self.tone), to: path, until: end.stream) { level in
                let count = levels.withLock { levels in
                    levels.append(level)
                    return levels.count
                }
                if count == 15 { end.continuation.finish() }
            }
            let file = try await ProbedFile.read(path)
            #expect(file.codecs == ["opus"])
            #expect((1.4...3).contains(file.duration))
            #expect(levels.withLock { $0 }.dropFirst().allSatisfy { (-7 ... -5).contains($0) })
        }

        @Test("A recording whose task is cancelled is still a complete file")
        func cancelled() async throws {
            let path = folder.path("voice.ogg")
            let begun = AsyncStream.makeStream(of: Void.self)
            let request = try request(Self.tone)
            let recording = Task {
                let end = AsyncStream.makeStream(of: Never.self)
                try await VoiceRecorder.record(request, to: path, until: end.stream) { _ in
                    begun.continuation.yield()
                }
            }
            for await _ in begun.stream { break }
            recording.cancel()
            try await recording.value
            #expect(try await ProbedFile.read(path).duration > 0)
        }

        @Test(
            "A microphone that is missing or delivers no audio fails the recording with a reason",
            arguments: [
                (false, "", "there is no microphone"),
                (true, "audiotestsrc is-live=true num-buffers=0 ! appsink name=audio", "cannot be used"),
            ]
        )
        func none(isThere: Bool, description: String, reason: String) async throws {
            let end = AsyncStream.makeStream(of: Never.self)
            let request = try request(description, isThere: isThere)
            let failure = await #expect(throws: VoiceRecorder.Failure.self) {
                try await VoiceRecorder.record(
                    request,
                    to: folder.path("voice.ogg"),
                    until: end.stream,
                    onLevel: { _ in }
                )
            }
            #expect(failure?.cause.sentence.contains(reason) == true)
        }

        @Test("The loss of the microphone ends the recording, which remains playable up to that point")
        func lost() async throws {
            let path = folder.path("voice.ogg")
            let end = AsyncStream.makeStream(of: Never.self)
            let lossy = Self.tone.replacingOccurrences(
                of: "! appsink",
                with: "! identity error-after=150 ! appsink"
            )
            let request = try request(lossy)
            let failure = await #expect(throws: VoiceRecorder.Failure.self) {
                try await VoiceRecorder.record(request, to: path, until: end.stream, onLevel: { _ in })
            }
            #expect(failure?.cause.sentence.contains("is lost") == true)
            #expect(try await ProbedFile.read(path).duration > 0.5)
        }

        @Test("A missing folder fails the recording")
        func unwritable() async throws {
            let end = AsyncStream.makeStream(of: Never.self)
            let request = try request(Self.tone)
            await #expect(throws: VoiceRecorder.Failure.self) {
                try await VoiceRecorder.record(
                    request,
                    to: folder.path("missing/voice.ogg"),
                    until: end.stream,
                    onLevel: { _ in }
                )
            }
        }
    }
}
