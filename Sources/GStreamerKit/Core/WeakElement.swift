internal import GLibKit

/// An element for handlers inside it, which must not keep it alive.
package struct WeakElement: Sendable {
    private let reference: WeakObjectRef

    package init(_ element: Element) { reference = WeakObjectRef(element.object) }

    /// Nil once it is gone.
    package var element: Element? { reference.object.map(Element.init) }
}
