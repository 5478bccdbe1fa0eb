/// The permission to join any room in either role under any name, such as that of a signed-in user.
package struct RoomPass: Hashable, Sendable {
    /// The holder, by a text that no other holder has.
    package let subject: String
    /// The time of expiry in seconds since 1970.
    package let expiry: Int

    package init(subject: String, expiry: Int) { (self.subject, self.expiry) = (subject, expiry) }

    /// Checks a token that is no room token; nil if it gives no permission.
    package typealias Check = @Sendable (_ token: String) async -> RoomPass?
}
