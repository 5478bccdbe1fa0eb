internal import Basics
internal import SoupKit

extension SocketFailure {
    /// Creates the failure for an error of a polling transport.
    init(_ error: any Error) {
        switch error {
        case let failure as SocketFailure: self = failure
        case let failure as HTTPFailure: self.init(failure)
        default: self = .unreachable("\(error)")
        }
    }

    init(_ failure: HTTPFailure) {
        switch failure {
        case .invalidRequest, .file: self = .invalidURL(failure.description)
        case .unreachable(let detail): self = .unreachable(detail)
        case .refused(let detail): self = .refused(detail)
        case .untrusted(let detail): self = .untrusted(detail)
        case .status(let status): self = .notEngineIO(failure.description, status: status)
        case .malformed(let detail), .redirected(let detail): self = .notEngineIO(detail, status: nil)
        case .tooLarge(let limit): self = .messageTooLarge(limit: limit)
        case .unread: self = .unread
        case .timedOut: self = .unreachable(failure.description)
        case .broken(let detail): self = .broken(detail)
        }
    }

    /// Creates the failure for the response to a polling request; nil if its status is 200.
    ///
    /// It includes the reason that Engine.IO gives, shortened because it is untrusted text.
    init?(_ response: HTTPResponse) {
        guard response.status != 200 else { return nil }
        let reason =
            (try? JSON(parsing: response.body))?["message"]?.stringValue.map { ": \($0.shown)" } ?? ""
        self = .notEngineIO(HTTPResponse.text(status: response.status) + reason, status: response.status)
    }
}

extension String {
    /// The first 120 characters of untrusted text, with control characters replaced by spaces.
    fileprivate var shown: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.prefix(120).map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
    }
}
