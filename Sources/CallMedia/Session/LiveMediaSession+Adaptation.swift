internal import Basics
internal import CallCore
internal import GLibKit
internal import GStreamerKit
internal import MediaKit

extension LiveMediaSession {
    private nonisolated static let pace = Duration.milliseconds(500)

    /// Starts the tasks that adapt the session to the network path until it is closed.
    func adapt() {
        watchers.append(
            Task { [weak self, feedback] in
                for await packets in feedback { self?.adaptation.handle(packets) }
            }
        )
        watchers.append(
            Task { [incoming] in for await kind in incoming.firstLosses { incoming.holdBack(kind) } }
        )
        watchers.append(
            Task { [weak self] in
                var sent = 0
                while (try? await Task.sleep(for: Self.pace)) != nil {
                    guard let self else { return }
                    let total = counters.snapshot.sent.values.reduce(0) { $0 + $1.packets }
                    adaptation.pass(isSending: total > sent)
                    sent = total
                    incoming.repeatKeyframeRequest()
                }
            }
        )
    }

    /// Starts to re-encode video that is sent as the source delivers it, if the network path carries less than
    /// its bit rate or the peer keeps requesting keyframes.
    func considerEncoding(_ statistics: CallStatistics) async {
        guard closing == nil, let video = statistics.videoOut, video.passthrough else { return }
        let isStuck = keyframeRequestMonitor.update(requests: video.pli, frames: video.frames)
        let audioBitrate = statistics.audioOut?.bitrate ?? 0
        let isShort = adaptation.isShort(of: video.bitrate + audioBitrate)
        guard isShort || isStuck else { return }
        let reason =
            isShort
            ? "the network carries less than the source's bit rate" : "the peer keeps requesting keyframes"
        do { try await reencode() } catch {
            return service.warn(
                "\(reason), and the video cannot be re-encoded: \(MediaFailure(error).sentence)"
            )
        }
        service.warn("\(reason): the video is re-encoded from now on")
    }

    private func reencode() async throws {
        for (index, track) in outgoing where track.stream.kind == .video && track.stream.isPassthrough {
            guard let choice = choices[index],
                let stream = try await outgoingMedia.stream(for: choice, encoding: true)
            else { continue }
            track.replace(with: stream)
            service.recordings?.record(stream.hub, kind: .video, codec: stream.codec, of: .local) {
                [weak stream] in stream?.makeKeyframe()
            }
            await service.showPreview(of: stream)
        }
    }
}
