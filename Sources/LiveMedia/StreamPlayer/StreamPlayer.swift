internal import Basics
internal import GStreamerKit
internal import LiveCore
internal import MediaKit

/// A player of a live stream (HLS) or a media file, which reopens a stream that was lost.
///
/// ```swift
/// let player = try await StreamPlayer(.init(address: "https://HOST/NAME.m3u8", pipelines: pipelines))
/// async let playing: Void = player.run()
/// for await event in player.events { print(event) }
/// await playing
/// ```
public final class StreamPlayer: Sendable {
    /// The events in order, for a single consumer; the stream finishes with `run()`.
    public let events: AsyncStream<Event>
    /// The video frames, each at the time at which it is to be shown.
    ///
    /// The stream supports a single consumer. It buffers at most two frames; older ones are dropped.
    public let frames: AsyncStream<Frame>

    private let player: LivePlayer
    private let address: LiveAddress
    private let event: AsyncStream<Event>.Continuation
    private let frame: AsyncStream<Frame>.Continuation

    /// Prepares a player; nothing is loaded yet.
    ///
    /// - Throws: `Failure` if the address is invalid, or if the loudspeaker does not exist.
    public init(_ configuration: Configuration) async throws(Failure) {
        (events, event) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(1024))
        let (frames, frame) = AsyncStream.makeStream(of: Frame.self, bufferingPolicy: .bufferingNewest(2))
        (self.frames, self.frame) = (frames, frame)
        let speaker: AudioDevice?
        do throws(LiveFailure) { address = try LiveAddress(configuration.address) } catch {
            throw Failure(error)
        }
        do throws(MediaFailure) { speaker = try await Self.speaker(configuration.speaker) } catch {
            throw Failure(LiveFailure(.unsupported, error.sentence))
        }
        let output = LiveOutput(show: { frame.yield(Frame($0)) }, speaker: speaker)
        player = LivePlayer(
            LiveMediaPlayer(output, library: PipelineLibrary(directory: configuration.pipelines)),
            options: LiveOptions(
                audio: LiveAudio(volume: Self.accepted(configuration.volume)),
                loops: configuration.loops
            )
        )
    }

    /// Plays until `finish()` is called or the task is cancelled; call it once.
    public func run() async {
        player.send(.select(address))
        await withDiscardingTaskGroup { group in
            group.addTask { [player, event] in for await known in player.events { event.yield(Event(known)) }
            }
            await player.run()
        }
        event.finish()
        frame.finish()
    }

    /// Closes the stream and ends `run()`.
    public func finish() { player.finish() }

    /// Resumes after a pause, or reopens a stream that was lost or has ended.
    public func play() { player.send(.play) }

    /// Pauses the stream; its last frame is not repeated.
    public func pause() { player.send(.pause) }

    /// Continues a live stream at its live edge.
    public func skipToLive() { player.send(.seek(.liveEdge)) }

    /// Continues at a position, counted from the beginning of the file or of the part of a live stream that the server
    /// still provides.
    public func seek(to position: Duration) { player.send(.seek(.position(position))) }

    /// Sets the volume in percent, 0…150, and whether the stream is muted.
    public func setAudio(volume: Int, isMuted: Bool = false) {
        player.send(.setAudio(LiveAudio(volume: Self.accepted(volume), isMuted: isMuted)))
    }

    /// Sets whether a file restarts after its end.
    public func setLoops(_ loops: Bool) { player.send(.setLoops(loops)) }

    private static func accepted(_ volume: Int) -> Int {
        min(max(volume, PlaybackVolume.range.lowerBound), PlaybackVolume.range.upperBound)
    }

    @MediaActor
    private static func speaker(_ speaker: Configuration.Speaker) throws(MediaFailure) -> AudioDevice? {
        switch speaker {
        case .none: nil
        case .standard: try AudioDevice.find(.standard, .playback, on: .pulse)
        case .named(let name): try AudioDevice.find(.named(name), .playback, on: nil)
        }
    }
}
