internal import CallCore

extension PeerConnection {
    /// The kinds of media in a call.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case audio, video

        init(_ kind: MediaKind) { self = kind == .audio ? .audio : .video }
    }

    /// What a peer connection tells.
    public enum Event: Hashable, Sendable {
        /// To be sent to the peer, after the description.
        case localCandidate(Candidate)
        /// ICE and DTLS are up and media flows.
        case connected
        /// The first whole frame of the peer has come.
        case firstFrame(Kind)
        /// What was received and sent, each second.
        case statistics(Statistics)
        /// Nothing has come for five seconds, or this machine's addresses have changed; the connection is to be
        /// given up.
        case stalled
        /// What is sent has come to its end; the connection is up all the same.
        case sourceEnded
        /// The connection, the source or a recording is broken.
        case failed(Failure)
        /// A recording was closed; `seconds` is how long it plays.
        case recordingSaved(path: String, seconds: Double)
        /// Something that the connection survives, in one sentence.
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
            case .failed(let failure): self = .failed(Failure(failure))
            case .source, .sound, .selected, .recordingStarted, .recordingEmpty, .snapshotSaved, .graph:
                return nil
            }
        }
    }

    /// One second of a call.
    public struct Statistics: Hashable, Sendable {
        /// One direction of one kind of media.
        public struct Flow: Hashable, Sendable {
            /// The RTP encoding name, as in `H264`.
            public var codec: String
            /// Bits per second.
            public var bitrate: Int
            /// Packets since the connection began.
            public var packets: Int
            /// Packets that never arrived; 0 for what is sent.
            public var lost: Int
            /// Pictures per second; 0 for sound.
            public var framesPerSecond: Double
        }

        /// What comes in.
        public var received: [Kind: Flow] = [:]
        /// What goes out.
        public var sent: [Kind: Flow] = [:]
        /// Milliseconds, where it is known.
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
