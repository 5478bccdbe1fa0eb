/// A part of the app that the bar at the bottom of its window leads to.
package enum Destination: String, Hashable, Sendable, CaseIterable {
    case home, library, chats, calls, account, settings
}
