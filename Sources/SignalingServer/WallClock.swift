internal import Glibc

/// The time that people and other machines know, which may jump.
enum WallClock {
    /// Since 1970.
    static var seconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec
    }
}
