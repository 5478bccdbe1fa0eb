internal import ChatCore

/// The fuzz target for the frames of the chat, of clients and of servers.
///
/// A frame that was read and written must stay the same when it is read and written again.
package enum ChatTarget {
    package static func take(_ input: UnsafeRawBufferPointer) {
        guard let selector = input.first,
            let text = String(validating: input.dropFirst(), as: UTF8.self)
        else { return }
        if selector.isMultiple(of: 2) { readRequest(text) } else { readEvent(text) }
    }

    private static func readRequest(_ text: String) {
        guard let request = try? ChatRequest.Envelope(text) else { return }
        let again = try? ChatRequest.Envelope(request.text)
        precondition(again?.text == request.text, "\(request.text) is read as another request")
    }

    private static func readEvent(_ text: String) {
        guard let event = try? ChatEventEnvelope(text) else { return }
        let again = try? ChatEventEnvelope(event.text)
        precondition(again?.text == event.text, "\(event.text) is read as another event")
        // Frames for plain clients are ASCII.
        guard let plain = event.event.plainText else { return }
        precondition(plain.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(plain) is not ASCII")
        precondition((try? ChatEventEnvelope(plain)) != nil, "\(plain) cannot be read")
    }
}
