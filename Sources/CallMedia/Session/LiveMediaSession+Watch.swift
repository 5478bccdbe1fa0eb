internal import Basics
internal import CallCore
internal import GStreamerKit
internal import MediaKit

extension LiveMediaSession {
    func watch() {
        let (candidates, states) = (bin.localCandidates(), bin.connectionStates())
        let iceStates = bin.iceConnectionStates()
        watchers = [
            Task { [weak self] in for await candidate in candidates { self?.announce(candidate) } },
            Task { [weak self] in await self?.followCodecs() },
            Task { [weak self] in for await state in states { self?.connectionChanged(to: state) } },
            Task { [eventContinuation] in
                for await state in iceStates where state == .connected || state == .completed {
                    eventContinuation.yield(.iceConnected)
                    return
                }
            },
            Task { [weak self, messages = pipeline.messages] in
                for await message in messages {
                    switch message {
                    case .error(let element, let factory, let text, _):
                        self?.handle(errorOf: element, of: factory, text)
                    case .latencyChanged: self?.recalculateLatency()
                    default: break
                    }
                }
            },
        ]
    }

    private func handle(errorOf element: String, of factory: String, _ text: String) {
        switch ElementFault(factory: factory) {
        case .packet: service.warnOnce("a packet from the peer cannot be read (\(element)): \(text)")
        case .encryption: fail(.dtlsFailed(detail: Self.handshakeFailure))
        case .pipeline: fail(.local(.pipeline(element: element, message: text)))
        }
    }

    private static let handshakeFailure = "the handshake failed"

    private func recalculateLatency() { pipeline.recalculateLatency() }

    private func connectionChanged(to state: WebRTCBin.ConnectionState) {
        guard closing == nil else { return }
        switch state {
        case .connected:
            guard !isConnected else { return }
            // Without a verified certificate, the gate still blocks all media.
            guard certificateCheck.isVerified else {
                certificateCheck.object("it presented no certificate")
                return
            }
            connect()
            watchers.append(Task { [weak self] in await self?.reportStatistics() })
        case .failed: fail(failureOfTransport)
        case .new, .connecting, .disconnected, .closed: break
        }
    }

    private var failureOfTransport: CallMediaFailure {
        let ice = WebRTCBin.ICEConnectionState(rawValue: bin.int("ice-connection-state"))
        switch ice {
        case .connected, .completed: return .dtlsFailed(detail: Self.handshakeFailure)
        default: return .iceFailed(detail: "no candidate pair works")
        }
    }

    /// Starts to watch for a stall if the session is connected and media or receiver reports are expected.
    func watchForStall() {
        guard isConnected, closing == nil, !receiving.isEmpty || !sending.isEmpty, !isWatchedForStall else {
            return
        }
        isWatchedForStall = true
        let isMediaExpected = !receiving.isEmpty
        watchers.append(
            Task { [counters, eventContinuation] in
                await Self.watchForStall(counters, isMediaExpected, eventContinuation)
            }
        )
    }

    /// Waits until the deadline after the last packet passes without another packet, then reports a stall.
    ///
    /// For a peer that only receives, a stall is reported only if it has sent a packet before, because not
    /// every peer sends receiver reports.
    private nonisolated static func watchForStall(
        _ counters: TrafficCounters,
        _ isMediaExpected: Bool,
        _ eventContinuation: AsyncStream<MediaEvent>.Continuation
    ) async {
        let clock = ContinuousClock()
        let rule = StallRule(start: clock.now)
        while !Task.isCancelled {
            let liveness = counters.liveness
            var deadline = rule.deadline(after: liveness)
            if clock.now >= deadline {
                guard !isMediaExpected, liveness.lastPacket == nil else {
                    eventContinuation.yield(.stalled)
                    return
                }
                deadline = clock.now + StallRule.limitWithoutAudio
            }
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
        }
    }

    private func reportStatistics() async {
        var reporter = StatisticsReporter(choices: [:], outgoing: [])
        var hasPair = announcePair(in: try? await bin.statistics())
        var pace = FeedbackPace()
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            ProgramCode.release()
            let measured = (try? await bin.statistics()) ?? WebRTCStatistics()
            lost = measured.inbound.reduce(0) { $0 + $1.packetsLost }
            if let interval = pace.update(lost: lost, jitter: measured.inbound.map(\.jitter).max() ?? 0) {
                bin.internals.set(feedbackInterval: interval)
            }
            if !hasPair { hasPair = announcePair(in: measured) }
            reporter.choices = Dictionary(choices.values.map { ($0.codec.kind, $0) }) { first, _ in first }
            reporter.codecs = incoming.codecs.current
            reporter.outgoing = outgoing.values.map(\.stream)
            incoming.adaptDelay(to: measured, at: reporter.time)
            reporter.repairs = Dictionary(
                uniqueKeysWithValues: MediaKind.allCases.map { ($0, incoming.repairs($0)) }
            )
            reporter.retransmitted = bin.internals.retransmitted
            var statistics = reporter.report(counters.snapshot, measured)
            let sent = [statistics.videoOut, statistics.audioOut].reduce(0) { $0 + ($1?.bitrate ?? 0) }
            adaptation.handle(measured, sent: sent)
            bin.internals.repeatRetransmissions(every: adaptation.repetitionPause)
            statistics.availableOutgoingBitrate = adaptation.available
            statistics.videoOut?.target = outgoingMedia.bitrate
            statistics.audioIn?.level = service.loudspeaker?.level
            statistics.audioOut?.level = outgoingMedia.audioLevel
            eventContinuation.yield(.statistics(statistics))
            await considerEncoding(statistics)
        }
    }

    private func announcePair(in statistics: WebRTCStatistics?) -> Bool {
        guard let pair = statistics?.candidatePair, !pair.local.isEmpty, !pair.remote.isEmpty else {
            return false
        }
        eventContinuation.yield(
            .iceSelected(local: pair.local, remote: pair.remote, transport: pair.transport)
        )
        return true
    }
}
