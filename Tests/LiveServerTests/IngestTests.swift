import Basics
import Foundation
import HTTPFront
import LiveCore
import Logging
import NIOCore
import RTMP
import ServerStore
import Testing

@testable import LiveServer

@Suite("Encoders that publish to a server", .timeLimit(.minutes(4)))
struct IngestTests {
    /// The streams of a server in a folder that is removed with the value.
    private final class Place {
        let folder = FileManager.default.temporaryDirectory.path + "/live-\(UInt64.random(in: 0 ... .max))"

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func streams() async throws -> LiveStreams {
            let database = try await ServerDatabase.open(ServerFolder(folder), LiveSchema.migrations)
            return try await LiveStreams(database)
        }
    }

    private let place = Place()

    private func withServer(
        _ limits: IngestLimits = IngestLimits(),
        reconnectWindow: Int? = nil,
        _ body: (LiveStreams, StreamRecord, Int) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let streams = try await place.streams()
        let record = try await streams.create(.low, reconnectWindow: reconnectWindow, passthrough: nil)
        try await IngestServer.run(streams, host: "127.0.0.1", port: 0, limits: limits, logger: logger) {
            port in
            try await body(streams, record, port)
        }
    }

    /// Waits until the stream has a playlist that fulfils a condition.
    private func playlist(
        _ streams: LiveStreams,
        _ record: StreamRecord,
        where condition: (String) -> Bool = { _ in true }
    ) async throws -> String {
        let channel = try #require(streams.channel(record.playbackID))
        while true {
            if let text = await channel.playlist(), condition(text) { return text }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func waitForStatus(
        _ status: StreamDirectory.Status,
        _ streams: LiveStreams,
        _ record: StreamRecord
    ) async throws {
        while streams.directory.stream(record.id)?.status != status {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test("A published stream has a playlist as soon as two segments are complete")
    func publishing() async throws {
        try await withServer(reconnectWindow: 30) { streams, record, port in
            #expect(streams.directory.stream(record.id)?.status == .idle)
            try await TestEncoder.connect(to: port, key: record.key) { encoder in
                try await encoder.publish()
                #expect(streams.directory.stream(record.id)?.status == .active)
                try await encoder.configure()
                for time in 0..<4 as Range<UInt32> { try await encoder.frame(at: time * 1000) }
                let text = try await playlist(streams, record)
                let segments = try MediaPlaylist(text).segments
                #expect(segments.count >= 2)
                #expect(segments.allSatisfy { $0.duration == .seconds(1) })
                try await encoder.end()
                try await encoder.waitForEnd()
            }
            // The encoder may return.
            #expect(streams.directory.stream(record.id)?.status == .active)
            streams.directory.complete(record.id)
            #expect(streams.directory.stream(record.id)?.status == .idle)
            _ = try await playlist(streams, record) { $0.contains("#EXT-X-ENDLIST") }
        }
    }

    @Test("A stream ends immediately without a reconnect window")
    func end() async throws {
        try await withServer { streams, record, port in
            try await TestEncoder.connect(to: port, key: record.key) { encoder in
                try await encoder.publish()
                try await encoder.configure()
                for time in 0..<3 as Range<UInt32> { try await encoder.frame(at: time * 1000) }
                _ = try await playlist(streams, record)
            }
            let text = try await playlist(streams, record) { $0.contains("#EXT-X-ENDLIST") }
            // The last segment is complete, too.
            #expect(try MediaPlaylist(text).segments.count == 3)
            #expect(streams.directory.stream(record.id)?.status == .idle)
        }
    }

    @Test("An encoder that returns continues the numbers of segments with a discontinuity")
    func reconnect() async throws {
        try await withServer(reconnectWindow: 30) { streams, record, port in
            for _ in 0..<2 {
                try await TestEncoder.connect(to: port, key: record.key) { encoder in
                    try await encoder.publish()
                    try await encoder.configure()
                    for time in 0..<3 as Range<UInt32> { try await encoder.frame(at: time * 1000) }
                    try await encoder.end()
                    try await encoder.waitForEnd()
                }
            }
            let text = try await playlist(streams, record)
            let segments = try MediaPlaylist(text).segments
            #expect(segments.map(\.isDiscontinuous) == [false, false, false, true, false, false])
        }
    }

    @Test("Encoders without a valid key, app or turn get the reason")
    func refusals() async throws {
        func refusal(_ port: Int, app: String = "app", key: String) async throws -> String? {
            try await TestEncoder.connect(to: port, app: app, key: key) { encoder in
                do { try await encoder.publish() } catch RTMPViolation.refused(let reason) { return reason }
                return nil
            }
        }
        try await withServer(reconnectWindow: 30) { streams, record, port in
            #expect(try await refusal(port, key: "x") == IngestRefusal.unknownKey.description)
            #expect(try await refusal(port, key: "") == IngestRefusal.unknownKey.description)
            let wrongApp = try await refusal(port, app: record.key, key: "x")
            #expect(wrongApp == IngestRefusal.otherApp.description)
            try await TestEncoder.connect(to: port, key: record.key) { encoder in
                try await encoder.publish()
                #expect(try await refusal(port, key: record.key) == IngestRefusal.busy.description)
            }
            _ = try await streams.change(record.id) { $0.isDisabled = true }
            #expect(try await refusal(port, key: record.key) == IngestRefusal.disabled.description)
        }
    }

    @Test("Connections that do not publish in time are closed", arguments: [false, true])
    func silentConnection(shakesHands: Bool) async throws {
        var limits = IngestLimits()
        limits.handshakeTimeout = shakesHands ? .seconds(60) : .milliseconds(50)
        limits.publishTimeout = .milliseconds(50)
        try await withServer(limits) { _, record, port in
            try await TestEncoder.connect(to: port, key: record.key) { encoder in
                if shakesHands { try await encoder.shakeHands() }
                try await encoder.waitForEnd()
            }
        }
    }

    @Test("A silent encoder is disconnected, and another one may publish")
    func silentEncoder() async throws {
        var limits = IngestLimits()
        limits.silenceTimeout = .milliseconds(100)
        try await withServer(limits) { _, record, port in
            for _ in 0..<2 {
                try await TestEncoder.connect(to: port, key: record.key) { encoder in
                    try await encoder.publish()
                    try await encoder.waitForEnd()
                }
            }
        }
    }

    @Test("An encoder that exceeds the bit rate is disconnected with a reason")
    func bitrate() async throws {
        var limits = IngestLimits()
        limits.bitrate = 80_000
        try await withServer(limits) { _, record, port in
            let failure = await #expect(throws: RTMPViolation.self) {
                try await TestEncoder.connect(to: port, key: record.key) { encoder in
                    try await encoder.publish()
                    try await encoder.configure()
                    for time in 0..<10 as Range<UInt32> {
                        // The server may have closed the connection.
                        try? await encoder.frame(at: time, length: 50_000)
                    }
                    try await encoder.waitForEnd()
                }
            }
            #expect(failure == .refused("its bit rate is above 80 kb/s"))
        }
    }

    @Test("The number of connections is limited")
    func connections() async throws {
        var limits = IngestLimits()
        limits.connections = 1
        try await withServer(limits) { _, record, port in
            try await TestEncoder.connect(to: port, key: record.key) { encoder in
                try await encoder.publish()
                try await TestEncoder.connect(to: port, key: record.key) { try await $0.waitForEnd() }
            }
            try await TestEncoder.connect(to: port, key: record.key) { try await $0.publish() }
        }
    }

    @Test("An encoder that sends nothing for a while gives way to another one with its key")
    func takeover() async throws {
        var limits = IngestLimits()
        limits.silenceBeforeTakeover = .milliseconds(100)
        try await withServer(limits, reconnectWindow: 30) { streams, record, port in
            try await TestEncoder.connect(to: port, key: record.key) { first in
                try await first.publish()
                try await first.configure()
                for time in 0..<4 as Range<UInt32> { try await first.frame(at: time * 1000) }
                let start = try await MediaPlaylist(playlist(streams, record)).firstNumber
                try await Task.sleep(for: .milliseconds(150))
                try await TestEncoder.connect(to: port, key: record.key) { second in
                    try await second.publish()
                    try await first.waitForEnd()
                    try await second.configure()
                    for time in 0..<4 as Range<UInt32> { try await second.frame(at: time * 1000) }
                    let text = try await playlist(streams, record) { $0.contains("#EXT-X-DISCONTINUITY\n") }
                    // The last segment of the first encoder precedes the discontinuity.
                    let list = try MediaPlaylist(text)
                    let place = try #require(list.segments.firstIndex { $0.isDiscontinuous })
                    #expect(list.firstNumber + place - start == 4)
                }
            }
        }
    }

    @Test("A connection that publishes nothing gives its place to a newcomer")
    func waitingConnection() async throws {
        var limits = IngestLimits()
        limits.connections = 1
        limits.handshakeTimeout = .seconds(60)
        try await withServer(limits) { _, record, port in
            try await TestEncoder.connect(to: port, key: record.key) { idle in
                try await TestEncoder.connect(to: port, key: record.key) { try await $0.publish() }
                try await idle.waitForEnd()
            }
        }
    }

    @Test("An encoder whose timestamps run much faster than real time is disconnected with a reason")
    func fastTimestamps() async throws {
        try await withServer { _, record, port in
            let failure = await #expect(throws: RTMPViolation.self) {
                try await TestEncoder.connect(to: port, key: record.key) { encoder in
                    try await encoder.publish()
                    try await encoder.configure()
                    for time in 0..<600 as Range<UInt32> {
                        // The server may have closed the connection.
                        try? await encoder.frame(at: time * 1000, length: 10)
                    }
                    try await encoder.waitForEnd()
                }
            }
            #expect(failure?.description.contains("its timestamps run much faster than real time") == true)
        }
    }

    @Test(
        "Deleting, disabling and a new key disconnect the encoder",
        arguments: ["delete", "disable", "key"]
    )
    func changes(action: String) async throws {
        try await withServer(reconnectWindow: 30) { streams, record, port in
            try await TestEncoder.connect(to: port, key: record.key) { encoder in
                try await encoder.publish()
                switch action {
                case "delete": try await streams.delete(record.id)
                case "disable": _ = try await streams.change(record.id) { $0.isDisabled = true }
                default: _ = try await streams.change(record.id) { $0.key = "other" }
                }
                try await encoder.waitForEnd()
            }
            let published: Void? = try? await TestEncoder.connect(to: port, key: record.key) {
                try await $0.publish()
            }
            #expect(published == nil)
        }
    }

    @Test("Changes of a stream at the same time are all stored, and none brings back a deleted stream")
    func concurrentChanges() async throws {
        var record: StreamRecord
        do {
            let streams = try await place.streams()
            record = try await streams.create(.low, reconnectWindow: nil, passthrough: nil)
            let id = record.id
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { _ = try await streams.change(id) { $0.isDisabled = true } }
                group.addTask { _ = try await streams.change(id) { $0.key = "other" } }
            }
            let changed = try #require(streams.directory.stream(id)?.record)
            #expect(changed.isDisabled && changed.key == "other")
            record = changed
            await withDiscardingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { _ = try? await streams.change(id) { $0.isDisabled.toggle() } }
                }
                group.addTask { try? await streams.delete(id) }
                for _ in 0..<4 {
                    group.addTask { _ = try? await streams.change(id) { $0.isDisabled.toggle() } }
                }
            }
            #expect(streams.directory.count == 0)
        }
        #expect(try await place.streams().directory.count == 0)
    }

    @Test("Streams are stored with encrypted keys")
    func storage() async throws {
        var records: [StreamRecord] = []
        do {
            let streams = try await place.streams()
            records.append(try await streams.create(.reduced, reconnectWindow: 5, passthrough: "ї"))
            records.append(try await streams.create(.standard, reconnectWindow: nil, passthrough: nil))
            records[0] = try await streams.change(records[0].id) { ($0.key, $0.isDisabled) = ("new", true) }
        }
        let streams = try await place.streams()
        let stored = streams.directory.streams(skipping: 0, most: 10).map(\.record)
        #expect(stored == [records[1], records[0]])
        try await streams.delete(records[0].id)
        #expect(streams.channel(records[0].playbackID) == nil)
        await #expect(throws: LiveRefusal.notFound) { try await streams.delete(records[0].id) }
        await #expect(throws: LiveRefusal.notFound) { try await streams.change("unknown") { _ in } }
    }
}
