package import HTTPFront

/// The settings of a server's accounts.
package struct AccountsConfiguration: Sendable {
    /// The key that signs access tokens.
    package let key: TokenKey
    package let delivery: any CodeDelivery
    /// The lifetime of an access token.
    package var accessLifetime = Duration.seconds(600)
    /// The lifetime of a refresh token.
    package var refreshLifetime = Duration.seconds(30 * 86_400)

    package var clock = AccountClock()

    package init(key: TokenKey, delivery: any CodeDelivery) {
        (self.key, self.delivery) = (key, delivery)
    }
}

/// The clocks of a server's accounts.
package struct AccountClock: Sendable {
    /// Returns the time in seconds since 1970, by a clock that may be set.
    package var wall: @Sendable () -> Int = { WallClock.seconds }
    /// Returns the time of a monotonic clock that also runs while the computer sleeps.
    package var steady: @Sendable () -> Duration = {
        let start = Self.start
        return start.duration(to: .now)
    }

    private static let start = ContinuousClock.now

    package init() {}
}
