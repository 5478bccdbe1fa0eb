internal import CallCore
internal import GStreamerKit

/// Puts an RTCIceServer into webrtcbin's own words.
@MediaActor
enum ICEServerSetting {
    /// Sets what webrtcbin can use of `servers`: the first STUN server, and every TURN server over UDP or TCP.
    ///
    /// - Returns: one sentence for each URL that is left out, but for further STUN servers.
    static func apply(_ servers: [ICEServer], to bin: WebRTCBin) -> [String] {
        var complaints: [String] = []
        var hasSTUN = false
        for server in servers {
            for url in server.urls {
                guard let colon = url.firstIndex(of: ":") else {
                    complaints.append("“\(url)” is no ICE server")
                    continue
                }
                let rest = url[url.index(after: colon)...]
                switch url[..<colon].lowercased() {
                case "stun":
                    if !hasSTUN { bin.set("stun-server", "stun://\(rest)") }
                    hasSTUN = true
                case "turn":
                    let user = escaped(server.username ?? "")
                    let secret = escaped(server.credential ?? "")
                    if bin.addTURNServer("turn://\(user):\(secret)@\(rest)") { continue }
                    complaints.append("the TURN server \(rest) cannot be used")
                case "turns":  // webrtcbin 1.22 would send its Allocate in clear
                    complaints.append("the TURN server \(rest) is left out: TLS to it is not supported")
                default: complaints.append("“\(url)” is no ICE server")
                }
            }
        }
        return complaints
    }

    /// Whether any of `servers` is a TURN server that can be used.
    static func hasRelay(_ servers: [ICEServer]) -> Bool {
        servers.flatMap(\.urls).contains { $0.lowercased().hasPrefix("turn:") }
    }

    /// Percent-encodes what has a meaning in the user part of a URL (RFC 3986 §3.2.1).
    nonisolated static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte.isASCIIAlphanumeric || [45, 46, 95, 126].contains(byte)
            let hex = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (hex.count == 1 ? "0" : "") + hex
        }.joined()
    }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool {
        (48...57).contains(self) || (65...90).contains(self) || (97...122).contains(self)
    }
}

extension MediaSection {
    /// The section's kind, where it is media.
    var mediaKind: MediaKind? {
        switch kind {
        case .audio: .audio
        case .video: .video
        default: nil
        }
    }
}

extension Transceiver.Direction {
    init(sends: Bool, receives: Bool) {
        switch (sends, receives) {
        case (true, true): self = .sendrecv
        case (true, false): self = .sendonly
        case (false, true): self = .recvonly
        case (false, false): self = .inactive
        }
    }
}
