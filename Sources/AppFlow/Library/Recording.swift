package import Basics
package import LiveCore

/// A recording that the user has made, as a file.
package struct Recording: Hashable, Sendable {
    /// The path of the file.
    package let path: String
    /// The name without folder, time and extension.
    package let title: String
    package let began: Timestamp
    /// The size of the file in bytes.
    package let bytes: Int

    package init(path: String, title: String, began: Timestamp, bytes: Int) {
        (self.path, self.title, self.began, self.bytes) = (path, title, began, bytes)
    }

    package var address: LiveAddress { .file(path) }
}

/// The content of a recording that a list shows.
package struct RecordingPreview: Equatable, Sendable {
    /// The duration; nil if the file does not tell it.
    package var duration: Duration?
    /// An early frame of the video in a small size; nil without video.
    package var picture: VideoFrame?

    package init(duration: Duration? = nil, picture: VideoFrame? = nil) {
        (self.duration, self.picture) = (duration, picture)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.duration == right.duration && left.picture === right.picture
    }
}

/// The store of the user's recordings.
package protocol RecordingStore: Sendable {
    /// Lists the recordings, the newest first.
    func list() async -> [Recording]

    /// Reads a recording; nil if it is not a media file.
    func preview(of recording: Recording) async -> RecordingPreview?

    /// Gives a recording another title, which must be valid, and returns the renamed recording.
    ///
    /// - Throws: `RecordingProblem`.
    func rename(_ recording: Recording, to title: RecordingTitle) async throws -> Recording

    /// Moves a recording to the desktop's trash.
    ///
    /// - Throws: `RecordingProblem`, which is `.noTrash` if its folder has none.
    func trash(_ recording: Recording) async throws

    /// Deletes a recording for good.
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
    /// Another recording of the same time has the title already.
    case taken
    /// The folder of the recording has no trash; the value is the reason, as text for people.
    case noTrash(String)
    /// The reason, as text for people.
    case failed(String)
}

/// A valid title of a recording.
package struct RecordingTitle: Hashable, Sendable {
    /// The maximum length in bytes; time and extension follow in a file name, which has at most 255.
    package static let maximum = 160

    package let text: String

    /// Creates a title from what the user has entered; nil if it is empty, too long or no file name.
    package init?(_ text: String) {
        let trimmed = text.trimmingPrefix { $0.isWhitespace }
        let title = String(trimmed.reversed().drop { $0.isWhitespace }.reversed())
        let isPrintable = title.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: scalar != "/"
            }
        }
        guard !title.isEmpty, title.utf8.count <= Self.maximum, isPrintable, !title.hasPrefix(".") else {
            return nil
        }
        self.text = title
    }
}
