internal import Basics

extension Backoff {
    /// The pauses before a lost audio device is tried again: 1, 2, 4, and from then on 8 seconds.
    static var afterDeviceLoss: Backoff { Backoff(maximum: .seconds(8), randomization: 0) }
}
