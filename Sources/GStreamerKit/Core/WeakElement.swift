internal import GLibKit

/// A weak reference to an element, for handlers inside the element, which must not keep it alive.
package struct WeakElement: Sendable {
    private let reference: WeakObjectRef

    package init(_ element: Element) { reference = WeakObjectRef(element.object) }

    /// The element; nil once it has been finalized.
    package var element: Element? { reference.object.map(Element.init) }
}
