internal import AppFlow
internal import Basics
internal import WindowKit

extension WindowTitle {
    /// Creates the title of a destination from the key of its name; a call that rings in the room takes precedence.
    init(_ name: String, _ shell: AppShell?, _ strings: Strings) {
        if let ring = shell?.room?.store.state.ring {
            self.init(ringing: ring.peer, strings)
        } else {
            self.init(parts: [strings[name]])
        }
    }
}

/// The drawing of incoming calls while a destination other than Calls is shown.
extension AppShell {
    /// The room in which a call may ring; nil if the room screen is not the current screen of the calls.
    nonisolated var room: RoomViewModel? {
        if case .room(let room) = calls.currentScreen { room } else { nil }
    }

    /// Draws the sheet of the ringing call, if any.
    @WindowActor func drawRing(_ ui: Interface) {
        if drawChatRing(ui) { return }
        guard let room else { return }
        if room.store.state.ring != nil { ui.openMenu = nil }
        RingSheet(model: room).draw(ui)
    }

    /// Draws the sheet of a ringing call from a conversation; returns false if none rings.
    @discardableResult @WindowActor func drawChatRing(_ ui: Interface) -> Bool {
        guard let chatCalls, let ring = chatCalls.ring.state else { return false }
        ui.openMenu = nil
        RingSheet(ring, chatCalls, ui.strings).draw(ui)
        return true
    }
}
