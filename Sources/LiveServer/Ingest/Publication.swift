internal import Basics
internal import LiveCore
internal import RTMP

/// A stream while an encoder publishes it: divides its media into segments and adds them to the stream's channel.
///
/// Confined to the event loop of the encoder's connection.
final class Publication {
    let stream: String
    private let channel: LiveChannel
    private let now: @Sendable () -> Timestamp
    private let whenEnded: () -> Void
    private var packager: SegmentPackager
    private var isEnded = false
    private(set) var health = StreamHealth()

    init(
        stream: String,
        channel: LiveChannel,
        segment: Duration,
        now: @escaping @Sendable () -> Timestamp,
        whenEnded: @escaping () -> Void
    ) {
        (self.stream, self.channel, self.now, self.whenEnded) = (stream, channel, now, whenEnded)
        packager = SegmentPackager(duration: segment)
        channel.interrupt()
    }

    /// Adds media of the encoder.
    ///
    /// - Throws: `LiveFailure` if the stream is damaged or not supported; it must then be ended.
    func add(_ video: FLVVideo, at timestamp: UInt32) throws(LiveFailure) {
        switch video {
        case .configuration(let record): try add(.videoConfiguration(record), timestamp)
        case .frame(let isKeyframe, let offset, let units):
            health.count(frameAt: timestamp, isKeyframe: isKeyframe, bytes: units.count)
            try add(.video(isKeyframe: isKeyframe, offset: offset, units), timestamp)
        case .endOfSequence, .nothing: break
        case .unsupported(let codec):
            throw LiveFailure(.unsupported, "its video is \(codec); set the encoder to H.264")
        }
    }

    func add(_ audio: FLVAudio, at timestamp: UInt32) throws(LiveFailure) {
        switch audio {
        case .configuration(let bytes): try add(.audioConfiguration(bytes), timestamp)
        case .frame(let frame):
            health.count(bytes: frame.count)
            try add(.audio(frame), timestamp)
        case .nothing: break
        case .unsupported(let codec):
            throw LiveFailure(.unsupported, "its audio is \(codec); set the encoder to AAC")
        }
    }

    private func add(_ sample: SegmentPackager.Sample, _ timestamp: UInt32) throws(LiveFailure) {
        if let segment = try packager.add(sample, at: timestamp, now: now()) { channel.add(segment) }
    }

    /// Adds the last segment, and reports the end; later calls do nothing.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        if let segment = packager.finish() { channel.add(segment) }
        whenEnded()
    }
}
