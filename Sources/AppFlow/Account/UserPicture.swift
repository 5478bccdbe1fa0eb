package import Basics

/// The decoded picture of a user; two values are equal if they refer to the same frame.
package struct UserPicture: Hashable, Sendable {
    package let frame: VideoFrame

    package init(_ frame: VideoFrame) { self.frame = frame }

    package static func == (left: UserPicture, right: UserPicture) -> Bool { left.frame === right.frame }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(frame)) }
}
