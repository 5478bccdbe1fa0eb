internal import ArgumentParser
internal import Basics
internal import MediaKit
internal import SocketIO

/// The command that lists cameras, microphones, loudspeakers and screens with their formats.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List cameras, microphones, loudspeakers and screens with their formats.",
        usage: "callrunner devices <options>",
        discussion: """
            Drivers are only asked for their formats; nothing is captured.
            The line of a device begins with the name to give in flags, as in --source
            camera:/dev/video0, --microphone NAME and --speaker NAME.

            EXAMPLES
              callrunner devices
              callrunner devices --json
            """
    )

    @OptionGroup var output: OutputFlags

    /// The maximum number of formats printed for a device; only the number of the other formats is printed.
    private static let maximumFormats = 8

    func run() async throws {
        try await Surroundings.run(output) { surroundings in
            let devices = await DetectedDevice.all(environment: surroundings.environment)
            guard surroundings.writesJSON else {
                for kind in DetectedDevice.Kind.allCases {
                    Self.show(kind, devices.filter { $0.kind == kind })
                }
                return 0
            }
            for device in devices { await surroundings.events.write("device", Self.fields(of: device)) }
            let counts = DetectedDevice.Kind.allCases.map { kind in
                ("\(kind.rawValue)s", JSON.int(devices.count { $0.kind == kind }))
            }
            var fields: JSONObject = [:]
            for (name, count) in counts { fields[name] = count }
            await surroundings.events.write("devices", fields)
            return 0
        }
    }

    private static func show(_ kind: DetectedDevice.Kind, _ devices: [DetectedDevice]) {
        guard !devices.isEmpty else { return print("\(kind.rawValue)s: none\(consequence(of: kind))") }
        print("\(kind.rawValue)s:")
        for device in devices {
            // The name comes from the device, and may contain control characters.
            let names = device.name == device.id ? device.id : "\(device.id)  \(device.name)"
            print("  \(TerminalText(names).printable)")
            for format in device.formats.prefix(maximumFormats) {
                print("      \(TerminalText(format).printable)")
            }
            let more = device.formats.count - maximumFormats
            if more > 0 { print("      and \(more) more; --json lists them") }
        }
    }

    private static func consequence(of kind: DetectedDevice.Kind) -> String {
        switch kind {
        case .camera: "; --source auto sends the test video"
        case .microphone, .speaker: ""
        case .screen: "; --source screen needs an X11 display in DISPLAY"
        }
    }

    private static func fields(of device: DetectedDevice) -> JSONObject {
        [
            "kind": .string(device.kind.rawValue), "name": .string(device.name), "id": .string(device.id),
            "formats": .array(device.formats.map(JSON.string)),
        ]
    }
}
