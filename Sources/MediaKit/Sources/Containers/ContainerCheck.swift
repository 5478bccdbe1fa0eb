internal import Basics

/// A check of the structure of a local file before GStreamer opens it.
///
/// Some containers declare more data than they contain, and GStreamer's demuxers allocate memory for the declared data
/// before any limit of a decoder applies: a file of a few kilobytes may need gigabytes of memory. The check reads only
/// headers and short boxes, up to a maximum number. It supports MP4, QuickTime, Matroska and WebM; all other files
/// pass.
package enum ContainerCheck {
    /// Determines the reason why a file must not be played; nil if it may, or if it cannot be read.
    ///
    /// The call blocks while it reads, so it must not run in the cooperative pool.
    static func reason(against path: String) -> String? {
        guard let file = BoundedFile(path) else { return nil }
        do throws(ContainerRefusal) {
            let start = try LeadingTags.end(in: file)
            // A file may look like both formats, and GStreamer decides which of them it is.
            try MovieCheck.check(file, from: start)
            try MatroskaCheck.check(file, from: start)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Determines the reason why a file must not be played; nil if it may, or if it cannot be read.
    @PreviewActor
    package static func refusal(of path: String) async -> String? { reason(against: path) }

    /// Rejects a file like `refuse(_:)`, without blocking the caller.
    ///
    /// - Throws: `MediaFailure.source` with the reason.
    @PreviewActor
    static func refuseInBackground(_ path: String) async throws(MediaFailure) { try refuse(path) }

    /// Rejects a file that would exhaust memory; a file that cannot be read is accepted.
    ///
    /// The call blocks while it reads, so it must not run in the cooperative pool.
    ///
    /// - Throws: `MediaFailure.source` with the reason.
    static func refuse(_ path: String) throws(MediaFailure) {
        guard let reason = reason(against: path) else { return }
        throw .source(message: "\(path) is refused: \(reason)", hint: "convert it with ffmpeg")
    }
}

/// The reason why a file must not be played, without a full stop.
struct ContainerRefusal: Error, Hashable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}
