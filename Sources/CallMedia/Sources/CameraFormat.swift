package import CallCore
package import GStreamerKit

/// The form in which a camera is asked for its pictures; the choice is pure.
package struct CameraFormat: Hashable, Sendable {
    /// What a camera's driver delivers, the cheapest for us first.
    package enum Coding: String, Hashable, Sendable, CaseIterable, Comparable {
        case raw = "video/x-raw"
        case motionJPEG = "image/jpeg"
        case h264 = "video/x-h264"

        package static func < (one: Coding, other: Coding) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package var coding: Coding
    package var size: Resolution
    /// Pictures a second.
    package var rate: Int

    package init(coding: Coding, size: Resolution, rate: Int) {
        self.coding = coding
        self.size = size
        self.rate = rate
    }

    /// The caps that hold the camera to it; the rate is left to the driver, which may know only odd ones.
    package var caps: String { "\(coding.rawValue),width=\(size.width),height=\(size.height)" }

    /// The best format of each coding, the best of all first; the others are for drivers that promise too much.
    ///
    /// A `size` that somebody has named counts most, then a rate near `rate`, then the size, then what costs
    /// least. Without a name 1280x720 at 30 a second is aimed at. Formats that we know nothing of are left out.
    package static func choices(
        among formats: [VideoFormat],
        size: Resolution?,
        rate: Int?
    ) -> [CameraFormat] {
        let wish = Wish(
            size: size ?? SourceSettings.defaultSize,
            isSizeNamed: size != nil,
            rate: rate ?? SourceSettings.defaultRate
        )
        let sorted = formats.compactMap { format(nearest: wish, in: $0) }.sorted {
            wish.penalties(of: $0).lexicographicallyPrecedes(wish.penalties(of: $1))
        }
        return Coding.allCases.compactMap { coding in
            sorted.firstIndex { $0.coding == coding }
        }.sorted().map { sorted[$0] }
    }

    private static func format(nearest wish: Wish, in format: VideoFormat) -> CameraFormat? {
        guard let coding = Coding(rawValue: format.mediaType) else { return nil }
        let size = Resolution(
            width: min(max(wish.size.width, format.widths.lowerBound), format.widths.upperBound),
            height: min(max(wish.size.height, format.heights.lowerBound), format.heights.upperBound)
        )
        let fastest = Int(min(format.fastest.rounded(), 1000))
        return CameraFormat(
            coding: coding,
            size: size,
            rate: fastest > 0 ? min(wish.rate, fastest) : wish.rate
        )
    }

    private struct Wish {
        var size: Resolution
        var isSizeNamed: Bool
        var rate: Int

        /// What speaks against a format, the weightiest first.
        func penalties(of format: CameraFormat) -> [Int] {
            let distance = distance(to: format.size)
            let isSlow = format.rate * 5 < rate * 4
            return [
                isSizeNamed ? distance : 0, isSlow ? rate - format.rate : 0, distance, rate - format.rate,
                Coding.allCases.firstIndex(of: format.coding) ?? 0,
            ]
        }

        /// Too small is twice as bad as too large.
        private func distance(to other: Resolution) -> Int {
            other.area >= size.area ? other.area - size.area : 2 * (size.area - other.area)
        }
    }
}
