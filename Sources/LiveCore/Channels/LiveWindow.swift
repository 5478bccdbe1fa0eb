internal import Basics

/// The newest segments of a live channel, and the playlist that lists them.
package struct LiveWindow: Hashable, Sendable {
    /// The maximum number of segments in the playlist.
    package static let listLength = 6
    /// The maximum number of stored segments; players may still load some that the playlist no longer lists (RFC 8216
    /// §6.2.2).
    package static let keptLength = listLength + 4
    /// The maximum size of all stored segments in bytes, unless fewer than `firstCount` exceed it.
    package static let maximumSize = 64 << 20
    /// The number of segments required for a playlist; they determine its target duration.
    package static let firstCount = 2
    /// The maximum duration of a segment; a stream whose keyframes are further apart is refused, because players would
    /// have to wait too long for the next one.
    package static let longestSegment = Duration.seconds(10)

    private var kept: [LiveSegment] = []
    /// The number of the first stored segment.
    ///
    /// Numbering begins with the date of the first segment in seconds since 1970, so that numbers do not repeat after a
    /// restart of the server.
    private var firstNumber = 0
    private var hasBegun = false
    private var firstDiscontinuity = 0
    /// The number of the first segment that may be listed; earlier ones belong to a list with another target duration.
    private var firstListedNumber = 0
    private var targetDuration: Int?
    /// Whether the next segment does not continue the one before it.
    private var isInterrupted = false
    package private(set) var isEnded = false

    package init() {}

    /// The number of the newest segment plus one.
    package var endNumber: Int { firstNumber + kept.count }

    /// Adds a segment, which may displace the oldest one.
    ///
    /// A segment that is longer than the target duration begins a new list, because the target duration of a
    /// list never changes (RFC 8216 §6.2.1).
    package mutating func add(_ segment: LiveSegment) {
        var segment = segment
        if !hasBegun { (hasBegun, firstNumber) = (true, Int(clamping: segment.date.milliseconds / 1000)) }
        if isEnded || targetDuration.map({ Self.rounded(segment.duration) > $0 }) ?? false {
            segment.isDiscontinuous = true
            // Players may still load the segments of the previous list (RFC 8216 §6.2.2).
            firstListedNumber = endNumber
            (targetDuration, isEnded) = (max(1, Self.rounded(segment.duration)), false)
        }
        if isInterrupted { (segment.isDiscontinuous, isInterrupted) = (true, false) }
        kept.append(segment)
        if kept.count > Self.keptLength { displace(kept.count - Self.keptLength) }
        while size > Self.maximumSize, kept.count > Self.firstCount { displace(1) }
        if targetDuration == nil, kept.count >= Self.firstCount {
            targetDuration = max(1, kept.map { Self.rounded($0.duration) }.max() ?? 1)
        }
    }

    /// Marks the next segment as discontinuous, because its publisher connects again.
    package mutating func interrupt() { isInterrupted = hasBegun }

    /// Marks the stream as ended, until another segment is added.
    package mutating func end() { isEnded = hasBegun }

    /// Removes all segments; the next one gets the next number, is discontinuous and begins a new list.
    package mutating func clear() {
        displace(kept.count)
        (targetDuration, isEnded, isInterrupted) = (nil, false, hasBegun)
    }

    /// The playlist; at first and after `clear()`, nil until `firstCount` segments have been added.
    ///
    /// `uri` returns the relative URI of a segment from its number.
    package func playlist(_ uri: (Int) -> String) -> MediaPlaylist? {
        guard let targetDuration else { return nil }
        let hidden = max(0, kept.count - Self.listLength, firstListedNumber - firstNumber)
        return MediaPlaylist(
            targetDuration: targetDuration,
            firstNumber: firstNumber + hidden,
            firstDiscontinuity: firstDiscontinuity + kept.prefix(hidden).count(where: \.isDiscontinuous),
            segments: kept.enumerated().dropFirst(hidden).map { index, segment in
                MediaPlaylist.Segment(
                    uri(firstNumber + index),
                    segment.duration,
                    date: segment.date,
                    isDiscontinuous: segment.isDiscontinuous
                )
            },
            isEnded: isEnded
        )
    }

    /// Returns the segment with this number; nil if it is no longer or not yet stored.
    package func segment(_ number: Int) -> LiveSegment? {
        guard (firstNumber..<endNumber).contains(number) else { return nil }
        return kept[number - firstNumber]
    }

    /// The total size of the stored segments in bytes.
    package var size: Int { kept.reduce(0) { $0 + $1.bytes.count } }

    private mutating func displace(_ count: Int) {
        firstDiscontinuity += kept.prefix(count).count(where: \.isDiscontinuous)
        firstNumber += count
        kept.removeFirst(count)
    }

    private static func rounded(_ duration: Duration) -> Int { Int((duration / .seconds(1)).rounded()) }
}
