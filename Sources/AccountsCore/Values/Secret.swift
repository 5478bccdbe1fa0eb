/// A text that must not be logged or displayed, such as a token; its description does not reveal it.
package struct Secret: Hashable, Sendable {
    package let value: String

    package init(_ value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
