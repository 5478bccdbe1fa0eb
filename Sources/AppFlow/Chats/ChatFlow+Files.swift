internal import Basics
internal import ChatCore
internal import LiveCore

extension ChatFlow {
    /// Performs file requests until the task is cancelled.
    ///
    /// Files are sent one after the other, and a few pictures are fetched at the same time.
    nonisolated func handleFiles(_ session: Session) async {
        let uploads = AsyncStream.makeStream(of: ChatTransfers.Upload.self)
        let sounds = AsyncStream.makeStream(of: ChatTransfers.SoundSource?.self)
        let voices = AsyncStream.makeStream(of: (id: String, peer: Int).self)
        let pictures = PictureQueue()
        await withDiscardingTaskGroup { group in
            group.addTask { for await upload in uploads.stream { await self.send(upload, session.seat) } }
            group.addTask { await sounds.stream.forLatest { await self.play($0, session.seat) } }
            group.addTask {
                for await voice in voices.stream { await self.record(voice.id, for: voice.peer, session) }
            }
            group.addTask { await self.removeVoices(session.seat) }
            for await request in session.files.stream {
                switch request {
                case .upload(let upload): uploads.continuation.yield(upload)
                case .load(let media):
                    guard pictures.add(media) else { break }
                    group.addTask {
                        while let media = pictures.next() { await self.load(media, session.seat) }
                    }
                case .choose(let dialog, let peer): group.addTask { await self.choose(dialog, peer) }
                case .save(let media, let name):
                    group.addTask { await self.save(media, name, session.seat) }
                case .sound(.play(let source)): sounds.continuation.yield(source)
                case .sound(.pause): player?.send(.pause)
                case .sound(.resume): player?.send(.play)
                case .sound(.seek(let position)): player?.send(.seek(.position(position)))
                case .voice(.record(let id, let peer)):
                    sounds.continuation.yield(nil)
                    voices.continuation.yield((id, peer))
                case .voice(.stop(let id)): await endRecording(id)
                }
            }
            group.cancelAll()
        }
    }

    /// Resumes the uploads that were unfinished when the app ended.
    func resumeUploads(_ session: Session) {
        for upload in store.state.transfers.uploads where upload.file.media == nil && upload.failure == nil {
            session.files.continuation.yield(.upload(upload))
        }
    }

    /// Sends the messages of uploaded files: by the open conversation if possible, otherwise by the inbox.
    func sendUploaded() {
        guard let session else { return }
        let inbox = session.inbox.state.state
        for upload in store.state.transfers.unsent(by: inbox.openings) {
            if upload.sentBy == nil, handOver(upload) { continue }
            guard inbox.link == .open else { continue }
            store.update { $0.transfers.didSend(upload.id, by: inbox.openings) }
            session.inbox.send(.request(upload.request, with: upload.peer))
        }
    }

    /// Passes the message of an uploaded file to the open conversation; returns false if this is not possible.
    private func handOver(_ upload: ChatTransfers.Upload) -> Bool {
        guard let conversation, conversation.peer == upload.peer else { return false }
        let state = conversation.state.state
        guard state.link == .open, state.mode == .extended else { return false }
        // An earlier process may have stored the message in the outbox, and ended before it removed the upload.
        let known = state.items.first { $0.isMine && $0.key == upload.file.id }
        switch known?.progress {
        case nil: guard conversation.send(upload.command(at: model.now())) else { return false }
        case .sending?, .waiting?: break
        case .stored?, .notSent?:
            store.update { $0.transfers.didSend(upload.file.id) }
            return true
        }
        // The upload is kept until the server has the message, because another task saves the outbox.
        store.update { $0.transfers.handOver(upload.id) }
        return true
    }

    private nonisolated func choose(_ dialog: FileDialog, _ peer: Int) async {
        do {
            guard let path = try await services.chooseAnyFile(dialog) else { return }
            // Another conversation may be open by now.
            guard store.state.chat?.person.id == peer else { return }
            model.send(.file(.send(path: path)))
        } catch {
            guard !Task.isCancelled else { return }
            store.update { state in
                state.chat?.failure = .refused(code: "no_dialog", message: "\(error)")
            }
        }
    }

    private nonisolated func send(_ upload: ChatTransfers.Upload, _ seat: ChatSeat) async {
        // The user may have removed the upload while it waited.
        guard store.state.transfers.uploads.contains(where: { $0.id == upload.id }) else { return }
        do throws(ChatError) {
            if upload.file.media == nil {
                let media = try await seat.service.upload(upload.path, as: seat.own.id)
                store.update { $0.transfers.didUpload(upload.id, media) }
            }
            await sendUploaded()
        } catch {
            store.update { $0.transfers.fail(upload.id, error) }
        }
    }

    private nonisolated func load(_ media: ChatMedia, _ seat: ChatSeat) async {
        // The picture may have been evicted while it waited, because others came into view.
        guard store.state.transfers.isLoading(media.id) else { return }
        do throws(ChatError) {
            let picture = try await seat.files.picture(media)
            store.update { $0.transfers.finish(media.id, .shown(picture)) }
        } catch {
            store.update { $0.transfers.finish(media.id, .failed(error)) }
        }
    }

    private nonisolated func save(_ media: ChatMedia, _ name: String, _ seat: ChatSeat) async {
        do throws(ChatError) {
            let path = try await seat.files.save(media, as: name)
            store.update { $0.transfers.savings[media.id] = .saved(path) }
        } catch {
            store.update { $0.transfers.savings[media.id] = .failed(error) }
        }
    }

    /// Plays an audio file until the task is cancelled.
    private nonisolated func play(_ source: ChatTransfers.SoundSource?, _ seat: ChatSeat) async {
        guard let source, let player else { return }
        let path: String
        do throws(ChatError) {
            path =
                switch source {
                case .message(let media): try await seat.files.fetch(media)
                case .recording(_, let path): path
                }
        } catch {
            return store.update { $0.transfers.failSound(source.id, error) }
        }
        let address = LiveAddress.file(path)
        player.send(.setSpeaker(settings.store.state.settings.devices[.speaker]?.id))
        player.send(.select(address))
        for await playback in player.playback.states where playback.address == address {
            // The recording may have been sent while it was played.
            guard store.state.transfers.sound?.id == source.id else { break }
            store.update { $0.transfers.follow(playback, of: source.id) }
        }
        player.send(.select(nil))
        if case .message = source { await seat.files.forget(path) }
    }

    /// Stops the audio or video that is being played.
    func stopSound() {
        store.update { $0.transfers.sound = nil }
        session?.files.continuation.yield(.sound(.play(nil)))
    }

    // MARK: Voice messages

    /// Records a voice message until it is stopped or the task is cancelled.
    private nonisolated func record(_ id: String, for peer: Int, _ session: Session) async {
        let end = AsyncStream.makeStream(of: Never.self)
        await beginRecording(id, end.continuation)
        var path: String?
        do throws(ChatError) {
            let file = try await session.seat.files.newVoice(id, for: peer)
            path = file
            guard model.willRecord(id, to: file, for: peer) else {
                return await session.seat.files.forget(file)
            }
            let settings = settings.store.state.effective
            try await services.recordVoice(settings, to: file, until: end.stream) { [model] level in
                if !model.hear(level, id, for: peer) { end.continuation.finish() }
            }
            model.didRecord(id, for: peer, nil)
        } catch {
            model.didRecord(id, for: peer, error)
        }
        // The recording may have been discarded before its file was created.
        if let path, !store.state.voicePaths.contains(path) { await session.seat.files.forget(path) }
    }

    /// Deletes the recordings that are no longer needed, because they were sent or discarded.
    private nonisolated func removeVoices(_ seat: ChatSeat) async {
        var known: Set<String> = []
        for await state in store.states {
            let needed = state.voicePaths
            for path in known.subtracting(needed) { await seat.files.forget(path) }
            known = needed
        }
    }
}
