/// An H.264 format that a peer accepts, as described by `a=fmtp` (RFC 6184 §8.1).
package struct H264Format: Hashable, Sendable {
    /// The way in which slices are packed into RTP packets (RFC 6184 §5.4).
    package enum PacketizationMode: Int, Hashable, Sendable {
        /// Each packet holds one slice, so slices must be small.
        case singleUnit = 0
        /// Slices may be split into fragments.
        case nonInterleaved = 1
    }

    package var profile: H264Profile
    package var level: H264Level
    package var packetizationMode: PacketizationMode
    /// Whether the levels sent and received may differ.
    package var allowsLevelAsymmetry: Bool
    /// The decoding capacity of the level, or a larger one that the session description declares.
    package var demand: H264Level.Demand
    /// The peer's `profile-level-id`; nil if it was absent or did not have six characters.
    ///
    /// It is always nil in a format that we offer.
    package var profileLevelID: String?

    /// The largest demand that is accepted from a session description: the demand of the highest level.
    private static let largestDemand = H264Level.level6_2.demand

    /// Parses the parameters of `a=fmtp`, with lowercase keys; nil for an unsupported profile or
    /// packetization mode.
    package init?(parameters: [String: String]) {
        // RFC 6184 §8.1: the default packetization mode is 0.
        let mode = Int(parameters["packetization-mode"] ?? "0").flatMap(PacketizationMode.init)
        guard let mode else { return nil }
        let id = parameters["profile-level-id"].flatMap { $0.utf8.count == 6 ? $0 : nil }
        // Without `profile-level-id`, RFC 6184 §8.1 implies baseline at level 1, but every browser assumes
        // constrained baseline at level 3.1.
        let read = id.map { ($0, H264Profile(profileLevelID: $0), H264Level(profileLevelID: $0)) }
        guard let profile = read?.1 ?? (id == nil ? .constrainedBaseline : nil) else { return nil }
        self.init(profile, read?.2 ?? .level3_1, mode)
        profileLevelID = id
        allowsLevelAsymmetry = parameters["level-asymmetry-allowed"] == "1"
        if id != nil { extendDemand(parameters) }
    }

    private mutating func extendDemand(_ parameters: [String: String]) {
        func promised(_ key: String, over minimum: Int, upTo maximum: Int) -> Int {
            min(max(minimum, parameters[key].flatMap { Int($0) } ?? 0), maximum)
        }
        let (minimum, maximum) = (level.demand, Self.largestDemand)
        demand = H264Level.Demand(
            macroblocks: promised("max-fs", over: minimum.macroblocks, upTo: maximum.macroblocks),
            macroblocksPerSecond: promised(
                "max-mbps",
                over: minimum.macroblocksPerSecond,
                upTo: maximum.macroblocksPerSecond
            )
        )
    }

    /// Creates a format to offer.
    package init(_ profile: H264Profile, _ level: H264Level, _ mode: PacketizationMode = .nonInterleaved) {
        self.profile = profile
        self.level = level
        packetizationMode = mode
        allowsLevelAsymmetry = true
        demand = level.demand
    }

    /// The parameters of `a=fmtp` as caps fields.
    package var caps: String {
        "profile-level-id=(string)\(profile.identifier(level)),"
            + "packetization-mode=(string)\(packetizationMode.rawValue),level-asymmetry-allowed=(string)1"
    }

    /// Returns whether the source's own stream can be sent in this format without re-encoding.
    ///
    /// The single-unit mode is excluded, because slices cannot be made smaller without re-encoding.
    package func accepts(_ own: H264Stream) -> Bool {
        packetizationMode == .nonInterleaved && profile.decodes(own.profile)
            && (allowsLevelAsymmetry || own.level.demand.fits(demand))
    }
}

/// The profile and level of an H.264 stream.
package struct H264Stream: Codable, Hashable, Sendable {
    package var profile: H264Profile
    package var level: H264Level

    package init(_ profile: H264Profile, _ level: H264Level = .level3_1) {
        (self.profile, self.level) = (profile, level)
    }
}
