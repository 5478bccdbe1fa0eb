internal import Basics
internal import ChatCore

extension ChatFlow {
    /// Performs the requests for files until the task is cancelled: files are sent one after the other, and pictures are
    /// fetched one after the other.
    nonisolated func handleFiles(_ session: Session) async {
        let uploads = AsyncStream.makeStream(of: ChatTransfers.Upload.self)
        let pictures = AsyncStream.makeStream(of: ChatMedia.self)
        await withDiscardingTaskGroup { group in
            group.addTask { for await upload in uploads.stream { await self.send(upload, session.seat) } }
            group.addTask { for await media in pictures.stream { await self.load(media, session.seat) } }
            for await request in session.files.stream {
                switch request {
                case .upload(let upload): uploads.continuation.yield(upload)
                case .load(let media): pictures.continuation.yield(media)
                case .choose(let dialog, let peer): group.addTask { await self.choose(dialog, peer) }
                case .save(let media, let name):
                    group.addTask { await self.save(media, name, session.seat) }
                }
            }
            group.cancelAll()
        }
    }

    /// Sends the files to a person that the server has, if the conversation is open.
    func sendUploaded(to peer: Int) {
        guard let conversation, conversation.peer == peer else { return }
        for command in model.sendUploaded(to: peer) { conversation.send(command) }
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
        // The user may have removed it while it waited.
        guard store.state.transfers.uploads.contains(where: { $0.id == upload.id }) else { return }
        do throws(ChatError) {
            let media = try await seat.service.upload(upload.path, as: seat.own.id)
            store.update { $0.transfers.didUpload(upload.id, media) }
            await sendUploaded(to: upload.peer)
        } catch {
            store.update { $0.transfers.fail(upload.id, error) }
        }
    }

    private nonisolated func load(_ media: ChatMedia, _ seat: ChatSeat) async {
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
}
