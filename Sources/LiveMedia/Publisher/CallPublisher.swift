package import Basics
package import GLibKit
package import GStreamerKit
package import LiveCore
package import MediaKit

/// A publication of a call as a live stream: the peer's video, and the voices of both sides.
///
/// H.264 is passed on, and other video is encoded. The stream outlives the attempts of the call; a lost connection to the
/// server is established again.
@MediaActor
package final class CallPublisher: CallOutput {
    /// The interval at which keyframes of video that is passed on are requested, because players begin at keyframes only.
    private static let keyframeInterval = Duration.seconds(2)
    /// The time within which the rest of the stream must be sent at the end.
    private static let endLimit = Duration.seconds(2)

    private enum Order: Sendable {
        case take(Recordings.Stream, MediaKind, MediaSide)
        case release(MediaSide)
        case fail(LiveFailure)
    }

    private struct Video {
        let codec: Codec
        let pipeline: PublishPipeline
        var attachment: SampleHub.Attachment?
        var requestKeyframe: @Sendable () -> Void
        /// Requests keyframes of video that is passed on; nil for video that is encoded here.
        var requests: Task<Void, Never>?
    }

    private let loop: PublishLoop
    private let library: PipelineLibrary
    private let limit: DecodingLimit
    private let warn: @Sendable (String) -> Void
    private let fail: @Sendable (LiveFailure) -> Void
    private let clock = PublishClock()
    private let converters: [MediaKind: SampleConverter]
    private var video: Video?
    private var voices: PublishPipeline?
    private var voiceAttachments: [MediaSide: SampleHub.Attachment] = [:]
    private let orders: AsyncStream<Order>.Continuation
    private var worker: Task<Void, Never>?
    /// Whether a failure has ended the publication.
    private var hasFailed = false
    private var connection: Task<Void, Never>?

    private var queue: PublishQueue { loop.queue }

    /// Creates a publisher, which connects to the server when the first stream of the call flows.
    ///
    /// - Parameters:
    ///   - address: The address of the server, with the key of the stream.
    ///   - authorities: The certificate authorities trusted for TLS.
    ///   - kinds: The kinds of media that the stream has.
    ///   - library: The library that contains the pipeline templates.
    ///   - limit: The resolution above which the peer's video is not decoded.
    ///   - report: Receives the events of the connection.
    ///   - warn: Receives a sentence when video is left out.
    ///   - fail: Receives the failure that ends the publication.
    package init(
        to address: PublishAddress,
        trusting authorities: TLSAuthorities,
        kinds: Set<MediaKind>,
        from library: PipelineLibrary,
        within limit: DecodingLimit,
        report: @escaping @Sendable (PublishEvent) -> Void,
        warn: @escaping @Sendable (String) -> Void,
        fail: @escaping @Sendable (LiveFailure) -> Void
    ) {
        loop = PublishLoop(
            address: address,
            authorities: authorities,
            queue: PublishQueue(tracks: kinds.count),
            report: report,
            awaitsServer: true
        )
        (self.library, self.limit, self.warn, self.fail) = (library, limit, warn, fail)
        converters = [
            .video: SampleConverter(clock: clock, isVideo: true),
            .audio: SampleConverter(clock: clock, isVideo: false),
        ]
        let (orders, order) = AsyncStream.makeStream(of: Order.self)
        self.orders = order
        worker = Task { [weak self] in for await order in orders { await self?.carryOut(order) } }
    }

    package func take(_ stream: Recordings.Stream, kind: MediaKind, of side: MediaSide) {
        orders.yield(.take(stream, kind, side))
    }

    package func release(_ side: MediaSide) { orders.yield(.release(side)) }

    package func finish() async {
        orders.finish()
        await worker?.value
        await closeStreams()
        await endConnection()
    }

    // MARK: Streams

    private func carryOut(_ order: Order) async {
        guard !hasFailed else { return }
        do {
            switch order {
            case .take(let stream, .video, .remote): try await show(stream)
            case .take(_, .video, .local): return
            case .take(let stream, .audio, let side): try hear(stream, of: side)
            case .release(let side): return stopReceiving(side)
            case .fail(let failure): return await end(after: failure)
            }
            connect()
        } catch {
            await end(after: LiveFailure(.unsupported, MediaFailure(error).sentence))
        }
    }

    /// Ends the publication; the call goes on.
    private func end(after failure: LiveFailure) async {
        hasFailed = true
        fail(failure)
        connection?.cancel()
        await closeStreams()
    }

    /// Publishes the peer's video; another codec needs another pipeline.
    private func show(_ stream: Recordings.Stream) async throws {
        video?.attachment?.detach()
        if video?.codec != stream.codec {
            await closeVideo()
            video = try open(stream)
        }
        let attachment = video?.pipeline.attach(
            stream.hub,
            to: "video",
            fromKeyframe: true,
            through: gate(of: stream)
        )
        video?.attachment = attachment
        video?.requestKeyframe = stream.requestKeyframe
        stream.requestKeyframe()
    }

    /// Returns the gate before the decoder; nil for video that is passed on.
    private func gate(of stream: Recordings.Stream) -> GatedStream? {
        guard stream.codec != .h264 else { return nil }
        return GatedStream(
            stream.codec,
            limit: limit,
            warn: warn,
            requestKeyframe: stream.requestKeyframe
        )
    }

    private func open(_ stream: Recordings.Stream) throws -> Video {
        let isPassedOn = stream.codec == .h264
        let pipeline = try PublishPipeline(
            parsing: library.description(isPassedOn ? "publish/h264" : "publish/call"),
            inputs: ["video"],
            outputs: [PublishPipeline.Output(name: "video-out", add: adder(.video))],
            onError: pipelineFailed
        )
        return Video(
            codec: stream.codec,
            pipeline: pipeline,
            requestKeyframe: stream.requestKeyframe,
            requests: isPassedOn ? keyframeRequests() : nil
        )
    }

    private func keyframeRequests() -> Task<Void, Never> {
        Task { [weak self] in
            while (try? await Task.sleep(for: Self.keyframeInterval)) != nil { self?.requestKeyframe() }
        }
    }

    private func requestKeyframe() { video?.requestKeyframe() }

    /// Publishes the voice of a side, mixed with that of the other one.
    private func hear(_ stream: Recordings.Stream, of side: MediaSide) throws {
        let voices =
            try voices
            ?? PublishPipeline(
                parsing: library.description("publish/voices"),
                inputs: MediaSide.allCases.map(\.rawValue),
                outputs: [PublishPipeline.Output(name: "audio-out", add: adder(.audio))],
                onError: pipelineFailed
            )
        self.voices = voices
        voiceAttachments[side]?.detach()
        voiceAttachments[side] = voices.attach(stream.hub, to: side.rawValue)
    }

    private func stopReceiving(_ side: MediaSide) {
        voiceAttachments.removeValue(forKey: side)?.detach()
        guard side == .remote else { return }
        video?.attachment?.detach()
        video?.attachment = nil
    }

    private func closeStreams() async {
        for side in MediaSide.allCases { stopReceiving(side) }
        await closeVideo()
        await voices?.close()
        voices = nil
    }

    private func closeVideo() async {
        guard let closing = video else { return }
        video = nil
        closing.attachment?.detach()
        closing.requests?.cancel()
        await closing.requests?.value
        await closing.pipeline.close()
    }

    private func adder(_ kind: MediaKind) -> @Sendable (MediaSample) -> Void {
        { [queue, converter = converters[kind]] sample in
            for item in converter?.items(of: sample) ?? [] { queue.add(item) }
        }
    }

    private var pipelineFailed: @Sendable (MediaFailure) -> Void {
        { [orders] in orders.yield(.fail(LiveFailure(.unsupported, $0.sentence))) }
    }

    // MARK: Connection

    private func connect() {
        guard connection == nil else { return }
        connection = Task { [loop, orders, weak self] in
            do {
                try await loop.run { [weak self] _ in await self?.requestKeyframe() }
            } catch let failure as LiveFailure { orders.yield(.fail(failure)) } catch {}
        }
    }

    /// Lets the connection end when the rest of the stream has been sent.
    private func endConnection() async {
        guard let connection else { return }
        queue.finish()
        if !queue.isOpen { connection.cancel() }
        let limit = Task {
            guard (try? await Task.sleep(for: Self.endLimit)) != nil else { return }
            connection.cancel()
        }
        await connection.value
        limit.cancel()
        await limit.value
    }
}
