internal import CGLib
internal import GLibKit

/// The desktop's file manager: the service org.freedesktop.FileManager1, or else the user's program for folders.
package enum FileManagerService {
    private static let name = "org.freedesktop.FileManager1"
    private static let path = "/org/freedesktop/FileManager1"
    /// The time limit for a file manager that has to be started first.
    private static let timeout = Duration.seconds(10)

    /// Shows a file selected in its folder or, if no file manager can do that, only the folder.
    ///
    /// - Throws: `GLibError` if no program shows folders, or `CancellationError` after a timeout.
    @LoopActor
    package static func reveal(_ file: String, _ environment: [String: String]) async throws {
        try await reveal(file, on: await SessionBus.open(environment, timeout: timeout))
    }

    /// Shows a file like `reveal(_:_:)`, with the file manager of this bus.
    @LoopActor
    package static func reveal(_ file: String, on bus: SessionBus?) async throws {
        if let bus,
            (try? await bus.call(name, path, name, "ShowItems", [.strings([uri(file)]), .string("")])) != nil
        {
            return
        }
        _ = try await within(timeout) {
            try await gio { cancellable, callback, data in
                g_app_info_launch_default_for_uri_async(folder(of: file), nil, cancellable, callback, data)
            } finish: { result, error in
                g_app_info_launch_default_for_uri_finish(result, error)
            }
        }
    }

    private static func uri(_ path: String) -> String { uri(of: file(path)) }

    /// The URI of the folder that contains a file.
    static func folder(of path: String) -> String {
        // The file object must exist until its parent has been created.
        let parent = withExtendedLifetime(file(path)) { g_file_get_parent($0.opaque) }
        return uri(of: parent.map { ObjectRef(taking: UnsafeMutableRawPointer($0)) })
    }

    private static func file(_ path: String) -> ObjectRef {
        ObjectRef(taking: UnsafeMutableRawPointer(g_file_new_for_path(path)))
    }

    private static func uri(of file: ObjectRef?) -> String {
        guard let file, let uri = g_file_get_uri(file.opaque) else { return "" }
        defer { g_free(uri) }
        return String(cString: uri)
    }
}
