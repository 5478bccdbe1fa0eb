internal import CallCore

extension PeerConnection {
    /// Why media ended or could not begin.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What failed, by what the caller can do about it.
        public enum Kind: Hashable, Sendable {
            /// The source is missing, unreadable or no media.
            case source
            /// GStreamer lacks an element that is needed.
            case missingPlugin
            /// No way to the peer, or none that is encrypted.
            case transport
            /// The peer shows another certificate than its description names: somebody may stand between.
            case unverifiedPeer
            /// The peer's description is unusable.
            case description
            /// The peer shares no codec with us.
            case codec
            /// The recording cannot be written.
            case recording
            /// A pipeline broke.
            case pipeline
        }

        /// What failed.
        public let kind: Kind
        /// What failed and why, in one sentence.
        public let description: String

        init(_ failure: MediaFailure) {
            description = failure.sentence
            kind =
                switch failure {
                case .source: .source
                case .missingPlugin: .missingPlugin
                case .iceFailed, .dtlsFailed, .relay, .noAddress: .transport
                case .unverifiedPeer: .unverifiedPeer
                case .badDescription: .description
                case .noCommonCodec, .nothingToCarry: .codec
                case .recording: .recording
                case .pipeline: .pipeline
                }
        }

        static func wrapped(_ error: any Error) -> any Error {
            error is CancellationError ? error : Failure(MediaFailure(error))
        }

        static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch { throw wrapped(error) }
        }

        static func wrapping<Result>(_ body: () async throws -> Result) async throws -> Result {
            do { return try await body() } catch { throw wrapped(error) }
        }
    }
}
