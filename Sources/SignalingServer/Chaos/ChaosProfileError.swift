internal import Basics

/// An error for a text that is not a fault profile.
package enum ChaosProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknown(String)
    case chance(String)

    package var description: String {
        switch self {
        case .unknown(let name):
            "“\(name)” is not a profile; the profiles are "
                + ChaosName.allCases.map(\.rawValue).joined(separator: ", ")
                + Suggestion.question(name, among: ChaosName.allCases.map(\.rawValue))
        case .chance(let text): "“\(text)” is not a probability from 0 to 1"
        }
    }
}
