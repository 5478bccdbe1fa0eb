package import Basics
package import GStreamerKit

/// The video format to request from a camera.
package struct CameraFormat: Hashable, Sendable {
    /// The codings of video from cameras, in order of increasing processing cost.
    package enum Coding: String, Hashable, Sendable, CaseIterable, Comparable {
        case raw = "video/x-raw"
        case motionJPEG = "image/jpeg"
        case h264 = "video/x-h264"

        package static func < (one: Coding, other: Coding) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package var coding: Coding
    package var size: Resolution
    /// The frame rate in frames per second.
    package var rate: Int

    package init(coding: Coding, size: Resolution, rate: Int) {
        self.coding = coding
        self.size = size
        self.rate = rate
    }

    /// The caps that select this format, without a frame rate, because the driver may support only fractional
    /// frame rates.
    package var caps: String { "\(coding.rawValue),width=\(size.width),height=\(size.height)" }

    /// Returns the best format of each coding in order of preference; the driver may fail with the first
    /// format.
    ///
    /// A requested size has priority over the frame rate. A frame rate of at least 80 % of `rate` has
    /// priority over the default size. The last criterion is the processing cost. The default is 1280×720 at
    /// 30 frames per second. Formats with unknown codings are skipped.
    ///
    /// - Parameters:
    ///   - formats: the formats that the camera supports.
    ///   - size: the requested size; nil for the default.
    ///   - rate: the requested frame rate; nil for the default.
    /// - Returns: at most one format per coding.
    package static func choices(
        among formats: [VideoFormat],
        size: Resolution?,
        rate: Int?
    ) -> [CameraFormat] {
        let request = Request(
            size: size ?? SourceSettings.defaultSize,
            isSizeNamed: size != nil,
            rate: rate ?? SourceSettings.defaultRate
        )
        let sorted = formats.compactMap { format(nearest: request, in: $0) }.sorted {
            request.penalties(of: $0).lexicographicallyPrecedes(request.penalties(of: $1))
        }
        return Coding.allCases.compactMap { coding in
            sorted.firstIndex { $0.coding == coding }
        }.sorted().map { sorted[$0] }
    }

    private static func format(nearest request: Request, in format: VideoFormat) -> CameraFormat? {
        guard let coding = Coding(rawValue: format.mediaType) else { return nil }
        let size = Resolution(
            width: min(max(request.size.width, format.widths.lowerBound), format.widths.upperBound),
            height: min(max(request.size.height, format.heights.lowerBound), format.heights.upperBound)
        )
        let fastest = Int(min(format.fastest.rounded(), 1000))
        return CameraFormat(
            coding: coding,
            size: size,
            rate: fastest > 0 ? min(request.rate, fastest) : request.rate
        )
    }

    private struct Request {
        var size: Resolution
        var isSizeNamed: Bool
        var rate: Int

        /// Returns the penalties of a format, the most important first.
        func penalties(of format: CameraFormat) -> [Int] {
            let distance = distance(to: format.size)
            let isSlow = format.rate * 5 < rate * 4
            return [
                isSizeNamed ? distance : 0, isSlow ? rate - format.rate : 0, distance, rate - format.rate,
                Coding.allCases.firstIndex(of: format.coding) ?? 0,
            ]
        }

        /// Returns the difference in area in pixels, doubled if `other` is smaller than requested.
        private func distance(to other: Resolution) -> Int {
            other.area >= size.area ? other.area - size.area : 2 * (size.area - other.area)
        }
    }
}
