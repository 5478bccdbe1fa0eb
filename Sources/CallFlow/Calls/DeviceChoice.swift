package import CallCore

/// The devices of a call, as they are chosen in it.
package struct DeviceChoice: Hashable, Sendable {
    /// Those that were there when it was last asked; nil until the first answer.
    package var present: [CallDevice]?
    package var use = DeviceUse()
    /// What is being opened, by its kind: the device's id.
    package var opening: [CallDevice.Kind: String] = [:]
    /// Why the last one of a kind was not taken.
    package var refusals: [CallDevice.Kind: ControlRefusal] = [:]

    package init() {}

    /// What may be chosen of a kind: the system's own where there is such a thing, those that are there, and the
    /// one in use.
    package func choices(of kind: CallDevice.Kind) -> [CallDevice] {
        let present = (present ?? []).filter { $0.kind == kind }
        let standard = CallDevice(kind, id: CallDevice.standard, name: CallDevice.standard)
        let all = (kind == .camera || present.isEmpty ? [] : [standard]) + present
        guard let used = use.used(kind), !all.contains(where: { $0.id == used.id }) else { return all }
        return all + [used]
    }

    /// The id of the one that is used, or will be.
    package func chosen(_ kind: CallDevice.Kind) -> String? { opening[kind] ?? use.used(kind)?.id }

    /// Why there is nothing to choose; nil where there is.
    package func obstacle(_ kind: CallDevice.Kind) -> Obstacle? {
        guard let present else { return .unknown }
        let isThere = present.contains { $0.kind == kind }
        guard use.selectable.contains(kind) else { return isThere ? .unused : .absent }
        // A sound server has a device of its own even where nothing is connected.
        let isUsed = use.used(kind).map { $0.id != CallDevice.standard } ?? false
        return isThere || isUsed ? nil : .absent
    }

    package enum Obstacle: Hashable, Sendable {
        /// It is still being asked.
        case unknown
        /// There is no such device.
        case absent
        /// The call takes none of this kind.
        case unused
    }
}
