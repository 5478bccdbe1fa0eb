package import Basics
internal import LiveCore

/// The view model of Home: the stream, and the other items that can be played.
@MainActor package final class HomeViewModel: ViewModel {
    package struct State: Hashable, Sendable {
        /// The listed items; nil until they are listed for the first time.
        package var items: [LiveItem]?
        /// Whether nothing has been chosen for playback yet, neither by the user nor by the app.
        package var isStarting = true
        /// The address that the user is entering.
        package var addressText = ""
        /// Whether the entered address was refused because it cannot be played.
        package var isAddressRefused = false
        /// Whether the desktop shows a dialog for choosing a file.
        package var isChoosingFile = false
    }

    package enum Action: Hashable, Sendable {
        case choose(LiveItem)
        case setAddressText(String)
        /// Plays the entered address.
        case playAddress
        /// Shows a desktop dialog in which the user chooses a file to play.
        case chooseFile(FileDialog)
    }

    /// The maximum length of an entered address, in characters.
    package nonisolated static let longestAddress = LiveAddress.maximumLength

    package nonisolated let store = StateStore(State())
    /// The view model of the stream that Home and the mini player show.
    package nonisolated let live: LiveViewModel
    package nonisolated let previews: RecordingPreviews

    private let chooseFile: @Sendable (FileDialog) -> Void

    /// Creates a view model; `chooseFile` shows a dialog.
    nonisolated init(
        _ live: LiveViewModel,
        _ previews: RecordingPreviews,
        chooseFile: @escaping @Sendable (FileDialog) -> Void
    ) {
        (self.live, self.previews, self.chooseFile) = (live, previews, chooseFile)
    }

    package nonisolated func send(_ action: Action) {
        switch action {
        case .choose(let item): open(item.address)
        case .setAddressText(let text):
            store.update { state in
                state.addressText = String(text.prefix(Self.longestAddress))
                state.isAddressRefused = false
            }
        case .playAddress:
            let text = store.state.addressText
            guard !text.isEmpty else { return }
            guard let address = try? LiveAddress(text) else {
                return store.update { $0.isAddressRefused = true }
            }
            open(address)
        case .chooseFile(let dialog):
            var isAccepted = false
            store.update { state in
                isAccepted = !state.isChoosingFile
                state.isChoosingFile = true
            }
            if isAccepted { chooseFile(dialog) }
        }
    }

    /// Plays a file or an address.
    nonisolated func open(_ address: LiveAddress) {
        store.update { $0.isStarting = false }
        live.play(address)
    }

    nonisolated func show(_ items: [LiveItem]) { store.update { $0.items = items } }

    /// Shows all items, and plays the first one if no stream has been chosen yet.
    nonisolated func begin(_ items: [LiveItem]) {
        let isStarting = store.state.isStarting
        store.update { ($0.items, $0.isStarting) = (items, false) }
        if isStarting, live.store.state.address == nil, let first = items.first { send(.choose(first)) }
    }
}
