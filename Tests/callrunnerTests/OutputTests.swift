import AppFlow
import Basics
import CallMedia
import FoundationEssentials
import Glibc
import Testing
import UnixSignals

@testable import CallCore
@testable import callrunner

@Suite("Terminal and JSON output")
struct OutputTests {
    private static let figures: CallStatistics = {
        var statistics = CallStatistics()
        var (video, sent) = (CallStatistics.Incoming(), CallStatistics.Outgoing())
        (video.bitrate, video.fps, video.lost) = (1_987_654, 29.97, 3)
        sent.bitrate = 64_000
        (statistics.videoIn, statistics.audioOut, statistics.rttMs) = (video, sent, 0.345)
        return statistics
    }()

    @Test("The statistics of a call are written in one line")
    func status() {
        let line = StatusText(statistics: Self.figures).line
        #expect(line == "▼ 1.9 Mb/s 30 fps · ▲ 64 kb/s · lost 3 · RTT 0.35 ms")
    }

    @Test("Control and format characters are escaped in JSON Lines")
    func escapedJSON() throws {
        let text = "a\u{9B}b\u{7F}c\u{202E}d\u{E0001}é🙂"
        let line = EventWriter.line("chat.message", ["message": .string(text)], at: .distantPast, elapsed: 1)
        #expect(line.contains(#""a\u009bb\u007fc\u202ed\udb40\udc01é🙂""#))
        #expect(try JSON(parsing: Array(line.utf8))["message"] == .string(text))
    }

    @Test("The line about the source is withheld until the room is joined")
    func sourceLine() {
        let line = SourceLine()
        #expect(line.pass(Line(sentence: "sending a", style: .dim)) == nil)
        #expect(line.release()?.sentence == "sending a")
        #expect(line.release() == nil)
        #expect(line.pass(Line(sentence: "sending b", style: .dim))?.sentence == "sending b")
    }

    @Test("The app's hints do not mention command-line flags")
    func appHints() {
        var diagnosis = Diagnosis(exit: .timedOut, code: "peer-left", message: "m", hint: "")
        diagnosis.hint = "start the peer again; with --stay, this side waits for it"
        #expect(AppProgram.withoutFlags(diagnosis).hint == "start the peer again")
        diagnosis.hint = "check the network and the server; with --stay, this side waits without limit"
        #expect(AppProgram.withoutFlags(diagnosis).hint == "check the network and the server")
    }

    @Test("The received and the sent bit rate are sums of video and audio")
    func bothKinds() {
        var statistics = Self.figures
        statistics.audioIn = CallStatistics.Incoming()
        statistics.audioIn?.bitrate = 100_000
        statistics.videoOut = CallStatistics.Outgoing()
        statistics.videoOut?.bitrate = 1_987_654
        statistics.audioOut?.bitrate = 100_000
        #expect(StatusText(statistics: statistics).line.hasPrefix("▼ 2 Mb/s 30 fps · ▲ 2 Mb/s · "))
        statistics.videoIn = nil
        #expect(StatusText(statistics: statistics).line.hasPrefix("▼ 100 kb/s · ▲ 2 Mb/s · "))
    }

    @Test("A frame rate that is not finite does not trap", arguments: [Double.nan, .infinity])
    func oddFigures(fps: Double) {
        var statistics = Self.figures
        statistics.videoIn?.fps = fps
        #expect(StatusText(statistics: statistics).line.contains("fps"))
    }

    @Test("The setup waterfall draws each step from the end of the previous one, in order of completion")
    func waterfall() {
        var setup = CallSetup()
        (setup.offer, setup.answer, setup.ice, setup.firstFrame) = (10, 20, 80, 100)
        let lines = Waterfall(setup: setup).lines
        #expect(lines.map { $0.prefix(13).trimmed } == ["offer", "answer", "ICE", "first frame"])
        #expect(lines.map { $0.filter { $0 == "█" }.count } == [4, 4, 24, 8])
        #expect(lines.allSatisfy { $0.count < 80 })
        #expect(Waterfall(setup: CallSetup()).lines.isEmpty)
    }

    @Test("The waterfall of a setup that took less than 1 ms is drawn")
    func instantWaterfall() {
        var setup = CallSetup()
        (setup.offer, setup.answer) = (0, 0)
        #expect(Waterfall(setup: setup).lines.count == 2)
    }

    @Test("A JSON event is one line that begins with version, time, elapsed time and name")
    func eventLine() throws {
        let line = EventWriter.line(
            "peer.left",
            ["username": "A\nB"],
            at: Date(timeIntervalSince1970: 0.25),
            elapsed: 1.5
        )
        #expect(
            line
                == #"{"v":1,"time":"1970-01-01T00:00:00.250Z","elapsed":1.5,"event":"peer.left","username":"A\nB"}"#
                + "\n"
        )
    }

    @Test("A call that timed out without media is not reported as ended, unlike a call that took place")
    func failedCall() {
        let summary = CallSummary(
            end: .timedOut(.media),
            message: "no media",
            peer: nil,
            attempt: 1,
            setup: CallSetup(),
            wasHeld: false
        )
        #expect(FlowEvent.call(.ended(summary)).line == nil)
        var held = summary
        (held.end, held.message) = (CallEnd.peerLeft, "Bob left")
        held.wasHeld = true
        #expect(FlowEvent.call(.ended(held)).line?.sentence == "call ended: Bob left")
    }

    @Test("The closing of a run is reported neither as a line nor as a JSON event")
    func closing() {
        #expect(FlowEvent.closing.json == nil)
        #expect(FlowEvent.closing.line == nil)
    }

    @Test("A JSON error event has a code, a hint and an exit code")
    func error() {
        let diagnosis = Diagnosis(SignalingFailure.roomFull)
        let event = FlowEvent.error(diagnosis).json
        #expect(event?.name == "error")
        #expect(event?.fields["code"] == "room-full")
        #expect(event?.fields["exit"] == 4)
        #expect(event?.fields["hint"]?.stringValue?.isEmpty == false)
    }

    @Test("A change of the peer's media is a JSON event, and also a line if media is off or recorded")
    func peerMedia() {
        var state = MediaState()
        let plain = FlowEvent.call(.peerMedia(PeerMedia(peer: "Bob", state: state)))
        #expect(plain.line == nil)
        #expect(plain.json?.name == "peer.media")
        #expect(plain.json?.fields == ["audio": true, "video": true, "recording": false, "holding": false])
        state.sendsVideo = false
        #expect(FlowEvent.call(.peerMedia(PeerMedia(peer: "Bob", state: state))).line?.weight == .step)
        state.isRecording = true
        #expect(FlowEvent.call(.peerMedia(PeerMedia(peer: "Bob", state: state))).line?.weight == .lasting)
        let unaware = FlowEvent.call(.peerUnaware(peer: "Bob"))
        #expect(unaware.json?.name == "warning")
        #expect(unaware.line?.sentence.hasPrefix("Bob is not notified of the recording") == true)
    }

    @Test("A run that never started has a JSON summary, but no summary line")
    func emptySummary() {
        let fields = Summary().fields(exit: 4)
        #expect(fields.map(\.key) == ["calls", "attempts", "received", "sent", "exit"])
        #expect(fields["exit"] == 4)
        #expect(Summary().sentence == nil)
    }

    @Test("The summary line is omitted for a call without media")
    func summarySentence() {
        var summary = Summary()
        (summary.calls, summary.attempts) = (1, 2)
        #expect(summary.sentence == nil)
        summary.totals.received = [.video: 90]
        #expect(summary.sentence?.hasPrefix("1 call in 2 attempts · received 90 frames") == true)
    }

    @Test("A signal sets exit code 128 plus its number, a closed pipe sets none, and a write error sets 5")
    func interruptions() {
        #expect(Interruption(.sigint)?.exit == 130)
        #expect(Interruption(.sigterm)?.exit == 143)
        #expect(Interruption(.sighup)?.exit == 129)
        #expect(Interruption(StandardStream.Closed(code: EPIPE)).exit == nil)
        #expect(Interruption(StandardStream.Closed(code: ENOSPC)).exit == 5)
    }
}

extension Substring {
    fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
