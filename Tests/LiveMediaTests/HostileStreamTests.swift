import Basics
import LiveCore
import LiveMedia
import Synchronization
import Testing

@Suite("Streams that name addresses where media is expected", .serialized, .timeLimit(.minutes(4)))
struct HostileStreamTests {
    /// A list of addresses that is no media.
    enum List: String, CaseIterable {
        case hls, dash

        func text(naming url: String) -> String {
            switch self {
            case .hls: "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(url)/secret.ts\n#EXT-X-ENDLIST\n"
            case .dash:
                """
                <?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" \
                mediaPresentationDuration="PT10S" minBufferTime="PT1S"><BaseURL>\(url)/secret/</BaseURL><Period>\
                <AdaptationSet mimeType="video/mp4"><SegmentTemplate media="$Number$.m4s" initialization="init.mp4" \
                duration="2"/><Representation id="1" bandwidth="100000" codecs="avc1.42c01e" width="320" height="180"/>\
                </AdaptationSet></Period></MPD>
                """
            }
        }

        /// The list behind the ID3 tag with a time stamp that begins segments of audio (RFC 8216 §3.4).
        ///
        /// GStreamer looks for media once more behind the tag, but only in a file of some length.
        func hidden(naming url: String) -> String {
            "ID3\u{4}\0\0\0\0\0\u{3F}PRIV\0\0\0\u{35}\0\0com.apple.streaming.transportStreamTimestamp\0"
                + String(repeating: "\0", count: 8) + text(naming: url)
                + String(repeating: " ", count: 200_000)
        }
    }

    private static let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.aac\n#EXT-X-ENDLIST\n"

    /// Plays the playlist of a server, and expects that it is refused for a reason, and that nobody asks for what the list
    /// names.
    private func expectRefusal(
        _ reason: String,
        _ answer: @escaping @Sendable (_ path: String, _ url: String) -> String
    ) async throws {
        let isAsked = Atomic(false)
        try await LocalServer.run { head in
            let path = LocalServer.path(of: head)
            if path.contains("secret") { isAsked.store(true, ordering: .relaxed) }
            return LocalServer.response(answer(path, LocalServer.url(in: head)))
        } _: { url in
            let output = LiveOutput(show: { _ in }, isSeen: { false })
            let player = LivePlayer(LiveMediaPlayer(output, library: Project.library))
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { await player.run() }
                defer { player.finish() }
                player.send(.select(.url("\(url)/live.m3u8")))
                var failure: LiveFailure?
                for await event in player.events {
                    guard case .failed(let reason) = event else { continue }
                    failure = reason
                    break
                }
                #expect(failure?.message.contains(reason) == true, "\(failure?.message ?? "")")
            }
        }
        let wasAsked = isAsked.load(ordering: .relaxed)
        #expect(!wasAsked)
    }

    @Test("A segment that hides a list of addresses behind an ID3 tag is refused", arguments: List.allCases)
    func segment(_ list: List) async throws {
        try await expectRefusal("a part of the stream only lists other addresses") { path, url in
            path == "/live.m3u8" ? Self.playlist : list.hidden(naming: url)
        }
    }

    @Test("A playlist that later hides a list of URLs behind an ID3 tag is refused", arguments: List.allCases)
    func change(_ list: List) async throws {
        let requests = Atomic(0)
        try await expectRefusal("there is no playlist") { _, url in
            requests.add(1, ordering: .relaxed).newValue > 1 ? list.hidden(naming: url) : Self.playlist
        }
    }
}
