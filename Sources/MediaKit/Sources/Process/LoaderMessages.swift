internal import Basics

/// A request to the process that loads the media of a URL.
///
/// The first one is `.open`; the end of the requests ends the process.
enum LoaderRequest: ProcessMessage {
    case open(LoaderSetup)
    /// A connection has been established.
    case play
    case rest
}

/// The media that a process loads.
struct LoaderSetup: Codable, Hashable, Sendable {
    var url: String
    var settings: SourceSettings
    var kinds: Set<MediaKind>
}

/// A report of the process that loads the media of a URL.
enum LoaderReport: ProcessReport {
    case opened(LoadedMedia)
    /// The media cannot be opened.
    case refused(MediaFailure)
    case failed(MediaFailure)
    case warned(String)
    case ended(String)
    case alive

    var isPlausible: Bool {
        switch self {
        case .opened(let media): media.isPlausible
        case .refused(let failure), .failed(let failure): failure.isPlausible
        case .warned(let text), .ended(let text): ReportedText.isPlausible(text)
        case .alive: true
        }
    }

    var shortened: LoaderReport {
        switch self {
        case .opened(let media): .opened(media.shortened)
        case .refused(let failure): .refused(failure.shortened)
        case .failed(let failure): .failed(failure.shortened)
        case .warned(let text): .warned(ReportedText.shortened(text))
        case .ended(let text): .ended(ReportedText.shortened(text))
        case .alive: self
        }
    }
}

/// The streams of opened media, and how they are sent.
struct LoadedMedia: Codable, Hashable, Sendable {
    struct Track: Codable, Hashable, Sendable {
        var kind: MediaKind
        var format: SourceTrack.Format
        var mode: VideoMode?

        /// The media type of the samples.
        var mediaType: String {
            switch format {
            case .encoded(let codec, _): codec.mediaType
            case .raw: "\(kind)/x-raw"
            }
        }

        fileprivate var isPlausible: Bool {
            if case .encoded(let codec, let h264) = format {
                guard codec.kind == kind, h264 == nil || codec == .h264 else { return false }
            }
            return mode?.isPlausible ?? true
        }
    }

    /// The tracks, at most one of each kind.
    var tracks: [Track]
    var video: MediaNotice.Passthrough?
    var audio: MediaNotice.Passthrough?
    var reason: String?

    fileprivate var isPlausible: Bool {
        let texts = [video?.reason, audio?.reason, reason].compactMap(\.self)
        return !tracks.isEmpty && Set(tracks.map(\.kind)).count == tracks.count
            && tracks.allSatisfy(\.isPlausible)
            && texts.allSatisfy(ReportedText.isPlausible)
    }

    fileprivate var shortened: LoadedMedia {
        var media = self
        (media.video, media.audio) = (video?.shortened, audio?.shortened)
        media.reason = reason.map(ReportedText.shortened)
        return media
    }
}

extension MediaNotice.Passthrough {
    fileprivate var reason: String? { if case .encoded(let reason) = self { reason } else { nil } }

    fileprivate var shortened: Self {
        reason.map { .encoded(reason: ReportedText.shortened($0)) } ?? .untouched
    }
}

extension MediaFailure {
    private static let mostElements = 10

    fileprivate var isPlausible: Bool {
        switch self {
        case .source(let message, let hint), .recording(let message, let hint):
            ReportedText.isPlausible(message) && ReportedText.isPlausible(hint)
        case .missingPlugin(let elements):
            elements.count <= Self.mostElements && elements.allSatisfy(ReportedText.isPlausible)
        case .pipeline(let element, let message):
            ReportedText.isPlausible(element) && ReportedText.isPlausible(message)
        }
    }

    fileprivate var shortened: MediaFailure {
        switch self {
        case .source(let message, let hint):
            .source(message: ReportedText.shortened(message), hint: ReportedText.shortened(hint))
        case .recording(let message, let hint):
            .recording(message: ReportedText.shortened(message), hint: ReportedText.shortened(hint))
        case .missingPlugin(let elements):
            .missingPlugin(elements.prefix(Self.mostElements).map(ReportedText.shortened))
        case .pipeline(let element, let message):
            .pipeline(element: ReportedText.shortened(element), message: ReportedText.shortened(message))
        }
    }
}
