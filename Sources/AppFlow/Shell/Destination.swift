/// A part of the app that can be selected in the bar at the bottom of the window.
package enum Destination: String, Hashable, Sendable, CaseIterable {
    case home, library, chats, calls, account, settings
}
