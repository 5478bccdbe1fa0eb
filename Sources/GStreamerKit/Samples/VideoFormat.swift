internal import CGStreamer

/// A format in which a source can deliver video.
package struct VideoFormat: Hashable, Sendable {
    /// The media type, such as `video/x-raw` or `image/jpeg`.
    package var mediaType: String
    /// The pixel format of raw video, such as `YUY2`; nil if it is unspecified or the video is encoded.
    package var pixels: String?
    package var widths: ClosedRange<Int>
    package var heights: ClosedRange<Int>
    /// The highest frame rate in frames per second; 0 if unknown.
    package var fastest: Double

    package init(
        mediaType: String,
        pixels: String? = nil,
        widths: ClosedRange<Int>,
        heights: ClosedRange<Int>,
        fastest: Double
    ) {
        self.mediaType = mediaType
        self.pixels = pixels
        self.widths = widths
        self.heights = heights
        self.fastest = fastest
    }
}

extension Caps {
    /// The video formats in these caps, at most a thousand.
    package var videoFormats: [VideoFormat] {
        (0..<min(1000, gst_caps_get_size(pointer))).compactMap { index in
            guard let raw = gst_caps_get_structure(pointer, index) else { return nil }
            let structure = Structure(raw)
            guard let widths = structure.ints("width"), let heights = structure.ints("height") else {
                return nil
            }
            return VideoFormat(
                mediaType: structure.name,
                pixels: structure.string("format"),
                widths: widths,
                heights: heights,
                fastest: structure.highestFraction("framerate") ?? 0
            )
        }
    }
}

extension Caps {
    /// The sample rates and channel counts of raw audio in these caps, at most a hundred.
    package var audioFormats: [(rates: ClosedRange<Int>, channels: ClosedRange<Int>)] {
        (0..<min(100, gst_caps_get_size(pointer))).compactMap { index in
            guard let raw = gst_caps_get_structure(pointer, index) else { return nil }
            let structure = Structure(raw)
            guard structure.name == "audio/x-raw", let rates = structure.ints("rate"),
                let channels = structure.ints("channels")
            else { return nil }
            return (rates, channels)
        }
    }
}

extension Structure {
    /// Reads the minimum and maximum of a field with an integer, a range or a list of these; nil for any
    /// other field.
    fileprivate func ints(_ field: String) -> ClosedRange<Int>? {
        gst_structure_get_value(pointer, field).flatMap(Self.ints)
    }

    private static func ints(_ value: UnsafePointer<GValue>) -> ClosedRange<Int>? {
        if callrunner_value_holds(value, callrunner_type_int_range()) != 0 {
            let (low, high) = (gst_value_get_int_range_min(value), gst_value_get_int_range_max(value))
            return low <= high ? Int(low)...Int(high) : nil
        }
        if callrunner_value_holds(value, callrunner_type_list()) != 0 {
            let all = members(of: value).compactMap(ints)
            guard let low = all.map(\.lowerBound).min(), let high = all.map(\.upperBound).max() else {
                return nil
            }
            return low...high
        }
        // G_TYPE_INT is a macro: fundamental 6.
        guard callrunner_value_holds(value, GType(6 << 2)) != 0 else { return nil }
        let number = Int(g_value_get_int(value))
        return number...number
    }

    /// Reads the maximum of a field with a fraction, a range or a list of these; nil for any other field.
    fileprivate func highestFraction(_ field: String) -> Double? {
        gst_structure_get_value(pointer, field).flatMap(Self.highestFraction)
    }

    private static func highestFraction(_ value: UnsafePointer<GValue>) -> Double? {
        if callrunner_value_holds(value, callrunner_type_fraction_range()) != 0 {
            return gst_value_get_fraction_range_max(value).flatMap { highestFraction($0) }
        }
        if callrunner_value_holds(value, callrunner_type_list()) != 0 {
            return members(of: value).compactMap(highestFraction).max()
        }
        guard callrunner_value_holds(value, callrunner_type_fraction()) != 0 else { return nil }
        let denominator = gst_value_get_fraction_denominator(value)
        return denominator > 0 ? Double(gst_value_get_fraction_numerator(value)) / Double(denominator) : nil
    }

    private static func members(of list: UnsafePointer<GValue>) -> [UnsafePointer<GValue>] {
        (0..<gst_value_list_get_size(list)).compactMap { gst_value_list_get_value(list, $0) }
    }
}
