import Basics
import ChatCore
import LiveCore
import Synchronization
import Testing

@testable import AppFlow

@Suite("Voice messages and sounds of the chat", .timeLimit(.minutes(4)))
struct ChatVoiceTests {
    private static let sound: ChatMedia = {
        var media = ChatMedia(id: "s1", url: "/api/media/s1", type: "audio/ogg", bytes: 900)
        media.duration = 8
        return media
    }()

    private func flow<Value: Sendable>(
        _ chat: FakeChat,
        sounds: (any LiveStreamService)? = nil,
        _ body: @escaping @Sendable (ChatDriver) async -> Value
    ) async throws -> Value {
        chat.state.withLock { $0.people = .success([ChatDriver.bob]) }
        return try await ChatDriver.run(chat, sounds: sounds, body)
    }

    @Test(
        "The file of a voice message is stored when recording begins, and deleted when the server has it"
    )
    func sent() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.upload = .success(Self.sound) }
        let (recording, kept, frames) = try await flow(chat) { driver in
            let connection = await driver.talk()
            driver.model.send(.voice(.record))
            let recording = await driver.until { $0.voices[2]?.levels.values.count == 2 }
            var kept: [OutgoingFile] = []
            for await preferences in chat.kept.states where !preferences.files.isEmpty {
                kept = preferences.files
                break
            }
            driver.model.send(.voice(.send))
            let frames = await connection.frames(1)
            let item = await driver.until { $0.chat?.conversation.items.isEmpty == false }.chat?.conversation
                .items[0]
            if let message = item?.message {
                var stored = message
                (stored.fromID, stored.toID) = (FakeChat.own.id, 2)
                connection.tell(.message(stored))
            }
            await driver.until { $0.transfers.uploads.isEmpty && $0.voices.isEmpty }
            return (recording, kept, frames)
        }
        let voice = try #require(recording.voices[2])
        #expect(voice.phase == .recording && voice.duration == .milliseconds(200))
        #expect(voice.levels.values == [0.5, 0])
        #expect(kept.count == 1 && kept[0].isVoice && kept[0].isNotSent && kept[0].path == voice.path)
        let path = try #require(voice.path)
        #expect(chat.state.withLock { $0.recorded } == [path])
        #expect(chat.state.withLock { $0.uploads } == [path])
        #expect(frames[0].contains(#""message":"""#) && frames[0].contains(#""media":{"id":"s1"}"#))
        #expect(chat.state.withLock { $0.forgotten } == [path])
    }

    @Test("A stopped recording can be played back, and is deleted when it is discarded")
    func discarded() async throws {
        let chat = FakeChat()
        let streams = SoundStreams()
        let (stopped, playing) = try await flow(chat, sounds: streams) { driver in
            _ = await driver.talk()
            driver.model.send(.voice(.record))
            await driver.until { $0.voices[2]?.phase == .recording }
            driver.model.send(.voice(.stop))
            let stopped = await driver.until { $0.voices[2]?.phase == .recorded }
            driver.model.send(.voice(.toggle))
            let playing = await driver.until { $0.transfers.sound?.phase == .playing }
            driver.model.send(.voice(.discard))
            await driver.until { $0.voices.isEmpty && $0.transfers.sound == nil }
            for _ in 0..<100 where chat.state.withLock({ $0.forgotten.isEmpty }) { await Task.yield() }
            return (stopped, playing)
        }
        let path = try #require(stopped.voices[2]?.path)
        #expect(playing.transfers.sound?.id == stopped.voices[2]?.id)
        #expect(streams.addresses == [.file(path)])
        #expect(chat.state.withLock { $0.forgotten } == [path])
        #expect(chat.kept.state.files.isEmpty)
    }

    @Test("Discarding a recording does not stop another sound, and sending a recording stops its playback")
    func besideSound() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.upload = .success(Self.sound) }
        let streams = SoundStreams()
        let (kept, closed) = try await flow(chat, sounds: streams) { driver in
            _ = await driver.talk()
            driver.model.send(.voice(.record))
            await driver.until { $0.voices[2]?.phase == .recording }
            driver.model.send(.voice(.stop))
            await driver.until { $0.voices[2]?.phase == .recorded }
            driver.model.send(.file(.toggleSound(Self.sound)))
            await driver.until { $0.transfers.sound?.position == .seconds(2) }
            driver.model.send(.voice(.discard))
            let kept = await driver.until { $0.voices.isEmpty }
            driver.model.send(.voice(.record))
            await driver.until { $0.voices[2]?.phase == .recording }
            driver.model.send(.voice(.stop))
            await driver.until { $0.voices[2]?.phase == .recorded }
            driver.model.send(.voice(.toggle))
            await driver.until { $0.transfers.sound?.position == .seconds(2) }
            driver.model.send(.voice(.send))
            streams.tell(.progress(LiveProgress(position: .seconds(3), duration: .seconds(8))))
            guard let player = await driver.flow.player else { return (kept, false) }
            for await playback in player.playback.states where playback.address == nil { return (kept, true) }
            return (kept, false)
        }
        #expect(kept.transfers.sound?.id == "s1" && kept.transfers.sound?.phase == .playing)
        #expect(closed)
    }

    @Test("A recording stopped before it has begun is discarded, and a failed recording reports the reason")
    func none() async throws {
        let chat = FakeChat()
        let (wait, end) = AsyncStream.makeStream(of: Never.self)
        chat.state.withLock { $0.voiceWait = wait }
        let failed = try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.voice(.record))
            driver.model.send(.voice(.stop))
            end.finish()
            await driver.until { $0.voices.isEmpty }
            chat.state.withLock { $0.voiceFailure = .refused(code: "not_recorded", message: "no microphone") }
            driver.model.send(.voice(.record))
            return await driver.until { $0.chat?.failure != nil }
        }
        #expect(failed.voices.isEmpty && failed.transfers.uploads.isEmpty)
        #expect(failed.chat?.failure == .refused(code: "not_recorded", message: "no microphone"))
        #expect(chat.state.withLock { $0.recorded }.isEmpty)
    }

    enum Leaving: CaseIterable { case closed, left, blocked }

    @Test("A recording stops and is kept if its conversation is left or blocked", arguments: Leaving.allCases)
    func left(_ leaving: Leaving) async throws {
        let chat = FakeChat()
        let voice = try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.voice(.record))
            await driver.until { $0.voices[2]?.phase == .recording }
            switch leaving {
            case .closed: driver.model.send(.close)
            case .left: await driver.flow.left()
            case .blocked:
                var inbox = InboxState()
                inbox.blocked = [2]
                driver.model.show(inbox)
            }
            return await driver.until { $0.voices[2]?.phase == .recorded }.voices[2]
        }
        #expect(voice?.duration == .milliseconds(200))
        #expect(chat.state.withLock { $0.preferences }.files.map(\.path) == [voice?.path])
    }

    @Test("A sent recording is uploaded even if its conversation is closed meanwhile")
    func sentAndLeft() async throws {
        let chat = FakeChat()
        chat.state.withLock { $0.upload = .success(Self.sound) }
        let state = try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.voice(.record))
            await driver.until { $0.voices[2]?.phase == .recording }
            driver.model.send(.voice(.send))
            driver.model.send(.close)
            return await driver.until { $0.transfers.uploads.first?.file.media != nil }
        }
        #expect(state.voices.isEmpty && state.chat == nil)
    }

    @Test("An interrupted recording reports the reason, and the recorded part is kept")
    func broken() async throws {
        let chat = FakeChat()
        chat.state.withLock { state in
            (state.voiceFailure, state.failsLate) = (.refused(code: "not_recorded", message: "lost"), true)
        }
        let state = try await flow(chat) { driver in
            _ = await driver.talk()
            driver.model.send(.voice(.record))
            return await driver.until { $0.voices[2]?.phase == .recorded }
        }
        #expect(state.chat?.failure == .refused(code: "not_recorded", message: "lost"))
        #expect(chat.state.withLock { $0.forgotten }.isEmpty)
    }

    @Test("A recording whose message the server refuses remains available for a retry")
    func refused() async throws {
        var file = OutgoingFile(id: "v", path: "/voice/v.ogg", peer: 2, media: Self.sound)
        file.isVoice = true
        var transfers = ChatTransfers()
        let upload = transfers.add(file)
        transfers.handOver(upload.id)
        let isDiscarded = transfers.refuseHandedOver("v", .refused(code: "blocked", message: ""))
        #expect(isDiscarded && transfers.shown(to: 2).first?.failure != nil)
        #expect(transfers.uploads.first?.file.media == Self.sound)
    }

    @Test("Recordings found on disk but not in the preferences are shown as not sent, and none appears twice")
    func found() async throws {
        let chat = FakeChat()
        let files = ["a", "b"].map { id in
            var file = OutgoingFile(id: id, path: "/voice/2-\(id).ogg", peer: 2)
            (file.isVoice, file.isNotSent) = (true, true)
            return file
        }
        chat.state.withLock { state in
            state.leftVoices = files
            state.preferences.files = [files[1]]
        }
        let shown = try await flow(chat) { driver in
            _ = await driver.talk()
            return driver.state.transfers.shown(to: 2)
        }
        #expect(shown.map(\.file.id) == ["b", "a"])
    }

    @Test("After the app was killed, its recording is shown as not sent and can be sent")
    func killed() async throws {
        let chat = FakeChat()
        var file = OutgoingFile(id: "v", path: "/voice/v.ogg", peer: 2)
        (file.isVoice, file.isNotSent) = (true, true)
        chat.state.withLock { state in
            state.preferences.files = [file]
            state.upload = .success(Self.sound)
        }
        let (found, frames) = try await flow(chat) { driver in
            let connection = await driver.talk()
            let found = driver.state.transfers.shown(to: 2)
            driver.model.send(.file(.retry(upload: found[0].id)))
            return (found, await connection.frames(1))
        }
        #expect(found.map(\.name) == [""] && found[0].failure == ChatTransfers.notSent)
        #expect(frames[0].contains(#""message":"""#))
    }

    @Test("A sound supports play, pause and seek, and is removed when the conversation is closed")
    func play() async throws {
        let chat = FakeChat()
        let streams = SoundStreams()
        let (playing, ended) = try await flow(chat, sounds: streams) { driver in
            _ = await driver.talk()
            driver.model.send(.file(.toggleSound(Self.sound)))
            let playing = await driver.until { $0.transfers.sound?.position == .seconds(2) }
            driver.model.send(.file(.toggleSound(Self.sound)))
            await driver.until { $0.transfers.sound?.phase == .paused }
            driver.model.send(.file(.seekSound(id: "s1", share: 0.5)))
            driver.model.send(.file(.toggleSound(Self.sound)))
            await driver.until {
                $0.transfers.sound?.position == .seconds(4) && $0.transfers.sound?.phase == .playing
            }
            streams.end()
            let ended = await driver.until { $0.transfers.sound?.phase == .paused }
            driver.model.send(.close)
            await driver.until { $0.transfers.sound == nil }
            for _ in 0..<100 where chat.state.withLock({ $0.forgotten.isEmpty }) { await Task.yield() }
            return (playing, ended)
        }
        #expect(playing.transfers.sound?.phase == .playing && playing.transfers.sound?.share == 0.25)
        #expect(ended.transfers.sound?.position == .zero)
        #expect(streams.addresses == [.file("/cache/s1")])
        #expect(chat.state.withLock { $0.forgotten } == ["/cache/s1"])
    }

    @Test(
        "A sound that is being played, or paused, stops if its message is deleted",
        arguments: [false, true]
    )
    func deleted(isPaused: Bool) async throws {
        let chat = FakeChat()
        let (kept, end) = try await flow(chat, sounds: SoundStreams()) { driver in
            var messages = ["a", "b"].map { id in
                var message = ChatMessage(from: "Bob", to: "Ann", text: "", time: ChatTime(microseconds: 1))
                (message.id, message.fromID, message.toID) = (id, 2, 1)
                return message
            }
            messages[1].media = Self.sound
            let connection = await driver.talk(messages)
            driver.model.send(.file(.toggleSound(Self.sound)))
            await driver.until { $0.transfers.sound?.position == .seconds(2) }
            if isPaused {
                driver.model.send(.file(.toggleSound(Self.sound)))
                await driver.until { $0.transfers.sound?.phase == .paused }
            }
            connection.tell(.delete(id: "a", from: 2))
            let kept = await driver.until { $0.chat?.conversation.items.first?.message.isDeleted == true }
            connection.tell(.delete(id: "b", from: 2))
            await driver.until { $0.transfers.sound == nil }
            guard let player = await driver.flow.player else { return (kept, LiveState?.none) }
            for await playback in player.playback.states where playback.address == nil {
                return (kept, playback.state)
            }
            return (kept, nil)
        }
        #expect(kept.transfers.sound?.id == "s1")
        #expect(end == .empty)
    }

    @Test("A failure to play a sound is shown, and pressing its button retries")
    func unplayable() async throws {
        let chat = FakeChat()
        let streams = SoundStreams()
        streams.fails = true
        let failed = try await flow(chat, sounds: streams) { driver in
            _ = await driver.talk()
            driver.model.send(.file(.toggleSound(Self.sound)))
            let failed = await driver.until {
                if case .failed? = $0.transfers.sound?.phase { true } else { false }
            }
            driver.model.send(.file(.toggleSound(Self.sound)))
            for _ in 0..<1000 where streams.addresses.count < 2 { await Task.yield() }
            return failed
        }
        #expect(failed.transfers.sound?.phase == .failed(.refused(code: "not_played", message: "no sound")))
        #expect(streams.addresses.count == 2)
    }

    @Test("The number of stored audio levels is bounded, and a recording ends at its maximum length")
    func longest() {
        var (voice, heard) = (ChatVoice("v"), 0)
        repeat { heard += 1 } while voice.hear(-27)
        #expect(heard == 36_000 && voice.duration == ChatVoice.longest)
        #expect((128...512).contains(voice.levels.values.count))
        #expect(voice.levels.values.allSatisfy { $0 == 0.5 })
        let isHeard = voice.hear(.nan)
        #expect(!isHeard)
    }
}

/// A service of sounds that last eight seconds and stand at the second one, or at the place to which they are moved.
private final class SoundStreams: LiveStreamService {
    private struct State {
        var addresses: [LiveAddress] = []
        var events: AsyncStream<LiveStreamEvent>.Continuation?
        var fails = false
    }

    private let state = Mutex(State())

    var addresses: [LiveAddress] { state.withLock { $0.addresses } }

    var fails: Bool {
        get { state.withLock { $0.fails } }
        set { state.withLock { $0.fails = newValue } }
    }

    func end() { tell(.ended) }

    func tell(_ event: LiveStreamEvent) { state.withLock { $0.events }?.yield(event) }

    func open(_ address: LiveAddress, _ options: LiveOptions) async throws -> any LiveStream {
        let (events, continuation) = AsyncStream.makeStream(of: LiveStreamEvent.self)
        let fails = state.withLock { state in
            state.addresses.append(address)
            state.events = continuation
            return state.fails
        }
        guard !fails else { throw LiveFailure(.unsupported, "no sound") }
        continuation.yield(.started(LiveFormat(resolution: nil, codec: "Opus", isLive: false)))
        continuation.yield(.progress(LiveProgress(position: .seconds(2), duration: .seconds(8))))
        return SoundStream(events: events, continuation: continuation)
    }
}

private struct SoundStream: LiveStream {
    let events: AsyncStream<LiveStreamEvent>
    let continuation: AsyncStream<LiveStreamEvent>.Continuation

    func apply(_ options: LiveOptions) {}

    func seek(to target: LiveSeek) {
        guard case .position(let position) = target else { return }
        continuation.yield(.progress(LiveProgress(position: position, duration: .seconds(8))))
    }

    func close() { continuation.finish() }
}
