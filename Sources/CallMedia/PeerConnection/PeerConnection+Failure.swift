internal import Basics
internal import CallCore

extension PeerConnection {
    /// The reason why media ended or could not start.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The kind of a failure.
        public enum Kind: Hashable, Sendable {
            /// The source is missing, unreadable or not a media file.
            case source
            /// A required GStreamer element is missing.
            case missingPlugin
            /// No network path to the peer works, or the DTLS handshake failed.
            case transport
            /// The peer's DTLS certificate does not match its session description: the call may be
            /// intercepted.
            case unverifiedPeer
            /// The peer's session description is unusable.
            case description
            /// The peer and this side have no codec in common, or no media would flow in either direction.
            case codec
            /// The recording cannot be written.
            case recording
            /// A pipeline failed.
            case pipeline
        }

        /// The kind of the failure.
        public let kind: Kind
        /// The failure and its reason in one sentence.
        public let description: String

        init(_ failure: CallMediaFailure) {
            description = failure.sentence
            kind =
                switch failure {
                case .local(.source): .source
                case .local(.missingPlugin): .missingPlugin
                case .iceFailed, .dtlsFailed, .relay, .noAddress: .transport
                case .unverifiedPeer: .unverifiedPeer
                case .badDescription: .description
                case .noCommonCodec, .nothingToCarry: .codec
                case .local(.recording): .recording
                case .local(.pipeline): .pipeline
                }
        }

        static func wrapped(_ error: any Error) -> any Error {
            error is CancellationError ? error : Failure(CallMediaFailure(error))
        }

        static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch { throw wrapped(error) }
        }

        static func wrapping<Result>(_ body: () async throws -> Result) async throws -> Result {
            do { return try await body() } catch { throw wrapped(error) }
        }
    }
}
