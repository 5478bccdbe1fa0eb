internal import CGLib
internal import GLibKit

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
