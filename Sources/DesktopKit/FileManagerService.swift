internal import CGLib
internal import GLibKit

/// The desktop's file manager, as org.freedesktop.FileManager1 and the user's choice of programs define it.
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
        if let bus = await SessionBus.open(environment, timeout: timeout),
            (try? await bus.call(name, path, name, "ShowItems", [.strings([uri(file)]), .string("")])) != nil
        {
            return
        }
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        _ = try await within(timeout) {
            try await gio { cancellable, callback, data in
                g_app_info_launch_default_for_uri_async(uri(folder), nil, cancellable, callback, data)
            } finish: { result, error in
                g_app_info_launch_default_for_uri_finish(result, error)
            }
        }
    }

    private static func uri(_ path: String) -> String {
        let file = ObjectRef(taking: UnsafeMutableRawPointer(g_file_new_for_path(path)))
        guard let uri = g_file_get_uri(file.opaque) else { return "" }
        defer { g_free(uri) }
        return String(cString: uri)
    }
}

/// The desktop's trash, from which the user can restore files.
package enum Trash {
    /// Moves a file to the trash of its volume.
    ///
    /// - Throws: `GLibError`, for example if the volume has no trash, or `CancellationError`.
    @LoopActor
    package static func move(_ path: String) async throws {
        let file = ObjectRef(taking: UnsafeMutableRawPointer(g_file_new_for_path(path)))
        _ = try await gio { cancellable, callback, data in
            g_file_trash_async(file.opaque, G_PRIORITY_DEFAULT, cancellable, callback, data)
        } finish: { result, error in
            g_file_trash_finish(file.opaque, result, error)
        }
    }
}
