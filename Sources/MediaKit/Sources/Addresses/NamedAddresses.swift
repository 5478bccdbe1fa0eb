internal import GStreamerKit

/// The detection of media whose data contains URLs that a demuxer would open.
package enum NamedAddresses {
    /// The classes of demuxers that open such URLs; those of class `Editing` read projects of GStreamer's editing
    /// services.
    private static let openers: Set<Substring> = ["Adaptive", "Network", "Source", "Editing"]

    /// Returns whether an element of these classes, such as `Codec/Demuxer/Adaptive`, may open URLs in its data.
    package static func areOpened(by classification: String) -> Bool {
        let classes = classification.split(separator: "/")
        return classes.contains("Demuxer") && classes.contains(where: openers.contains)
    }

    /// Returns whether content of this type is a list of URLs, which a demuxer would open.
    package static func areListed(in mediaType: String) -> Bool { Playlists.contains(mediaType) }

    /// Makes a pipeline fail if a segment of a playlist is itself a list of URLs.
    ///
    /// No demuxer is created for such a segment, because it would load the URLs without the gateway.
    static func keepOutOfSegments(in pipeline: Pipeline) {
        let weak = WeakPipeline(pipeline)
        pipeline.onElementAdded(from: "parsebin") { parser in
            parser.parseOnly { mediaType in
                guard areListed(in: mediaType) else { return true }
                weak.fail("a part of it only lists other addresses, which are not opened")
                return false
            }
        }
    }
}
