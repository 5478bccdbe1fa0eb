internal import AppFlow
internal import Basics
internal import CallCore
internal import WindowKit

/// The screen of a room without a call: the user, the connection, the peer, and a button that starts a call.
@WindowActor final class RoomScreen: ScreenView {
    let model: RoomViewModel
    private let shell: AppShell?
    private static let width = 460.0
    /// The width of a switch and the space beside it.
    private static let toggle = 62.0
    private var now = 0.0
    /// The time until which a second Esc leaves the room; nil before a first Esc, and always if the room was
    /// chosen in the app.
    private(set) var asksUntil: Double?
    /// Whether the sheet that asks for a confirmation of the logout is open.
    private var asksToLogOut = false

    init(model: RoomViewModel, shell: AppShell? = nil) { (self.model, self.shell) = (model, shell) }

    func accepts(_ key: Shortcut) -> Bool { model.command(of: key) != nil }

    func press(_ key: Shortcut) {
        if key == .escape, asksUntil.map({ now >= $0 }) ?? true {
            return asksUntil = now + CallScreen.questionTime
        }
        if let command = model.command(of: key) { model.send(command) }
    }

    var changesAt: Double? { asksUntil.flatMap { now < $0 ? $0 : nil } }

    func draw(_ ui: Interface) {
        now = ui.motion.time
        let state = model.store.state
        let notice = notice(ui, state)
        let width = Self.width
        let head = 56 + Space.large
        let room = roleHeight(ui, state) + 1 + mediaHeight(ui) + 1 + connectionHeight(ui, state)
        let peer = captionHeight(ui) + cardHeight(ui, state)
        // If the command line starts calls automatically, no button is needed.
        let hasStart = state.isManaged || state.canStartCall
        let start = hasStart ? Space.large + 52.0 : 0
        let height = head + room + Space.large + peer + start
        let place = notice.map { ui.bannerPlace(width: width, $0.text, hasAction: $0.action != nil) }
        ui.page("room.page", width: width, height: height, strip: place?.strip ?? 0) { content in
            var rest = content
            drawHead(ui, state, rest.takeTop(56, gap: Space.large))
            drawRoom(ui, state, rest.takeTop(room, gap: Space.large))
            drawPeer(ui, state, rest.takeTop(peer, gap: Space.large))
            if hasStart { drawStart(ui, state, rest.takeTop(52)) }
        }
        if let notice, let place { drawNotice(ui, notice, place.box) }
    }

    func drawSheets(_ ui: Interface) {
        let state = model.store.state
        if state.ring != nil { asksToLogOut = false }
        let isAsking = asksToLogOut
        if let answer = Question(name: "room.logout", text: ui.strings["room.logout.question"]).draw(
            ui,
            isOpen: isAsking
        ) {
            asksToLogOut = false
            if answer == .confirmed { model.send(.logout) }
        }
        if shell?.drawChatRing(ui) != true { RingSheet(model: model).draw(ui) }
        if state.isManaged, !isAsking, case .disconnected = state.connection, ui.consumes(.enter) {
            model.send(.connect)
        }
    }

    func title(_ strings: Strings) -> WindowTitle {
        let state = model.store.state
        if let ring = state.ring { return WindowTitle(ringing: ring.peer, strings) }
        switch state.connection {
        case .disconnected, .connecting:
            let isConnecting = state.connection == .connecting
            let word = strings[isConnecting ? "room.state.connecting" : "room.state.disconnected"]
            return WindowTitle(parts: [strings("common.room", ["room": "\(state.identity.room)"]), word])
        case .connected:
            let (title, note) = PeerLine(state).texts(strings)
            return WindowTitle(parts: [title, note ?? ""])
        }
    }

    // MARK: - The user

    private func drawHead(_ ui: Interface, _ state: RoomState, _ box: Box) {
        var rest = box
        let name = state.identity.username.value
        ui.avatar(name, center: rest.takeLeft(52, gap: Space.medium).center, diameter: 52)
        let room = ui.strings("common.room", ["room": "\(state.identity.room)"])
        if state.isManaged { drawLogout(ui, &rest, beside: ui.painter.width(of: room, .body)) }
        rest = rest.inset(x: 0, y: 3)
        ui.painter.text(name, in: rest.takeTop(28), .title, ui.theme.text)
        ui.painter.text(room, in: rest.takeTop(20), .body, ui.theme.faint)
    }

    /// Draws the logout button at the right of `rest`; the button omits its title if the name and the room would
    /// otherwise have less than `length` points, or less than 120.
    private func drawLogout(_ ui: Interface, _ rest: inout Box, beside length: Double) {
        let title = ui.strings["room.logout"]
        let width = ui.buttonWidth(title, hasGlyph: true)
        let isPressed: Bool
        if rest.width > width + Space.small + max(120, length) {
            let place = Box(center: rest.takeRight(width, gap: Space.small).center, width: width, height: 40)
            isPressed = ui.button("room.logout", title, .quiet, in: place, glyph: .leave)
        } else {
            let center = rest.takeRight(40, gap: Space.small).center
            isPressed = ui.iconButton("room.logout", .leave, title, center: center, diameter: 40)
        }
        if isPressed { asksToLogOut = true }
    }

    // MARK: - Role, media and connection

    private func drawRoom(_ ui: Interface, _ state: RoomState, _ box: Box) {
        ui.card(box)
        var rest = box
        drawRole(ui, state, rest.takeTop(roleHeight(ui, state)).inset(x: Space.large, y: 0))
        ui.divider(rest.takeTop(1).inset(x: Space.large, y: 0))
        drawMedia(ui, state, rest.takeTop(mediaHeight(ui)).inset(x: Space.large, y: 0))
        ui.divider(rest.takeTop(1).inset(x: Space.large, y: 0))
        drawConnection(ui, state, rest.inset(x: Space.large, y: 0))
    }

    private func drawRole(_ ui: Interface, _ state: RoomState, _ box: Box) {
        var row = box
        guard state.canChangeRole else {
            let isCaller = state.role == .caller
            ui.painter.text(ui.strings["room.role"], in: row.takeLeft(row.width / 2), .body, ui.theme.text)
            let word = ui.strings[isCaller ? "room.role.caller" : "room.role.callee"]
            return ui.badge(word, isCaller ? ui.theme.link : ui.theme.goodInk, in: row)
        }
        let isCaller = state.role == .caller
        if let isOn = ui.toggle("room.role", isCaller, in: row) {
            model.send(.setRole(isOn ? .caller : .callee))
        }
        _ = row.takeRight(Self.toggle)
        roleText(ui, isCaller).draw(ui, in: row, ink: ui.theme.text, noteInk: ui.theme.faint)
    }

    private func roleText(_ ui: Interface, _ isCaller: Bool) -> TitledNote {
        let note = isCaller ? "room.role.switch.on" : "room.role.switch.off"
        return TitledNote(ui.strings["room.role.switch"], note: ui.strings[note])
    }

    private func drawMedia(_ ui: Interface, _ state: RoomState, _ box: Box) {
        var row = box
        let switches = MediaSwitches(controls: state.controls)
        let place = row.takeRight(MediaSwitches.width, gap: Space.small)
        switches.draw(ui, "room", in: place, hasKeys: true, press)
        let isOff = state.controls.isMuted || state.controls.isCameraOff
        let ink = isOff ? ui.theme.warningInk : ui.theme.text
        let text = switches.text(ui.strings)
        // Words broken in the middle would be harder to understand than the icons alone.
        let words = text.split(separator: " ").map { ui.painter.width(of: String($0), .body) }
        guard (words.max() ?? 0) <= row.width else { return }
        let height = ui.painter.height(of: text, .body, width: row.width, limit: 2)
        row = Box(center: row.center, width: row.width, height: height)
        ui.painter.paragraph(text, in: row, .body, ink, limit: 2)
    }

    private func titles(_ ui: Interface) -> [String] {
        ["connect", "cancel", "disconnect"].map { ui.strings["room.\($0)"] }
    }

    private func connectWidth(_ ui: Interface) -> Double {
        titles(ui).map { ui.buttonWidth($0, hasGlyph: true) }.max() ?? 0
    }

    /// Checks whether the row is too narrow for the text and the button, so that the button is below the
    /// text.
    private func isTight(_ ui: Interface) -> Bool {
        let row = ui.columnWidth(Self.width) - 2 * Space.large
        let words = ["disconnected", "connecting", "connected"].map { ui.strings["room.state.\($0)"] }
        let widest = words.map { ui.painter.width(of: $0, .body) }.max() ?? 0
        return widest + 10 + Space.small + 2 + Space.small + connectWidth(ui) > row
    }

    private func connectionHeight(_ ui: Interface, _ state: RoomState) -> Double {
        guard state.isManaged else { return 48 }
        return isTight(ui) ? 48 + Interface.buttonHeight + Space.medium : isLow(ui) ? 52 : 60
    }

    private func drawConnection(_ ui: Interface, _ state: RoomState, _ box: Box) {
        var row = box
        let (color, key) =
            switch state.connection {
            case .disconnected: (ui.theme.faint, "disconnected")
            case .connecting: (ui.theme.warningInk, "connecting")
            case .connected: (ui.theme.goodInk, "connected")
            }
        if state.isManaged {
            let titles = titles(ui)
            if isTight(ui) {
                _ = row.takeBottom(Space.medium)
                let strip = row.takeBottom(Interface.buttonHeight, gap: Space.small)
                drawConnect(ui, state, titles, strip)
                row = row.inset(x: 0, y: 4)
            } else {
                let strip = row.takeRight(connectWidth(ui), gap: Space.small)
                let place = Box(center: strip.center, width: strip.width, height: Interface.buttonHeight)
                drawConnect(ui, state, titles, place)
            }
        }
        ui.painter.disc(row.takeLeft(10, gap: Space.small + 2).center, diameter: 10, color)
        ui.painter.text(ui.strings["room.state.\(key)"], in: row, .body, ui.theme.text)
    }

    private func drawConnect(_ ui: Interface, _ state: RoomState, _ titles: [String], _ box: Box) {
        switch state.connection {
        case .disconnected:
            if ui.button("room.connect", titles[0], in: box) { model.send(.connect) }
        case .connecting:
            if ui.button("room.connect", titles[1], .secondary, in: box, isBusy: true) {
                model.send(.disconnect)
            }
        case .connected:
            if ui.button("room.connect", titles[2], .secondary, in: box) { model.send(.disconnect) }
        }
    }

    // MARK: - The peer

    /// Whether the window is low: with the usual heights, a notice of one line would hide the button below the
    /// peer.
    private func isLow(_ ui: Interface) -> Bool { ui.pageArea.height < 520 }

    /// The width of a row of the room's cards.
    private func rowWidth(_ ui: Interface) -> Double { ui.columnWidth(Self.width) - 2 * Space.large }

    /// Computes the height of the role's row, the same for both roles, so that the switch does not move.
    private func roleHeight(_ ui: Interface, _ state: RoomState) -> Double {
        guard state.canChangeRole else { return isLow(ui) ? 52 : 58 }
        let texts = [true, false].map { roleText(ui, $0).height(ui, width: rowWidth(ui) - Self.toggle) }
        return (texts.max() ?? 0) + (isLow(ui) ? 10 : 16)
    }

    private func cardHeight(_ ui: Interface, _ state: RoomState) -> Double {
        let (title, note) = PeerLine(state).texts(ui.strings)
        let width = rowWidth(ui) - 44 - Space.medium
        let text =
            note.map { TitledNote(title, note: $0).height(ui, width: width) }
            ?? ui.painter.height(of: title, .body, width: width)
        return max(80, text + 36)
    }

    private func mediaHeight(_ ui: Interface) -> Double { isLow(ui) ? 48 : 54 }

    /// Computes the height of the peer's caption, which a low window omits.
    private func captionHeight(_ ui: Interface) -> Double { isLow(ui) ? 0 : 22 + Space.small }

    private func drawPeer(_ ui: Interface, _ state: RoomState, _ box: Box) {
        var rest = box
        if !isLow(ui) {
            let caption = rest.takeTop(22, gap: Space.small)
            ui.painter.text(ui.strings["room.peer"], in: caption, .captionStrong, ui.theme.faint)
        }
        let card = rest
        ui.card(card)
        var row = card.inset(x: Space.large, y: 0)
        let place = row.takeLeft(44, gap: Space.medium).center
        let line = PeerLine(state)
        let (title, note) = line.texts(ui.strings)
        let tone = line.isThere ? ui.theme.goodInk : ui.theme.faint
        if let peer = state.peer {
            ui.avatar(peer.username, center: place, diameter: 44)
            ui.painter.disc(Point(place.x + 16, place.y + 16), diameter: 15, ui.theme.surface)
            ui.painter.disc(Point(place.x + 16, place.y + 16), diameter: 11, tone)
        } else {
            ui.painter.disc(place, diameter: 44, ui.theme.field)
            ui.painter.glyph(.person, center: place, size: 28, ui.theme.faint)
        }
        guard let note else {
            let height = ui.painter.height(of: title, .body, width: row.width)
            let words = Box(center: row.center, width: row.width, height: height)
            ui.painter.paragraph(title, in: words, .body, ui.theme.faint)
            return
        }
        TitledNote(title, note: note).draw(ui, in: row, ink: ui.theme.text, noteInk: tone)
    }

    private func drawStart(_ ui: Interface, _ state: RoomState, _ box: Box) {
        let arms = state.isArmed || state.start == .unavailable && state.canArm
        let (key, style, glyph): (String, Interface.ButtonStyle, Glyph) =
            switch state.start {
            case _ where state.isArmed: ("room.start.armed", .primary, .check)
            case .unavailable where state.role == .callee, .awaitOffer:
                ("room.start.await", .secondary, .answer)
            case .unavailable, .call: ("room.start", .primary, .camera)
            case .callAnyway: ("room.start.anyway", .secondary, .camera)
            }
        let isPressed = ui.button(
            "room.start",
            ui.strings[key],
            style,
            in: box,
            glyph: glyph,
            isEnabled: state.canStartCall || arms
        )
        guard isPressed else { return }
        if arms { model.setArmed(!state.isArmed) } else { model.send(.startCall) }
    }

    /// A notice about the latest event or a problem.
    struct Notice: Hashable, Sendable {
        /// The action of the notice's button, which resolves the problem.
        enum Action: Hashable, Sendable {
            case connect, switchRole
        }

        var text: String
        var tone: Interface.Tone
        var action: Action?
        /// Whether the action is under way already.
        var isBusy = false
    }

    func notice(_ ui: Interface, _ state: RoomState) -> Notice? {
        if let asked = asksUntil, ui.motion.time < asked {
            return Notice(text: ui.strings["room.escape"], tone: .warning)
        }
        if var problem = problem(ui, state) {
            if let call = state.missedCall {
                let isEnded = problem.text.last.map(".…".contains) ?? true
                problem.text += (isEnded ? " " : ". ") + ui.strings.sentence(of: call)
            }
            return problem
        }
        guard let reason = state.returnReason else {
            let isAlone = state.isConnected && state.isLocal && state.peer == nil
            return isAlone ? Notice(text: ui.strings["room.local"], tone: .info) : nil
        }
        let text = ui.strings.sentence(of: reason)
        return switch reason {
        case .callEnded(let summary): Notice(text: text, tone: summary.isFailure ? .warning : .info)
        case .callMissed: Notice(text: text, tone: .warning)
        case .peerLeft: Notice(text: text, tone: .info)
        }
    }

    /// Describes the problem that is more urgent than `returnReason`; nil if there is none.
    private func problem(_ ui: Interface, _ state: RoomState) -> Notice? {
        if case .disconnected(let loss?) = state.connection { return notice(ui, loss) }
        if state.connection == .connecting, let loss = state.earlierLoss {
            // The notice has the same parts as between attempts, so that nothing moves.
            let text = ui.strings.sentence(of: loss) + ". " + ui.strings["room.state.connecting"]
            return Notice(text: text, tone: .error, action: .connect, isBusy: true)
        }
        guard let rival = state.rival, state.peer == nil else { return nil }
        let key = state.role == .caller ? "room.rival.caller" : "room.rival.callee"
        let text = ui.strings(key, ["name": rival.username])
        return Notice(text: text, tone: .warning, action: state.isManaged ? .switchRole : nil)
    }

    private func notice(_ ui: Interface, _ loss: RoomLoss) -> Notice {
        if case .failed(let diagnosis) = loss.reason, diagnosis.code == "role-taken" {
            return Notice(text: ui.strings.sentence(of: loss), tone: .error, action: .switchRole)
        }
        var text = ui.strings.sentence(of: loss)
        if let seconds = loss.retryIn {
            text += ". " + ui.strings("room.retry.in", ["seconds": "\(seconds)"])
        }
        return Notice(text: text, tone: .error, action: .connect)
    }

    func drawNotice(_ ui: Interface, _ notice: Notice, _ box: Box) {
        let isCaller = model.store.state.role == .caller
        let title = notice.action.map { action in
            switch action {
            case .connect: ui.strings["room.retry"]
            case .switchRole: ui.strings[isCaller ? "room.switch.callee" : "room.switch.caller"]
            }
        }
        let isEnabled = !notice.isBusy
        let isPressed = ui.banner(
            "room.notice",
            notice.text,
            notice.tone,
            in: box,
            action: title,
            isEnabled: isEnabled
        )
        guard isPressed else { return }
        switch notice.action {
        case .connect: model.send(.connect)
        case .switchRole: model.send(.switchRole)
        case nil: break
        }
    }
}
