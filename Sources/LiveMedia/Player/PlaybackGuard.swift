internal import FoundationEssentials
internal import GStreamerKit
internal import LiveCore
internal import MediaKit

/// Restricts a playbin, whose behavior is largely determined by a file or a server.
///
/// The file or server may specify other addresses, which GStreamer would open with any of its elements, and may contain
/// video of any size.
struct PlaybackGuard: Sendable {
    /// The URI that is played.
    let uri: String
    /// Whether the URI is that of a media file rather than of a playlist, whose segments come through the gateway.
    let isFilm: Bool
    /// Receives the reason why playback must not continue.
    let refuse: @Sendable (LiveFailure) -> Void

    /// The failure of a file that only refers to another one.
    static let isReference = LiveFailure(.unsupported, "the file only refers to another address")

    /// Starts to watch a playbin, which must not have a URI yet.
    func watch(_ pipeline: Pipeline) {
        pipeline.onSourceSetup { source in admit(source) }
        pipeline.onElementAdded { element in
            if !isFilm, element.factoryName == "parsebin" { element.parseOnly(where: demuxes) }
            check(element)
            guard element.isDecoder else { return }
            element.decode(within: .standard) { refuse(LiveFailure(.unsupported, $0)) }
        }
    }

    /// Prevents any source but that of `uri` from starting: a QuickTime movie may consist of a redirect elsewhere.
    private func admit(_ source: Element) {
        let place = source.string("location")
        let url = URL(string: uri)
        let isWanted = place == uri || url?.isFileURL == true && place == url?.path(percentEncoded: false)
        guard isWanted else {
            source.lockState()
            return refuse(Self.isReference)
        }
        // `AddressCheck` has already followed and checked the redirects.
        if isFilm, source.has("automatic-redirect") { source.set("automatic-redirect", false) }
    }

    /// Returns whether content of this type in a segment may be demuxed.
    ///
    /// The gateway passes segments on unmodified, and they may be encrypted. If a segment is itself a list of
    /// addresses, no demuxer must be created for it: closing an adaptive demuxer of GStreamer 1.22 that has just
    /// started sometimes hangs.
    private func demuxes(_ mediaType: String) -> Bool {
        guard NamedAddresses.areListed(in: mediaType) else { return true }
        refuse(LiveFailure(.unsupported, "a part of the stream only lists other addresses"))
        return false
    }

    /// Discards the input of an element that would open the addresses in it.
    private func check(_ element: Element) {
        guard NamedAddresses.areOpened(by: element.classification), isFilm || !readsPlaylist(element) else {
            return
        }
        element.pad("sink")?.dropEverything()
        let what = isFilm ? "the file" : "a part of the stream"
        refuse(LiveFailure(.unsupported, "\(what) only lists other addresses, which are not opened"))
    }

    /// Returns whether a demuxer reads the playlist whose addresses the gateway has replaced.
    ///
    /// Only the demuxer in the `urisourcebin` does; all others are in a `parsebin`.
    private func readsPlaylist(_ demuxer: Element) -> Bool {
        demuxer.factoryName == "hlsdemux2" && demuxer.parent?.factoryName == "urisourcebin"
    }
}
