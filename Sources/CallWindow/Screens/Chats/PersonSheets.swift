internal import AppFlow
internal import ChatCore
internal import WindowKit

/// The sheets about the person of a conversation: the possible actions, and the questions before these.
@WindowActor struct PersonSheets {
    private static let reason: ControlID = "chat.report.reason"
    private static let longestReason = 1000

    let model: ChatsViewModel
    let state: ChatsViewModel.State
    let chat: ChatsViewModel.OpenChat

    private var isBlocked: Bool { state.blocked.contains(chat.person.id) }
    private var isMuted: Bool { state.muted.contains(chat.person.id) }

    private func name(_ ui: Interface) -> String { ui.strings.name(of: chat.person) }

    private enum Deed: String, CaseIterable {
        case mute, unmute, block, unblock, report

        var glyph: Glyph {
            switch self {
            case .mute: .mutedSpeaker
            case .unmute: .speaker
            case .block: .cross
            case .unblock: .check
            case .report: .notice
            }
        }
    }

    func draw(_ ui: Interface) {
        drawActions(ui)
        drawQuestion(ui)
        drawReport(ui)
        drawReported(ui)
    }

    private func failure(_ ui: Interface) -> String {
        guard let failure = chat.personFailure else { return "" }
        return chat.sheet == .block
            ? ui.strings.sentence(ofBlock: failure) : ui.strings.sentence(of: failure)
    }

    /// Draws the reason why the last request has failed, and removes its area from `rest`.
    private func drawFailure(_ ui: Interface, _ rest: inout Box) {
        let text = failure(ui)
        let height = ui.painter.height(of: text, .caption, width: rest.width)
        guard height > 0 else { return }
        ui.painter.paragraph(
            text,
            in: rest.takeTop(height, gap: Space.small),
            .caption,
            ui.theme.dangerInk
        )
    }

    private func failureHeight(_ ui: Interface) -> Double {
        let height = ui.painter.height(of: failure(ui), .caption, width: ui.sheetWidth())
        return height > 0 ? height + Space.small : 0
    }

    private func drawActions(_ ui: Interface) {
        let deeds = Deed.allCases.filter { deed in
            switch deed {
            case .mute: !isMuted
            case .unmute: isMuted
            case .block: chat.isExtended && !isBlocked
            case .unblock: chat.isExtended && isBlocked
            case .report: chat.isExtended
            }
        }
        let note = ui.strings["chat.mute.note"]
        let lines = ui.painter.height(of: note, .caption, width: ui.sheetWidth())
        let rows = Double(deeds.count) * (Interface.buttonHeight + Space.small)
        let isClosed = ui.sheet(
            "chat.person.sheet",
            name(ui),
            isOpen: chat.sheet == .actions,
            contentHeight: failureHeight(ui) + rows + lines + Space.small
        ) { box in
            var rest = box
            drawFailure(ui, &rest)
            for deed in deeds {
                let isPressed = ui.button(
                    ControlID("chat.person.\(deed.rawValue)"),
                    ui.strings["chat.\(deed.rawValue)"],
                    .secondary,
                    in: rest.takeTop(Interface.buttonHeight, gap: Space.small),
                    glyph: deed.glyph,
                    isEnabled: chat.pending == nil,
                    isBusy: deed == .unblock && chat.pending == .unblock
                )
                if isPressed { perform(deed) }
            }
            ui.painter.paragraph(note, in: rest.takeTop(lines), .caption, ui.theme.faint)
        }
        if isClosed { model.send(.person(.close)) }
    }

    private func perform(_ deed: Deed) {
        switch deed {
        case .mute: model.send(.mute(true))
        case .unmute: model.send(.mute(false))
        case .block: model.send(.person(.askToBlock))
        case .unblock: model.send(.person(.unblock))
        case .report: model.send(.person(.askForReason))
        }
    }

    private func drawQuestion(_ ui: Interface) {
        let question = Question(
            name: "chat.block",
            text: ui.strings("chat.block.question", ["name": name(ui)]),
            failure: failure(ui),
            isEnabled: chat.pending == nil,
            isBusy: chat.pending == .block
        )
        switch question.draw(ui, isOpen: chat.sheet == .block) {
        case .confirmed?: model.send(.person(.block))
        case .cancelled?: model.send(.person(.close))
        case nil: break
        }
    }

    private func drawReport(_ ui: Interface) {
        var reason: String?
        if case .report(let entered)? = chat.sheet { reason = entered }
        let note = ui.strings("chat.report.note", ["name": name(ui)])
        let lines = ui.painter.height(of: note, .body, width: ui.sheetWidth())
        let field = Interface.fieldHeight + Space.large
        let isClosed = ui.sheet(
            "chat.report.sheet",
            ui.strings["chat.report.title"],
            isOpen: reason != nil,
            contentHeight: lines + Space.large + field + failureHeight(ui) + Interface.buttonHeight
        ) { box in
            var rest = box
            ui.painter.paragraph(note, in: rest.takeTop(lines, gap: Space.large), .body, ui.theme.text)
            let text = ui.textField(
                Self.reason,
                ui.strings["chat.report.reason"],
                reason ?? "",
                in: rest.takeTop(Interface.fieldHeight, gap: Space.large),
                limit: Self.longestReason
            )
            if let text { model.send(.person(.setReason(text))) }
            drawFailure(ui, &rest)
            let isPressed = ui.button(
                "chat.report.confirm",
                ui.strings["chat.report"],
                .danger,
                in: rest.takeTop(Interface.buttonHeight),
                isEnabled: !(reason ?? "").isBlank && chat.pending == nil,
                isBusy: chat.pending == .report
            )
            if isPressed || ui.submits(Self.reason) { model.send(.person(.report)) }
        }
        if isClosed { model.send(.person(.close)) }
        if reason == "", ui.focus.focused == nil { ui.focus.focus(Self.reason) }
    }

    private func drawReported(_ ui: Interface) {
        let text = ui.strings["chat.reported"]
        let lines = ui.painter.height(of: text, .body, width: ui.sheetWidth())
        let isClosed = ui.sheet(
            "chat.reported.sheet",
            ui.strings["chat.report.title"],
            isOpen: chat.sheet == .reported,
            contentHeight: lines + Space.large + Interface.buttonHeight
        ) { box in
            var rest = box
            ui.painter.paragraph(text, in: rest.takeTop(lines, gap: Space.large), .body, ui.theme.text)
            let close = ui.strings["common.close"]
            let place = rest.takeTop(Interface.buttonHeight)
            if ui.button("chat.reported.close", close, .secondary, in: place) {
                model.send(.person(.close))
            }
        }
        if isClosed { model.send(.person(.close)) }
    }
}

extension Strings {
    /// Describes the reason why a person could not be blocked.
    func sentence(ofBlock failure: ChatError) -> String {
        if case .refused("too_many", _) = failure { return self["chat.block.too-many"] }
        return sentence(of: failure)
    }
}

extension Interface {
    /// Draws the header's area with the person as a control; returns true when the user presses it.
    func personControl(_ box: Box) -> Bool {
        let id: ControlID = "chat.person"
        let control = control(id, box)
        let hover = motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        if hover > 0 {
            painter.fill(
                box,
                radius: Corner.medium,
                theme.surface.mixed(with: theme.highlight, share: 0.06 * hover)
            )
        }
        focusRing(control, id, around: box, radius: Corner.medium)
        return control.wasClicked
    }
}
