/// In what form a peer takes H.264: what `a=fmtp` says of it (RFC 6184 §8.1).
package struct H264Format: Hashable, Sendable {
    /// How pictures are put into packets (RFC 6184 §5.4).
    package enum PacketizationMode: Int, Hashable, Sendable {
        /// A slice to a packet, so that slices must be small.
        case singleUnit = 0
        /// Slices may be cut into fragments.
        case nonInterleaved = 1
    }

    package var profile: H264Profile
    package var level: H264Level
    package var packetizationMode: PacketizationMode
    /// Whether what each side sends may be of another level than what it receives.
    package var allowsLevelAsymmetry: Bool
    /// The level's, or more where the description says so.
    package var demand: H264Level.Demand
    /// As described; nil where it was absent or malformed.
    var profileLevelID: String?

    /// What a description promises beyond its level counts up to the highest level's.
    private static let largestDemand = H264Level.level6_2.demand

    /// Reads the parameters of `a=fmtp`, keys in lower case; nil for a profile or a mode that is not sent here.
    package init?(parameters: [String: String]) {
        // RFC 6184 §8.1: mode 0 where it is absent.
        let mode = Int(parameters["packetization-mode"] ?? "0").flatMap(PacketizationMode.init)
        guard let mode else { return nil }
        let id = parameters["profile-level-id"].flatMap { $0.utf8.count == 6 ? $0 : nil }
        // Where it is absent RFC 6184 §8.1 says baseline at level 1; every browser reads constrained baseline
        // at 3.1.
        let read = id.map { ($0, H264Profile(profileLevelID: $0), H264Level(profileLevelID: $0)) }
        guard let profile = read?.1 ?? (id == nil ? .constrainedBaseline : nil) else { return nil }
        self.init(profile, read?.2 ?? .level3_1, mode)
        profileLevelID = id
        allowsLevelAsymmetry = parameters["level-asymmetry-allowed"] == "1"
        if id != nil { extendDemand(parameters) }
    }

    private mutating func extendDemand(_ parameters: [String: String]) {
        func promised(_ key: String, over least: Int, upTo most: Int) -> Int {
            min(max(least, parameters[key].flatMap { Int($0) } ?? 0), most)
        }
        let (least, most) = (level.demand, Self.largestDemand)
        demand = H264Level.Demand(
            macroblocks: promised("max-fs", over: least.macroblocks, upTo: most.macroblocks),
            macroblocksPerSecond: promised(
                "max-mbps",
                over: least.macroblocksPerSecond,
                upTo: most.macroblocksPerSecond
            )
        )
    }

    /// What we offer.
    package init(_ profile: H264Profile, _ level: H264Level, _ mode: PacketizationMode = .nonInterleaved) {
        self.profile = profile
        self.level = level
        packetizationMode = mode
        allowsLevelAsymmetry = true
        demand = level.demand
    }

    /// `a=fmtp`'s parameters as fields of caps.
    var caps: String {
        "profile-level-id=(string)\(profile.identifier(level)),"
            + "packetization-mode=(string)\(packetizationMode.rawValue),level-asymmetry-allowed=(string)1"
    }

    /// Whether the source's own stream may go out in this form: its slices are as large as they are.
    func takes(_ own: H264Stream) -> Bool {
        packetizationMode == .nonInterleaved && profile.decodes(own.profile)
            && (allowsLevelAsymmetry || own.level.demand.fits(demand))
    }
}

/// What an H.264 stream says of itself.
package struct H264Stream: Hashable, Sendable {
    package var profile: H264Profile
    package var level: H264Level

    package init(_ profile: H264Profile, _ level: H264Level = .level3_1) {
        (self.profile, self.level) = (profile, level)
    }
}
