import CallCore
import NIOCore
import SocketIO
import Synchronization
import Testing

@testable import HTTPFront
@testable import SignalingServer

@Suite("Prometheus text format")
struct PrometheusTests {
    @Test("A metric is written after its HELP and TYPE lines")
    func number() {
        var text = PrometheusText()
        text.add(.gauge, "callrunner_rooms", "Rooms now.", 3)
        #expect(
            text.text == """
                # HELP callrunner_rooms Rooms now.
                # TYPE callrunner_rooms gauge
                callrunner_rooms 3

                """
        )
    }

    @Test("Backslashes, line feeds and quotation marks in label values are escaped")
    func escaping() {
        var text = PrometheusText()
        text.addInfo("info", "a\\b\n\"c\"", [("version", "a\\b\n\"c\""), ("other", "é")])
        #expect(
            text.text == #"""
                # HELP info a\\b\n"c"
                # TYPE info gauge
                info{version="a\\b\n\"c\"",other="é"} 1

                """#
        )
    }

    @Test("A labeled counter is written with a line for every label value, including zero counts")
    func tally() {
        var tally = Tally<SessionTransport>()
        tally[.websocket] = 2
        var text = PrometheusText()
        text.add(.counter, "sessions_total", "Sessions.", tally)
        #expect(
            text.text == """
                # HELP sessions_total Sessions.
                # TYPE sessions_total counter
                sessions_total{transport="polling"} 0
                sessions_total{transport="websocket"} 2

                """
        )
        #expect(tally.total == 2)
    }

    @Test("Histogram buckets are cumulative with inclusive bounds, and end with +Inf")
    func histogram() {
        var histogram = Histogram(bounds: [1_000_000, 10_000_000])
        for nanoseconds in [-5, 500_000, 1_000_000, 1_000_001, 2_000_000_000] {
            histogram.observe(nanoseconds: nanoseconds)
        }
        var text = PrometheusText()
        text.add("latency_seconds", "Latency.", histogram)
        #expect(
            text.text == """
                # HELP latency_seconds Latency.
                # TYPE latency_seconds histogram
                latency_seconds_bucket{le="0.001"} 3
                latency_seconds_bucket{le="0.01"} 4
                latency_seconds_bucket{le="+Inf"} 5
                latency_seconds_sum 2.002500001
                latency_seconds_count 5

                """
        )
        #expect(histogram.count == 5)
    }

    @Test(
        "Special floating-point values are written in Prometheus' format",
        arguments: [(Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (1e-05, "1e-05")]
    )
    func doubles(value: Double, written: String) {
        var text = PrometheusText()
        text.add(.gauge, "x", "X.", value)
        #expect(text.text.hasSuffix("\nx \(written)\n"))
    }

    @Test("The metrics of the server and of its process have distinct names")
    func counts() {
        var text = PrometheusText()
        text.add(ServerCounts())
        text.add(ProcessMeasures.current())
        let names = text.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
            .map { $0.split(separator: " ")[2] }
        #expect(Set(names).count == names.count)
        #expect(names.contains("callrunner_relay_latency_seconds"))
        #expect(names.contains("process_resident_memory_bytes"))
        #expect(names.allSatisfy { $0.hasPrefix("callrunner_") || $0.hasPrefix("process_") })
    }

    @Test("A line of /proc/PID/stat is parsed even if the process name contains spaces and parentheses")
    func statistics() throws {
        let fields = (3...52).map(String.init).joined(separator: " ")
        let statistics = try #require(ProcessMeasures.Statistics("1 (a) b) c) " + fields))
        #expect(statistics.cpuTicks == 14 + 15)
        #expect(statistics.startTicks == 22)
        #expect(statistics.virtualMemory == 23)
        #expect(statistics.residentPages == 24)
        #expect(ProcessMeasures.Statistics("1 (a) R 1 2") == nil)
        #expect(ProcessMeasures.Statistics("") == nil)
    }

    @Test("The memory, open descriptors and start time of the current process are available")
    func process() throws {
        let process = ProcessMeasures.current()
        #expect(try #require(process.residentMemory) > 1 << 20)
        #expect(try #require(process.openDescriptors) > 2)
        #expect(try #require(process.startTime) > 1_600_000_000)
    }

    @Test("The metrics of the process are read once a second at most")
    func recentMeasures() {
        let reads = Mutex(0)
        let recent = RecentMeasures {
            let count = reads.withLock { reads in
                reads += 1
                return reads
            }
            return ProcessMeasures(cpuTime: Double(count), maximumDescriptors: 1)
        }
        let start = ContinuousClock.now
        for (milliseconds, count) in [(0, 1), (1, 1), (999, 1), (1000, 2), (1001, 2), (5000, 3)] {
            #expect(recent.current(at: start + .milliseconds(milliseconds)).cpuTime == Double(count))
        }
    }

    @Test(
        "An event with a known name is counted under that name, and any other event as “other”",
        arguments: [
            ("offer", RelayEvent.offer), ("answer", .answer), ("candidate", .candidate),
            ("ringing", .ringing), ("hangup", .hangup), ("chat", .other), ("", .other), ("offers", .other),
            ("other", .other), ("Offer", .other),
        ]
    )
    func relayEvents(name: String, event: RelayEvent) {
        #expect(RelayEvent(name) == event)
        let text = Array("2[\"\(name)\"]".utf8)
        #expect(EventScan(text.span, from: 0).map { RelayEvent($0, in: text.span) } == event)
    }
}

@Suite("Server metrics")
struct ServerMetricsTests {
    @Test(
        "A relayed event counts once per recipient and adds one latency, but nothing without a recipient"
    )
    func relays() {
        let metrics = ServerMetrics()
        metrics.relayed(.offer, bytes: 100, to: 2, since: .now())
        metrics.relayed(.other, bytes: 100, to: 0, since: .now())
        #expect(metrics.counts.relays[.offer] == 2)
        #expect(metrics.counts.relays.total == 2)
        #expect(metrics.counts.relayedBytes == 200)
        #expect(metrics.counts.relayLatency.count == 1)
    }

    @Test("A room counts as one call from its first answer until the call ends")
    func calls() throws {
        let metrics = ServerMetrics()
        let (one, two) = (try RoomID("1"), try RoomID("2"))
        metrics.callAnswered(in: one)
        metrics.callAnswered(in: one)
        metrics.callAnswered(in: two)
        #expect(metrics.counts.calls == 2)
        metrics.callEnded(in: one)
        metrics.callEnded(in: one)
        #expect(metrics.counts.calls == 1)
        metrics.callAnswered(in: one)
        #expect(metrics.counts.calls == 2)
        #expect(metrics.counts.callsBegun == 3)
    }

    @Test("An upgraded session counts as an open WebSocket session that was opened over polling")
    func upgrades() {
        let metrics = ServerMetrics()
        metrics.sessionOpened(.polling)
        metrics.sessionUpgraded()
        #expect(metrics.counts.sessions[.polling] == 0)
        #expect(metrics.counts.sessions[.websocket] == 1)
        #expect(metrics.counts.sessionsOpened[.polling] == 1)
        #expect(metrics.counts.upgrades == 1)
        metrics.sessionClosed(.websocket)
        #expect(metrics.counts.sessions.total == 0)
    }
}
