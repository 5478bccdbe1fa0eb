internal import Basics
internal import CallCore
internal import MediaKit

extension PeerConnection {
    /// The kinds of media in a call.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case audio, video

        init(_ kind: MediaKind) { self = kind == .audio ? .audio : .video }
    }

    /// An event of a peer connection.
    public enum Event: Hashable, Sendable {
        /// A candidate to send to the peer after the session description.
        case localCandidate(Candidate)
        /// ICE and DTLS are connected, and media can be sent.
        case connected
        /// The first complete frame of this kind was received from the peer.
        case firstFrame(Kind)
        /// The current statistics, sent every second.
        case statistics(Statistics)
        /// No packets were received for several seconds, or this host's IP addresses have changed.
        ///
        /// The connection should be closed.
        case stalled
        /// The source has ended; the connection remains open.
        case sourceEnded
        /// The connection, the source or a recording has failed.
        case failed(Failure)
        /// A recording was closed; `seconds` is its duration in seconds.
        case recordingSaved(path: String, seconds: Double)
        /// A problem that does not end the connection, described in one sentence.
        case warning(String)

        init?(_ event: MediaEvent) {
            switch event {
            case .localCandidate(let candidate): self = .localCandidate(Candidate(candidate))
            case .connected: self = .connected
            case .firstFrame(let kind): self = .firstFrame(Kind(kind))
            case .statistics(let statistics): self = .statistics(Statistics(statistics))
            case .stalled, .addressLost, .addressGained: self = .stalled
            case .sourceEnded: self = .sourceEnded
            case .failed(let failure): self = .failed(Failure(failure))
            case .iceConnected, .iceSelected, .relaysFailed, .firstPacket: return nil
            }
        }

        init?(_ notice: MediaNotice) {
            switch notice {
            case .recordingSaved(let recording):
                self = .recordingSaved(path: recording.path, seconds: recording.seconds)
            case .warning(let message), .recordingFailed(_, let message): self = .warning(message)
            case .failed(let failure): self = .failed(Failure(.local(failure)))
            case .source, .audioDevices, .selected, .recordingStarted, .recordingEmpty, .snapshotSaved,
                .graph:
                return nil
            }
        }
    }

    /// The statistics that are reported every second.
    ///
    /// They are rates of the last second, and totals since the connection began.
    public struct Statistics: Hashable, Sendable {
        /// The statistics of audio or video in one direction.
        public struct Flow: Hashable, Sendable {
            /// The RTP encoding name, such as `H264`.
            public var codec: String
            /// The bit rate in bits per second.
            public var bitrate: Int
            /// The number of packets since the connection began.
            public var packets: Int
            /// The number of packets lost since the connection began; always 0 for sent media.
            public var lost: Int
            /// The frames per second; 0 for audio.
            public var framesPerSecond: Double
        }

        /// The statistics of received media.
        public var received: [Kind: Flow] = [:]
        /// The statistics of sent media.
        public var sent: [Kind: Flow] = [:]
        /// The round-trip time in milliseconds; nil until it is measured.
        public var roundTripTime: Double?

        init(_ statistics: CallStatistics) {
            received[.video] = statistics.videoIn.map(Flow.init)
            received[.audio] = statistics.audioIn.map(Flow.init)
            sent[.video] = statistics.videoOut.map { Flow($0, kind: .video) }
            sent[.audio] = statistics.audioOut.map { Flow($0, kind: .audio) }
            roundTripTime = statistics.rttMs
        }
    }
}

extension PeerConnection.Statistics.Flow {
    init(_ incoming: CallStatistics.Incoming) {
        codec = incoming.codec
        bitrate = incoming.bitrate
        packets = incoming.packets
        lost = incoming.lost
        framesPerSecond = incoming.fps
    }

    init(_ outgoing: CallStatistics.Outgoing, kind: PeerConnection.Kind) {
        codec = outgoing.codec
        bitrate = outgoing.bitrate
        packets = outgoing.packets
        lost = 0
        framesPerSecond = kind == .video ? outgoing.fps : 0
    }
}
