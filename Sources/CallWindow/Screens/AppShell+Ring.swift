internal import AppFlow
internal import Basics
internal import WindowKit

extension WindowTitle {
    /// Creates the title of a destination with this name; a call that rings in the meantime comes first.
    init(_ name: String, _ shell: AppShell?, _ strings: Strings) {
        if let ring = shell?.room?.store.state.ring {
            self.init(ringing: ring.peer, strings)
        } else {
            self.init(parts: [strings[name]])
        }
    }
}

/// A call that rings while another destination than the calls is shown.
extension AppShell {
    /// The room in which a call may ring; nil before the login.
    nonisolated var room: RoomViewModel? {
        if case .room(let room) = calls.currentScreen { room } else { nil }
    }

    /// Draws the sheet of a call that rings.
    @WindowActor func drawRing(_ ui: Interface) {
        if drawChatRing(ui) { return }
        guard let room else { return }
        if room.store.state.ring != nil { ui.openMenu = nil }
        RingSheet(model: room).draw(ui)
    }

    /// Draws the sheet of a call from a conversation; false if none rings.
    @discardableResult @WindowActor func drawChatRing(_ ui: Interface) -> Bool {
        guard let chatCalls, let ring = chatCalls.ring.state else { return false }
        ui.openMenu = nil
        RingSheet(ring, chatCalls, ui.strings).draw(ui)
        return true
    }
}
