/// A permission to join any room in either role under any name; signed-in users have one, for example.
package struct RoomPass: Hashable, Sendable {
    /// A string that identifies the holder uniquely.
    package let subject: String
    /// The time of expiry in seconds since 1970.
    package let expiry: Int

    package init(subject: String, expiry: Int) { (self.subject, self.expiry) = (subject, expiry) }

    /// Checks a token that is not a room token; returns nil if it grants no permission.
    package typealias Check = @Sendable (_ token: String) async -> RoomPass?
}
