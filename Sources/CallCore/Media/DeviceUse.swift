/// Which devices a call is held with.
package struct DeviceUse: Hashable, Sendable {
    /// Those in use, one of a kind at most.
    package var used: [CallDevice]
    /// The kinds of which the call takes another one.
    package var selectable: Set<CallDevice.Kind>
    /// What was preferred and is not there, so that others are used.
    package var missing: [CallDevice]

    package init(
        used: [CallDevice] = [],
        selectable: Set<CallDevice.Kind> = [],
        missing: [CallDevice] = []
    ) {
        (self.used, self.selectable, self.missing) = (used, selectable, missing)
    }

    package func used(_ kind: CallDevice.Kind) -> CallDevice? { used.first { $0.kind == kind } }
}
