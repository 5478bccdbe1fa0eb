/// The devices that a call uses.
package struct DeviceUse: Hashable, Sendable {
    /// The devices in use, at most one of each kind.
    package var used: [CallDevice]
    /// The kinds for which the call accepts another device.
    package var selectable: Set<CallDevice.Kind>
    /// The preferred devices that are not connected; other devices are used instead.
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
