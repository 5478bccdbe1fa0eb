internal import CGLib
internal import GLibKit

/// The desktop's dialog for choosing a file (org.freedesktop.portal.FileChooser).
package enum FileChooser {
    /// The reason why no dialog can be shown.
    package struct Unavailable: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The outcome of a dialog.
    private enum Answer: Sendable {
        /// The arguments of the portal's answer.
        case response(Variant?)
        case portalHasGone
    }

    private static let portal = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let interface = "org.freedesktop.portal.FileChooser"
    private static let request = "org.freedesktop.portal.Request"
    /// The time limit for a portal that has to be started first.
    private static let timeout = Duration.seconds(10)

    /// The kinds of files that a dialog shows.
    package enum Kind: String, Hashable, Sendable {
        case video, image
        /// Files of any kind.
        case any
    }

    /// Lets the user choose a file; cancelling the task closes the dialog.
    ///
    /// - Parameters:
    ///   - kind: The kind of files that the dialog shows.
    ///   - title: The title of the dialog.
    ///   - name: The displayed name of the kind.
    ///   - environment: The environment, which names the session bus.
    /// - Returns: The file's path; nil if the user has chosen none.
    /// - Throws: `Unavailable`, or `CancellationError`.
    @LoopActor
    package static func choose(
        _ kind: Kind,
        title: String,
        name: String,
        _ environment: [String: String]
    ) async throws -> String? {
        guard let bus = await SessionBus.open(environment, timeout: timeout) else {
            throw Unavailable(description: "there is no session bus")
        }
        return try await choose(kind, title: title, name: name, on: bus)
    }

    /// Lets the user choose a file like `choose(_:title:name:_:)`, with the portal on this bus.
    @LoopActor
    package static func choose(
        _ kind: Kind,
        title: String,
        name: String,
        on bus: SessionBus
    ) async throws -> String? {
        let token = "callrunner\(UInt32.random(in: .min ... .max))"
        let sender = (bus.uniqueName ?? "").dropFirst().replacing(".", with: "_")
        let dialog = "\(path)/request/\(sender)/\(token)"
        let (answers, answer) = AsyncStream.makeStream(of: Answer.self)
        // Subscribes before the call, so that no answer is missed.
        let response = bus.subscribe(
            to: SessionBus.Signal(sender: portal, path: dialog, interface: request, name: "Response")
        ) { answer.yield(.response($0)) }
        let ends = bus.subscribe(to: .ownerChanged(of: portal)) { arguments in
            if arguments?.child(2)?.string == "" { answer.yield(.portalHasGone) }
        }
        defer {
            bus.unsubscribe(response)
            bus.unsubscribe(ends)
        }
        do {
            // 1 stands for a media type.
            let filter: SessionBus.Argument = .tuple([
                .string(name), .array([.tuple([.number(1), .string("\(kind.rawValue)/*")])]),
            ])
            let token: SessionBus.Argument = .string(token)
            let options: SessionBus.Argument =
                kind == .any
                ? .options(["handle_token": token])
                : .options(["handle_token": token, "filters": .array([filter])])
            let arguments: [SessionBus.Argument] = [.string(""), .string(title), options]
            _ = try await bus.call(portal, path, interface, "OpenFile", arguments)
        } catch {
            // The dialog may open after its time limit.
            bus.post(portal, dialog, request, "Close")
            try Task.checkCancellation()
            let isLate = error is CancellationError
            throw Unavailable(description: isLate ? "xdg-desktop-portal does not answer" : "\(error)")
        }
        for await answer in answers { return try file(in: answer) }
        bus.post(portal, dialog, request, "Close")
        throw CancellationError()
    }

    /// Finds the path of the chosen file in an answer; nil if the user has chosen none.
    private static func file(in answer: Answer) throws(Unavailable) -> String? {
        guard case .response(let arguments) = answer else {
            throw Unavailable(description: "xdg-desktop-portal has ended")
        }
        // 1 and 2: the user has cancelled or closed the dialog.
        guard arguments?.child(0)?.number == 0 else { return nil }
        guard let uri = arguments?.child(1)?.value("uris")?.child(0)?.string,
            let file = g_file_new_for_uri(uri).map({ ObjectRef(taking: UnsafeMutableRawPointer($0)) }),
            let path = g_file_get_path(file.opaque)
        else { return nil }
        defer { g_free(path) }
        return String(cString: path)
    }
}
