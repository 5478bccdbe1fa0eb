internal import CGStreamer
internal import GLibKit

/// A device reported by GStreamer's device providers.
package struct Device: Sendable {
    /// The display name, as given by the driver.
    package let name: String
    /// The device class, such as `Video/Source` or `Audio/Sink`.
    package let deviceClass: String
    package let caps: Caps?
    /// The string properties that the device provider reports, such as `device.path`.
    package let properties: [String: String]
    /// The factory of the element that opens the device, such as `pulsesrc`, if there is one.
    package let element: String?
    /// The value of the `device` property of the element that opens the device, if it has one.
    package let address: String?

    /// Lists all devices of these classes; may block while providers query drivers and sound servers.
    package static func all(of classes: [String]) -> [Device] {
        GStreamer.start()
        guard let monitor = gst_device_monitor_new() else { return [] }
        let owner = ObjectRef(taking: monitor)
        for name in classes { gst_device_monitor_add_filter(monitor, name, nil) }
        let list = gst_device_monitor_get_devices(monitor)
        defer { g_list_free(list) }
        var found: [Device] = []
        var link = list
        while let here = link {
            if let data = here.pointee.data { found.append(Device(ObjectRef(taking: data))) }
            link = here.pointee.next
        }
        withExtendedLifetime(owner) {}
        return found
    }

    private init(_ object: ObjectRef) {
        let device = object.cast(to: GstDevice.self)
        name = Self.text(gst_device_get_display_name(device))
        deviceClass = Self.text(gst_device_get_device_class(device))
        caps = gst_device_get_caps(device).map(Caps.init(taking:))
        let opener = gst_device_create_element(device, nil).map { Element(ObjectRef(sinking: $0)) }
        element = opener?.factoryName
        address = opener.flatMap { $0.has("device") ? $0.string("device") : nil }
        guard let structure = gst_device_get_properties(device) else {
            properties = [:]
            return
        }
        defer { gst_structure_free(structure) }
        let view = Structure(structure)
        properties = view.fieldNames.reduce(into: [:]) { $0[$1] = view.string($1) }
    }

    private static func text(_ text: UnsafeMutablePointer<gchar>?) -> String {
        guard let text else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
