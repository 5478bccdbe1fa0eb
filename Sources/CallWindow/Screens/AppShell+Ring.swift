internal import AppFlow
internal import Basics
internal import WindowKit

/// A call that rings while another destination than the calls is shown.
extension AppShell {
    /// The room in which a call may ring; nil before the login.
    nonisolated var room: RoomViewModel? {
        if case .room(let room) = calls.currentScreen { room } else { nil }
    }

    /// Draws the sheet of a call that rings.
    @WindowActor func drawRing(_ ui: Interface) {
        guard let room else { return }
        let ring = room.store.state.ring
        if ring != nil { ui.openMenu = nil }
        RingSheet(model: room).draw(ui, ring)
    }
}
