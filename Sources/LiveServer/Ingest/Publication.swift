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
    /// Receives the rates of the stream about once a second.
    private let whenMeasured: (StreamHealth.Rates) -> Void
    private let whenEnded: () -> Void
    /// The recording to which the segments are added; nil if the stream is not recorded.
    private let recording: (recordings: Recordings, id: String)?
    private var packager: SegmentPackager
    private var isEnded = false
    private let traffic: IngestTraffic
    private let start = ContinuousClock.now
    /// The time at which the newest media has arrived.
    private(set) var newest: Timestamp
    private var segmentCount = 0

    /// The number of segments that an encoder may send at the beginning, and in each second: it may send faster than in
    /// real time, but not so that segments are gone before anybody has loaded them.
    private static let (firstSegments, segmentsPerSecond) = (120, 10)
    private(set) var health = StreamHealth()

    init(
        stream: String,
        channel: LiveChannel,
        segment: Duration,
        recording: (recordings: Recordings, id: String)?,
        traffic: IngestTraffic,
        now: @escaping @Sendable () -> Timestamp,
        whenMeasured: @escaping (StreamHealth.Rates) -> Void,
        whenEnded: @escaping () -> Void
    ) {
        (self.stream, self.channel, self.now) = (stream, channel, now)
        (self.whenMeasured, self.whenEnded) = (whenMeasured, whenEnded)
        (self.recording, self.traffic) = (recording, traffic)
        newest = now()
        packager = SegmentPackager(duration: segment, isRecorded: recording != nil)
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
            traffic.count(bytes: units.count, isFrame: true)
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
            traffic.count(bytes: frame.count)
            try add(.audio(frame), timestamp)
        case .nothing: break
        case .unsupported(let codec):
            throw LiveFailure(.unsupported, "its audio is \(codec); set the encoder to AAC")
        }
    }

    private func add(_ sample: SegmentPackager.Sample, _ timestamp: UInt32) throws(LiveFailure) {
        guard !isEnded else { return }
        let now = now()
        newest = now
        guard let segment = try packager.add(sample, at: timestamp, now: now) else { return }
        segmentCount += 1
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        guard segmentCount <= seconds * Self.segmentsPerSecond + Self.firstSegments else {
            throw LiveFailure(
                .unsupported,
                "it begins too many segments: its timestamps run much faster than real time"
            )
        }
        add(segment)
        if let rates = health.rates(at: now) { whenMeasured(rates) }
    }

    private func add(_ segment: LiveSegment) {
        var segment = segment
        if let recording, !recording.recordings.add(segment, to: recording.id) {
            packager.restartRecording()
        }
        // Players get the other form.
        segment.movie = nil
        channel.add(segment)
    }

    /// Adds the last segment, and reports the end; later calls do nothing.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        if let segment = packager.finish() { add(segment) }
        whenEnded()
    }
}
