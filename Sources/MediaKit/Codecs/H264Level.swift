/// An H.264 level: the frame sizes and frame rates that a decoder must support (ITU-T H.264, table A-1).
package enum H264Level: Int, Codable, Hashable, Sendable, CaseIterable, Comparable {
    // The raw value is `level_idc`; level 1b, between 1 and 1.1, has the value used with the high profiles.
    case level1b = 9
    case level1 = 10
    case level1_1, level1_2, level1_3
    case level2 = 20
    case level2_1, level2_2
    case level3 = 30
    case level3_1, level3_2
    case level4 = 40
    case level4_1, level4_2
    case level5 = 50
    case level5_1, level5_2
    case level6 = 60
    case level6_1, level6_2

    /// The decoding capacity that a level requires.
    package struct Demand: Hashable, Sendable {
        /// The number of macroblocks per frame; a macroblock is 16×16 pixels.
        package var macroblocks: Int
        package var macroblocksPerSecond: Int
    }

    /// Creates the level for a `level_idc`, 0…255; an undefined value is rounded down to the next defined
    /// level.
    ///
    /// Values below 10 become level 1.
    package init(number: Int) {
        self = Self.allCases.last { $0 != .level1b && $0.rawValue <= number } ?? .level1
    }

    /// Parses the `level` field of `video/x-h264`, such as `3.1`, `4` or `1b`; nil for an unknown level.
    package init?(gstreamerName: String) {
        guard let level = Self.allCases.first(where: { $0.gstreamerName == gstreamerName }) else {
            return nil
        }
        self = level
    }

    private var gstreamerName: String {
        if self == .level1b { return "1b" }
        let (major, minor) = rawValue.quotientAndRemainder(dividingBy: 10)
        return minor == 0 ? "\(major)" : "\(major).\(minor)"
    }

    /// Creates the lowest level that supports a video mode, or the highest level if none does.
    package init(holding mode: VideoMode) {
        self = Self.allCases.first { $0 != .level1b && mode.demand.fits($0.demand) } ?? .level6_2
    }

    package static func < (one: H264Level, other: H264Level) -> Bool { one.rank < other.rank }

    /// The sort key: level 1b lies between 1 and 1.1.
    private var rank: Double { self == .level1b ? 10.5 : Double(rawValue) }

    package var demand: Demand {
        let (perSecond, macroblocks) =
            switch self {
            case .level1, .level1b: (1485, 99)
            case .level1_1: (3000, 396)
            case .level1_2: (6000, 396)
            case .level1_3, .level2: (11_880, 396)
            case .level2_1: (19_800, 792)
            case .level2_2: (20_250, 1620)
            case .level3: (40_500, 1620)
            case .level3_1: (108_000, 3600)
            case .level3_2: (216_000, 5120)
            case .level4, .level4_1: (245_760, 8192)
            case .level4_2: (522_240, 8704)
            case .level5: (589_824, 22_080)
            case .level5_1: (983_040, 36_864)
            case .level5_2: (2_073_600, 36_864)
            case .level6: (4_177_920, 139_264)
            case .level6_1: (8_355_840, 139_264)
            case .level6_2: (16_711_680, 139_264)
            }
        return Demand(macroblocks: macroblocks, macroblocksPerSecond: perSecond)
    }
}

extension H264Level.Demand {
    package func fits(_ other: Self) -> Bool {
        macroblocks <= other.macroblocks && macroblocksPerSecond <= other.macroblocksPerSecond
    }

    /// Returns the smaller frame size and the smaller macroblock rate of both demands.
    package func narrowed(to other: Self) -> Self {
        Self(
            macroblocks: min(macroblocks, other.macroblocks),
            macroblocksPerSecond: min(macroblocksPerSecond, other.macroblocksPerSecond)
        )
    }
}
