internal import CGLib
internal import GLibKit

/// The desktop's dialog for choosing a file (org.freedesktop.portal.FileChooser).
package enum FileChooser {
    /// The reason why there is no dialog.
    package struct Unavailable: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.portal.FileChooser"
    private static let request = "org.freedesktop.portal.Request"
    /// The filter for files that are videos; 1 stands for a media type.
    private static let films = SessionBus.Argument.tuple([
        .string("Video"), .array([.tuple([.number(1), .string("video/*")])]),
    ])
    /// The time limit for a portal that has to be started first.
    private static let timeout = Duration.seconds(10)

    /// Lets the user choose a video file; cancelling the task closes the dialog.
    ///
    /// - Returns: The file's path; nil if the user has chosen none.
    /// - Throws: `Unavailable`, or `CancellationError`.
    @LoopActor
    package static func chooseVideo(title: String, _ environment: [String: String]) async throws -> String? {
        guard let bus = await SessionBus.open(environment, timeout: timeout) else {
            throw Unavailable(description: "there is no session bus")
        }
        return try await chooseVideo(title: title, on: bus)
    }

    /// Lets the user choose a video file like `chooseVideo(title:_:)`, with the portal on this bus.
    @LoopActor
    package static func chooseVideo(title: String, on bus: SessionBus) async throws -> String? {
        let token = "callrunner\(UInt32.random(in: .min ... .max))"
        let sender = (bus.uniqueName ?? "").dropFirst().replacing(".", with: "_")
        let dialog = "\(path)/request/\(sender)/\(token)"
        let (answers, answer) = AsyncStream.makeStream(of: String?.self)
        // Subscribes before the call, so that no answer is missed.
        let id = bus.subscribe(
            to: SessionBus.Signal(sender: name, path: dialog, interface: request, name: "Response")
        ) { arguments in
            answer.yield(file(in: arguments))
            answer.finish()
        }
        defer { bus.unsubscribe(id) }
        do {
            let options: SessionBus.Argument = .options([
                "handle_token": .string(token), "filters": .array([films]),
            ])
            let arguments: [SessionBus.Argument] = [.string(""), .string(title), options]
            _ = try await bus.call(name, path, interface, "OpenFile", arguments)
        } catch {
            guard !Task.isCancelled else { try await close(dialog, on: bus) }
            let isLate = error is CancellationError
            throw Unavailable(description: isLate ? "the portal does not answer" : "\(error)")
        }
        for await path in answers { return path }
        try await close(dialog, on: bus)
    }

    /// Closes the dialog of a cancelled task, which may not be open yet.
    ///
    /// - Throws: `CancellationError`.
    @LoopActor
    private static func close(_ dialog: String, on bus: SessionBus) async throws -> Never {
        // A task of its own, because the calling one is cancelled.
        await Task { _ = try? await bus.call(name, dialog, request, "Close") }.value
        throw CancellationError()
    }

    /// Finds the path of the chosen file in an answer; nil if the user has chosen none.
    private static func file(in arguments: Variant?) -> String? {
        guard arguments?.child(0)?.number == 0,
            let uri = arguments?.child(1)?.value("uris")?.child(0)?.string,
            let file = g_file_new_for_uri(uri).map({ ObjectRef(taking: UnsafeMutableRawPointer($0)) }),
            let path = g_file_get_path(file.opaque)
        else { return nil }
        defer { g_free(path) }
        return String(cString: path)
    }
}
