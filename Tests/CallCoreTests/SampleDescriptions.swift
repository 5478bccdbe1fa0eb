/// SDP session descriptions in the form that Chromium, aiortc and webrtcbin write.
enum SampleDescriptions {
    static func joined(_ lines: String) -> String {
        lines.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n") + "\r\n"
    }

    static let chromiumOffer = joined(
        """
        v=0
        o=- 4611731400430051336 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1 2
        a=extmap-allow-mixed
        a=msid-semantic: WMS 8f4a
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:x4Qa
        a=ice-pwd:Gm2nUQvJ7y5cNvG3m4Nq0yq1
        a=ice-options:trickle
        a=fingerprint:sha-256 82:B7:0E:EE:7F:1A:50:39:BE:F0:7E:C2:34:7F:06:6E:D0:8F:5D:C7:51:24:47:E3:40:43:00:02:6B:6E:54:55
        a=setup:actpass
        a=mid:0
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=sendrecv
        a=rtcp-mux
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;useinbandfec=1
        a=rtpmap:63 red/48000/2
        a=fmtp:63 111/111
        a=rtpmap:110 telephone-event/48000
        a=rtpmap:126 telephone-event/8000
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 103
        c=IN IP4 0.0.0.0
        a=ice-ufrag:x4Qa
        a=mid:1
        a=recvonly
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 goog-remb
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:102 H264/90000
        a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
        a=rtpmap:103 rtx/90000
        a=fmtp:103 apt=102
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        c=IN IP4 0.0.0.0
        a=ice-ufrag:x4Qa
        a=mid:2
        a=sctp-port:5000
        """
    )

    static let aiortcAnswer = joined(
        """
        v=0
        o=- 3934562213 3934562213 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=group:BUNDLE 0 1
        a=msid-semantic:WMS *
        m=audio 43210 UDP/TLS/RTP/SAVPF 96
        c=IN IP4 192.168.1.7
        a=recvonly
        a=mid:0
        a=msid:7f7a track-a
        a=rtcp:9 IN IP4 0.0.0.0
        a=rtcp-mux
        a=rtpmap:96 opus/48000/2
        a=candidate:1 1 udp 2130706431 192.168.1.7 43210 typ host
        a=end-of-candidates
        a=ice-ufrag:Ye3t
        a=ice-pwd:0oO5h8m2T6q8vYxk1JbI4q
        a=setup:active
        m=video 0 UDP/TLS/RTP/SAVPF 97
        c=IN IP4 0.0.0.0
        a=inactive
        a=mid:1
        a=rtpmap:97 H264/90000
        a=rtcp-fb:* nack
        a=fmtp:97 packetization-mode=1; profile-level-id=42e01f
        """
    )

    static let webrtcbinOffer = joined(
        """
        v=0
        o=- 2786834932049023945 0 IN IP4 0.0.0.0
        s=-
        t=0 0
        a=ice-options:trickle
        a=group:BUNDLE video0 audio1
        m=video 9 UDP/TLS/RTP/SAVPF 96
        c=IN IP4 0.0.0.0
        a=setup:actpass
        a=ice-ufrag:vb8dJ3pT2mK0QwErTyUi
        a=ice-pwd:aAbBcCdDeEfFgGhHiIjJkK
        a=rtcp-mux
        a=rtcp-rsize
        a=sendrecv
        a=rtpmap:96 H264/90000
        a=rtcp-fb:96 nack pli
        a=framerate:30
        a=fmtp:96 packetization-mode=1;profile-level-id=42c01f
        a=extmap:1 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=ssrc:1 msid:user1 webrtctransceiver0
        a=mid:video0
        m=audio 0 UDP/TLS/RTP/SAVPF 97
        c=IN IP4 0.0.0.0
        a=bundle-only
        a=sendonly
        a=rtpmap:97 OPUS/48000/2
        a=mid:audio1
        """
    )
}
