internal import Basics
package import GLibKit
internal import GStreamerKit
internal import Glibc
package import LiveCore
package import MediaKit
internal import Synchronization

/// The player in the process that `SeparatePlayer` starts for each stream.
@LoopActor
package final class PlayerHost {
    private let library: PipelineLibrary
    private let slots: FrameSlots
    private let view = Mutex(PlayerView(isSeen: false, height: nil))
    private let host: ProcessHost<PlayerRequest, PlayerReport>
    private var stream: (any LiveStream)?

    /// Opens the memory shared by the parent process.
    ///
    /// - Throws: `LiveFailure` if this process was not started as a player.
    package init(library: PipelineLibrary) throws(LiveFailure) {
        self.library = library
        do {
            slots = try FrameSlots(taking: PlayerProcess.memory)
        } catch {
            throw LiveFailure(.invalid, "callrunner itself starts this command, to play a stream")
        }
        host = ProcessHost(others: PlayerProcess.descriptorCount)
        // Initialization takes a while, so it begins before the first request.
        GStreamer.start()
    }

    /// Plays until the parent process closes the stream of requests, then ends this process.
    package func run() async { await host.run { await self.perform($0) } }

    private func perform(_ requests: AsyncStream<PlayerRequest>) async {
        await withDiscardingTaskGroup { group in
            for await request in requests {
                switch request {
                case .open(let setup):
                    group.addTask { await self.play(setup) }
                    group.addTask { await self.host.beat { await Self.pass() } }
                case .look(let view): self.view.withLock { $0 = view }
                case .apply(let options): await stream?.apply(options)
                case .seek(let target): await stream?.seek(to: target)
                }
            }
        }
    }

    @LiveActor private static func pass() {}

    private func play(_ setup: PlayerSetup) async {
        view.withLock { $0 = setup.view }
        let show: @Sendable (VideoFrame) -> Void = { [slots] frame in
            guard let slot = slots.store(frame) else { return }
            var byte = UInt8(slot)
            write(PlayerProcess.pipe, &byte, 1)
        }
        let output = LiveOutput(
            show: setup.hasVideo ? show : nil,
            isSeen: { self.view.withLock { $0.isSeen } },
            height: { self.view.withLock { $0.height } },
            speaker: setup.speaker,
            takesSelectedSpeaker: setup.takesSelectedSpeaker
        )
        do {
            let stream = try await LiveMediaPlayer(output, library: library).open(
                setup.address,
                setup.options
            )
            self.stream = stream
            host.report(.opened)
            for await event in stream.events {
                host.report(.event(event))
            }
        } catch {
            let failure = error as? LiveFailure
            let other = LiveFailure(.unsupported, "the stream cannot be opened: \(error)")
            host.report(.refused(failure ?? other))
        }
    }
}
