internal import FoundationEssentials
internal import GStreamerKit
internal import LiveCore
internal import MediaKit

/// The limits of what a playbin may do, because a file or server decides much of it: it may name other addresses, which
/// GStreamer would open with any of its elements, and video of any size.
struct PlaybackGuard: Sendable {
    /// The URI that is played.
    let uri: String
    /// Whether it is a file, and not a playlist, whose segments come through the gateway.
    let isFilm: Bool
    /// Receives the reason why the stream must not be played on.
    let refuse: @Sendable (LiveFailure) -> Void

    /// The classes of elements that open other addresses.
    private static let openers = ["Adaptive", "Network", "Source"]

    /// Watches a playbin from now on; it must not have a URI yet.
    func watch(_ pipeline: Pipeline) {
        pipeline.onSourceSetup { source in admit(source) }
        pipeline.onElementAdded { element in
            if isFilm { check(element) }
            guard element.isDecoder else { return }
            element.decode(within: .standard) { refuse(LiveFailure(.unsupported, $0)) }
        }
    }

    /// Lets only the source of the URI start: a QuickTime movie may be no more than the address of another one.
    private func admit(_ source: Element) {
        let place = source.string("location")
        let url = URL(string: uri)
        let isWanted = place == uri || url?.isFileURL == true && place == url?.path(percentEncoded: false)
        guard isWanted else {
            source.lockState()
            return refuse(LiveFailure(.unsupported, "the film is only a link to another address"))
        }
        // The check of the address has followed the redirects, and knows where they end.
        if isFilm, source.has("automatic-redirect") { source.set("automatic-redirect", false) }
    }

    /// Keeps the data of a film from elements that would open what it names.
    private func check(_ element: Element) {
        let classes = element.classification.split(separator: "/").map(String.init)
        guard classes.contains("Demuxer"), classes.contains(where: Self.openers.contains) else { return }
        element.pad("sink")?.dropEverything()
        refuse(LiveFailure(.unsupported, "the film is a list of other addresses"))
    }
}
