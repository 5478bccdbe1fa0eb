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
    private let output = Mutex(())
    /// The descriptor to which reports are written.
    private let reports: Int32
    private var stream: (any LiveStream)?

    /// The interval at which this process reports to be alive.
    static let beat = Duration.seconds(2)

    /// Opens the memory that the starting process shares.
    ///
    /// - Throws: `LiveFailure` if no process has started this one as its player.
    package init(library: PipelineLibrary) throws(LiveFailure) {
        self.library = library
        do {
            slots = try FrameSlots(taking: PlayerProcess.memory)
        } catch {
            throw LiveFailure(.invalid, "callrunner itself starts this command, to play a stream")
        }
        // Libraries print to standard output, too, and what they start must not hold the pipes open.
        reports = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, PlayerProcess.pipe + 1)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        _ = fcntl(PlayerProcess.pipe, F_SETFD, FD_CLOEXEC)
        // It takes a while, and the first request may come later.
        GStreamer.start()
    }

    /// Plays until the starting process ends the requests, then ends this process.
    ///
    /// Nothing is closed, because a demuxer may hang, and because there is nothing to save.
    package func run() async {
        let (requests, request) = AsyncStream.makeStream(of: PlayerRequest.self)
        await withDiscardingTaskGroup { group in
            // Requests may wait for a demuxer that hangs, which must not hide the end of the input.
            group.addTask { await self.perform(requests) }
            await listen(request)
            _exit(0)
        }
    }

    /// Passes requests on until the end of the input.
    private func listen(_ request: AsyncStream<PlayerRequest>.Continuation) async {
        let input = DescriptorInput(STDIN_FILENO)
        var splitter = LineSplitter()
        while let bytes = try? await input.read(), !bytes.isEmpty {
            for case .text(let line) in splitter.append(bytes) {
                if let known = try? PlayerRequest(line: line) { request.yield(known) }
            }
        }
    }

    private func perform(_ requests: AsyncStream<PlayerRequest>) async {
        await withDiscardingTaskGroup { group in
            for await request in requests {
                switch request {
                case .open(let setup):
                    group.addTask { await self.play(setup) }
                    group.addTask { await self.beat() }
                case .look(let view): self.view.withLock { $0 = view }
                case .apply(let options): await stream?.apply(options)
                case .seek(let target): await stream?.seek(to: target)
                }
            }
        }
    }

    /// Reports as long as nothing blocks the actor that controls GStreamer.
    private func beat() async {
        while (try? await Task.sleep(for: Self.beat)) != nil {
            await Self.pass()
            report(.alive)
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
            report(.opened)
            for await event in stream.events {
                report(.event(event))
            }
        } catch {
            let failure = error as? LiveFailure
            let other = LiveFailure(.unsupported, "the stream cannot be opened: \(error)")
            report(.refused(failure ?? other))
        }
    }

    /// Writes a report, which waits only while the other process does not read; callable on any thread.
    private nonisolated func report(_ report: PlayerReport) {
        guard let line = try? report.shortened.line() else { return }
        output.withLock { _ in
            var rest = line[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(reports, $0.baseAddress, $0.count) }
                guard count >= 0 || errno == EINTR else { return }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}
