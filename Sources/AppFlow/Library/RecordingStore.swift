/// The store of the user's recordings.
package protocol RecordingStore: Sendable {
    /// Lists the recordings, the newest first.
    func list() async -> [Recording]

    /// Reads the preview of a recording; nil if it is not a media file.
    func preview(of recording: Recording) async -> RecordingPreview?

    /// Gives a recording another title, which must be valid, and returns the renamed recording.
    ///
    /// - Throws: `RecordingProblem`.
    func rename(_ recording: Recording, to title: RecordingTitle) async throws -> Recording

    /// Moves a recording to the desktop's trash.
    ///
    /// - Throws: `RecordingProblem`, which is `.noTrash` if its folder has none.
    func trash(_ recording: Recording) async throws

    /// Deletes a recording permanently.
    ///
    /// - Throws: `RecordingProblem`.
    func delete(_ recording: Recording) async throws

    /// Shows the file of a recording in the desktop's file manager.
    ///
    /// - Throws: `RecordingProblem`.
    func reveal(_ recording: Recording) async throws
}

/// The reason why a recording was not changed or shown.
package enum RecordingProblem: Error, Hashable, Sendable {
    /// Another recording with the same time already has this title.
    case taken
    /// The file cannot be moved to a trash; the value is the system's error message.
    case noTrash(String)
    /// The disk or the file manager did not answer in time.
    case timedOut
    /// Another failure; the value is the system's error message.
    case failed(String)
}
