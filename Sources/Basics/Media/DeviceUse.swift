/// The devices that a call uses.
package struct DeviceUse: Hashable, Sendable {
    /// The devices in use, at most one of each kind.
    package var used: [MediaDevice]
    /// The kinds for which the call accepts another device.
    package var selectable: Set<MediaDevice.Kind>
    /// The preferred devices that are not connected; other devices are used instead.
    package var missing: [MediaDevice]

    package init(
        used: [MediaDevice] = [],
        selectable: Set<MediaDevice.Kind> = [],
        missing: [MediaDevice] = []
    ) {
        (self.used, self.selectable, self.missing) = (used, selectable, missing)
    }

    package func used(_ kind: MediaDevice.Kind) -> MediaDevice? { used.first { $0.kind == kind } }
}
