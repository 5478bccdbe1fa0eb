import Basics
import CallCore
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

extension RealTime {
    @Suite("Switching devices during a call", .timeLimit(.minutes(4)))
    struct DeviceSelectionTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Returns a copy of the project's templates whose camera is a test pattern.
        private func library() throws -> PipelineLibrary {
            let copy = folder.path("pipelines")
            try FileManager.default.copyItem(atPath: Project.library.directory, toPath: copy)
            let camera = """
                videotestsrc is-live=true name=camera
                    ! video/x-raw,format=I420,width={width},height={height},framerate={framerate}/1
                    ! appsink name=video max-buffers=4 drop=true
                """
            try camera.write(toFile: "\(copy)/sources/camera.pipeline", atomically: true, encoding: .utf8)
            return PipelineLibrary(directory: copy)
        }

        private func reason(_ body: () async throws -> Void) async -> MediaRefusal.Reason? {
            do {
                try await body()
                return nil
            } catch { return (error as? MediaRefusal)?.reason }
        }

        @Test(
            "Video continues in the same stream from another selected camera; a missing camera is refused"
        )
        func camera() async throws {
            for name in ["one", "other"] { try Data().write(to: URL(fileURLWithPath: folder.path(name))) }
            let library = try library()
            let caller = try Endpoint {
                $0.source = .camera(folder.path("one"))
                $0.library = library
                $0.codecs = [.vp8, .opus]
            }
            let callee = try Endpoint { $0.source = .none }
            let attempt = try await Endpoint.Attempt(caller, callee)
            _ = await attempt.run(until: 1)
            #expect(
                await reason { _ = try await caller.media.select(folder.path("none"), as: .camera) }
                    == .noDevice
            )
            #expect(try await caller.media.select(folder.path("other"), as: .camera) == folder.path("other"))
            let seen = await attempt.run(until: 3) { $0.videoIn?.fps ?? 0 > 5 }
            #expect(!seen[0].contains { if case .failed = $0 { true } else { false } })
            #expect(seen[1].statistics.last?.videoIn?.fps ?? 0 > 5)
            await attempt.close()
            await caller.media.finish()
            await callee.media.finish()
            let selected = await caller.notices().compactMap {
                if case .selected(let device) = $0 { device.id } else { nil }
            }
            #expect(selected == [folder.path("other")])
        }

        @Test(
            "A device of a kind that the call does not use cannot be selected",
            arguments: MediaDevice.Kind.allCases
        )
        func missing(_ kind: MediaDevice.Kind) async throws {
            let endpoint = try Endpoint { $0.source = .pattern }
            try await endpoint.media.prepare()
            #expect(await reason { _ = try await endpoint.media.select("default", as: kind) } == .noDevice)
            await endpoint.media.finish()
        }
    }
}
