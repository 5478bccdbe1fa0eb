/// The range and the steps of the playback volume, in percent.
package enum PlaybackVolume {
    package static let range = 0...150
    package static let normal = 100

    /// Returns the next step above or below a volume.
    package static func next(to volume: Int, isLouder: Bool) -> Int {
        min(range.upperBound, max(range.lowerBound, volume + (isLouder ? 10 : -10)))
    }
}
