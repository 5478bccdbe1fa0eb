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

    /// Watches a playbin from now on; it must not have a URI yet.
    func watch(_ pipeline: Pipeline) {
        pipeline.onSourceSetup { source in admit(source) }
        pipeline.onElementAdded { element in
            if !isFilm, element.factoryName == "parsebin" { element.parseOnly(where: demuxes) }
            check(element)
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

    /// Returns whether the content of a segment may be demuxed.
    ///
    /// It passes the gateway as it is, and may be encrypted. If it is another list of addresses, no demuxer must be created
    /// for it: closing an adaptive demuxer of GStreamer 1.22 that has just started waits for ever now and then.
    private func demuxes(_ mediaType: String) -> Bool {
        guard NamedAddresses.areListed(in: mediaType) else { return true }
        refuse(LiveFailure(.unsupported, "a part of the stream is a list of other addresses"))
        return false
    }

    /// Keeps data from elements that would open what it names.
    private func check(_ element: Element) {
        guard NamedAddresses.areOpened(by: element.classification), isFilm || !readsPlaylist(element) else {
            return
        }
        element.pad("sink")?.dropEverything()
        let what = isFilm ? "the film" : "a part of the stream"
        refuse(LiveFailure(.unsupported, "\(what) is a list of other addresses"))
    }

    /// Whether a demuxer is that of the playlist, whose addresses the gateway has replaced.
    ///
    /// The one behind the source is; all others are behind a `parsebin`.
    private func readsPlaylist(_ demuxer: Element) -> Bool {
        demuxer.factoryName == "hlsdemux2" && demuxer.parent?.factoryName == "urisourcebin"
    }
}
