package import Basics

/// The devices that are available to a call, and those that it uses.
package struct DeviceChoice: Hashable, Sendable {
    /// The connected devices when they were last listed; nil before they are listed for the first time.
    package var present: [MediaDevice]?
    package var use = DeviceUse()
    /// The IDs of the devices being opened, by kind.
    package var opening: [MediaDevice.Kind: String] = [:]
    /// The reason why the device selected last was refused, for each kind.
    package var refusals: [MediaDevice.Kind: ControlRefusal] = [:]

    package init() {}

    /// Lists the devices of a kind that may be selected.
    ///
    /// They are the connected devices, the one in use and, unless the kind is a camera or no device of the
    /// kind is connected, the system's default.
    package func choices(of kind: MediaDevice.Kind) -> [MediaDevice] {
        let present = (present ?? []).filter { $0.kind == kind }
        let standard = MediaDevice(kind, id: MediaDevice.standard, name: MediaDevice.standard)
        let all = (kind == .camera || present.isEmpty ? [] : [standard]) + present
        guard let used = use.used(kind), !all.contains(where: { $0.id == used.id }) else { return all }
        return all + [used]
    }

    /// Returns the ID of the device of a kind that is being opened or, if there is none, in use.
    package func chosen(_ kind: MediaDevice.Kind) -> String? { opening[kind] ?? use.used(kind)?.id }

    /// Returns the reason why no device of a kind can be selected; nil if one can be selected.
    package func obstacle(_ kind: MediaDevice.Kind) -> Obstacle? {
        guard let present else { return .unknown }
        let isThere = present.contains { $0.kind == kind }
        guard use.selectable.contains(kind) else { return isThere ? .unused : .absent }
        // An audio server has a default device even if no hardware is connected.
        let isUsed = use.used(kind).map { $0.id != MediaDevice.standard } ?? false
        return isThere || isUsed ? nil : .absent
    }

    package enum Obstacle: Hashable, Sendable {
        /// The devices have not been listed yet.
        case unknown
        /// No device of this kind is connected.
        case absent
        /// The call uses no device of this kind.
        case unused
    }
}
