internal import CallCore
internal import GStreamerKit

extension LiveMediaSession {
    /// Nothing from the peer for so long, where it has sent before, is a stall.
    private nonisolated static let stallLimit = Duration.seconds(5)

    func watch() {
        let (candidates, states) = (bin.localCandidates(), bin.connectionStates())
        let iceStates = bin.iceConnectionStates()
        watchers = [
            Task { [weak self] in for await candidate in candidates { self?.announce(candidate) } },
            Task { [weak self] in for await state in states { self?.connectionChanged(to: state) } },
            Task { [news] in
                for await state in iceStates where state == .connected || state == .completed {
                    news.yield(.iceConnected)
                    return
                }
            },
            Task { [weak self, pipeline] in
                for await message in pipeline.messages {
                    switch message {
                    case .error(let element, let text, _):
                        self?.fail(.pipeline(element: element, message: text))
                    case .latencyChanged: self?.recalculateLatency()
                    default: break
                    }
                }
            },
        ]
    }

    private func recalculateLatency() { pipeline.recalculateLatency() }

    private func connectionChanged(to state: WebRTCBin.ConnectionState) {
        switch state {
        case .connected:
            connect()
            watchers.append(Task { [weak self] in await self?.reportStatistics() })
            watchers.append(Task { [counters, news] in await Self.watchForStall(counters, news) })
        case .failed: fail(failureOfTransport)
        case .new, .connecting, .disconnected, .closed: break
        }
    }

    private var failureOfTransport: MediaFailure {
        let ice = WebRTCBin.ICEConnectionState(rawValue: bin.int("ice-connection-state"))
        switch ice {
        case .connected, .completed: return .dtlsFailed(detail: "the DTLS handshake failed")
        default: return .iceFailed(detail: "no candidate pair works")
        }
    }

    /// Sleeps until the stall limit could have passed since the last packet, and looks again.
    private nonisolated static func watchForStall(
        _ counters: TrafficCounters,
        _ news: AsyncStream<MediaEvent>.Continuation
    ) async {
        let clock = ContinuousClock()
        while !Task.isCancelled {
            let last = counters.lastArrival ?? clock.now
            if clock.now - last >= stallLimit {
                news.yield(.stalled)
                return
            }
            guard (try? await clock.sleep(until: last + stallLimit)) != nil else { return }
        }
    }

    private func reportStatistics() async {
        var reporter = StatisticsReporter(choices: choices, outgoing: outgoing.map(\.stream))
        if let first = try? await bin.statistics(), let pair = first.candidatePair {
            news.yield(.iceSelected(local: pair.local, remote: pair.remote, transport: pair.transport))
        }
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let measured = (try? await bin.statistics()) ?? WebRTCStatistics()
            lost = measured.inbound.reduce(0) { $0 + max(0, $1.packetsLost) }
            news.yield(.statistics(reporter.report(counters.snapshot, measured)))
        }
    }
}
