/// Whose stream a recording holds.
package enum RecordedSide: String, Hashable, Sendable, CaseIterable {
    case remote, local
}
