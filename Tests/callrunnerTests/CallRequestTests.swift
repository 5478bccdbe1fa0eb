import AppFlow
import ArgumentParser
import Basics
import CallCore
import CallMedia
import CallSignaling
import MediaKit
import Testing

@testable import callrunner

@Suite("Call request from command-line flags")
struct CallRequestTests {
    private func request(_ arguments: String..., environment: [String: String] = [:]) throws -> CallRequest {
        let flags = try CallFlags.parse(arguments)
        let surroundings = ["USER": "ann"].merging(environment) { $1 }
        return try CallRequest(flags, Settings(environment: surroundings, file: .none))
    }

    @Test("A call requires only --room; other settings have defaults, and the username is the login name")
    func defaults() throws {
        let request = try request("--room", "7")
        #expect(request.plan.identity.room.value == 7)
        #expect(request.plan.identity.username.value == "ann")
        #expect(request.plan.role == .callee)
        #expect(request.plan.options == CallOptions())
        #expect((request.plan.calls, request.plan.stays) == (1, false))
        #expect(request.namedServer == nil)
        #expect(request.media.source == .auto)
        #expect(request.media.codecs == Codec.allCases)
        #expect(request.media.decodingLimit == .standard)
        #expect(request.presentation == .headless)
        #expect(request.media.iceServers.isEmpty && !request.media.isRelayOnly)
    }

    @Test("The number of retries is nil unless --retries is given")
    func retries() throws {
        #expect(try request("--room", "1").plan.options.retries == nil)
        #expect(try request("--room", "1", "--retries", "4").plan.options.retries == 4)
        #expect(try request("--room", "1", "--retries", "-1").plan.options.retries == -1)
    }

    @Test("Durations are parsed with units and as plain seconds")
    func durations() throws {
        let plan = try request("--room", "1", "--duration", "1m30s", "--peer-timeout", "2.5").plan
        #expect(plan.options.duration == .seconds(90))
        #expect(plan.options.peerTimeout == .milliseconds(2500))
    }

    @Test("A server URL is read from --server or from CALLRUNNER_SERVER")
    func namedServer() throws {
        let environment = ["CALLRUNNER_SERVER": "https://example.org"]
        #expect(try request("--room", "1", environment: environment).namedServer == "https://example.org")
        let url = "http://127.0.0.1:3000"
        #expect(try request("--room", "1", "--server", url).namedServer == url)
    }

    @Test("A token from CALLRUNNER_TOKEN is passed to the signaling")
    func token() throws {
        let request = try request("--room", "1", environment: ["CALLRUNNER_TOKEN": "hush"])
        #expect(request.signaling(url: "http://a").token == "hush")
    }

    @Test("An invalid flag fails with exit code 64, and the message names the flag")
    func wrongUsage() throws {
        let wrong: [(arguments: [String], word: String)] = [
            ([], "--room"), (["--room", "0"], "--room"), (["--room", "9007199254740992"], "--room"),
            (["--room", "one"], "--room"), (["--room", "1", "--name", " "], "--name"),
            (["--room", "1", "--codec", "H267"], "--codec"),
            (["--room", "1", "--codec", ""], "--codec"), (["--room", "1", "--codec", ","], "--codec"),
            (["--room", "1", "--codec", "PCMU", "--record", "x.mp4"], "mp4"),
            (["--room", "1", "--media", "text"], "--media"),
            (["--room", "1", "--recvonly", "--sendonly"], "--sendonly"),
            (["--room", "1", "--recvonly", "--source", "test"], "--recvonly"),
            (["--room", "1", "--recvonly", "--record-local", "x.mkv"], "--recvonly"),
            (["--room", "1", "--sendonly", "--record", "x.mkv"], "--sendonly"),
            (["--room", "1", "--sendonly", "--source", "none"], "--sendonly"),
            (["--room", "1", "--recvonly", "--microphone", "default"], "--microphone"),
            (["--room", "1", "--media", "video", "--microphone", "default"], "--microphone"),
            (["--room", "1", "--sendonly", "--speaker", "default"], "--speaker"),
            (["--room", "1", "--media", "video", "--speaker", "default"], "--speaker"),
            (["--room", "1", "--calls", "2", "--speaker", "default"], "--speaker"),
            (["--room", "1", "--codec", "VP8", "--record", "x.mp4"], "mp4"),
            (["--room", "1", "--record", "x.mp4", "--record-local", "y.webm"], "mp4"),
            (["--room", "1", "--record", "x.avi"], "--record"),
            (["--room", "1", "--record", "mkv"], "--record"),
            (["--room", "1", "--record", "a.mkv", "--record-local", "a.mkv"], "--record-local"),
            (["--room", "1", "--duration=-3"], "--duration"),
            (["--room", "1", "--connect-timeout", "nan"], "--connect-timeout"),
            (["--room", "1", "--retries", "-2"], "--retries"),
            (["--room", "1", "--repeat", "0"], "--repeat"),
            (["--room", "1", "--server", "ftp://a"], "--server"),
            (["--room", "1", "--window", "--headless"], "--headless"),
            (["--room", "1", "--window"], "display"),
            (["--room", "1", "--source", "screen"], "--source"),
            (["--room", "1", "--source", "ftp://a/b.mp4"], "--source"),
            (["--room", "1", "--source", "https:///b.mp4"], "--source"),
            (["--room", "1", "--size", "641x360"], "--size"), (["--room", "1", "--size", "9"], "--size"),
            (["--room", "1", "--fps", "0"], "--fps"), (["--room", "1", "--start=-1"], "--start"),
            (["--room", "1", "--volume", "151"], "--volume"), (["--room", "1", "--volume=-1"], "--volume"),
            (["--room", "1", "--volume", "loud"], "--volume"),
            (["--room", "1", "--audio-processing", "echo,reverb"], "reverb"),
            (["--room", "1", "--audio-processing", ""], "--audio-processing"),
            (["--room", "1", "--speaker", ""], "--speaker"),
            (["--room", "1", "--bitrate", "5"], "--bitrate"), (["--room", "1", "--stun", "a"], "--stun"),
            (["--room", "1", "--turn", "turn:a"], "--turn"),
            (["--room", "1", "--ice-ports", "9-8"], "--ice-ports"),
            (["--room", "1", "--ice-ports", "0-8"], "--ice-ports"),
            (["--room", "1", "--ice-ports", "1-70000"], "--ice-ports"),
            (["--room", "1", "--ice-ports", "1-2-3"], "--ice-ports"),
            (["--room", "1", "--interface", "a b"], "--interface"),
            (["--room", "1", "--ipv4", "--ipv6"], "--ipv4"),
            (["--room", "1", "--cacert", "/no/such"], "--cacert"),
        ]
        for (arguments, word) in wrong {
            let failure = #expect(throws: Failure.self, "\(arguments)") {
                let flags = try CallFlags.parse(
                    arguments
                )
                _ = try CallRequest(flags, Settings(environment: ["USER": "ann"], file: .none))
            }
            #expect(failure?.exit == 64)
            #expect(failure?.message.contains(word) == true, "\(arguments): \(failure?.message ?? "")")
        }
    }

    @Test(
        "A recording limits the codecs to those that its container supports",
        arguments: [
            ("a.mkv", Codec.allCases), ("a.MP4", [.h264, .opus]), ("a.webm", [.vp8, .vp9, .opus]),
        ]
    )
    func containers(path: String, codecs: [Codec]) throws {
        #expect(try request("--room", "1", "--record", path).media.codecs == codecs)
        #expect(try request("--room", "1", "--record-local", path).media.codecs == codecs)
    }

    @Test(
        "--codec sets the codec order, and a media kind without a given codec allows all of its codecs"
    )
    func codecs() throws {
        let audio: [Codec] = [.opus, .pcmu, .pcma]
        #expect(try request("--room", "1", "--codec", "vp8, H264,VP8").media.codecs == [.vp8, .h264] + audio)
        #expect(try request("--room", "1", "--codec", "pcma").media.codecs == [.pcma, .h264, .vp8, .vp9])
        #expect(try request("--room", "1", "--codec", "PCMU,VP9").media.codecs == [.pcmu, .vp9])
    }

    @Test("--media, --recvonly and --sendonly limit the kinds and the directions of media")
    func scope() throws {
        #expect(try request("--room", "1").media.scope == MediaScope())
        #expect(try request("--room", "1", "--media", "Audio").media.scope.kinds == [.audio])
        let receiving = try request("--room", "1", "--recvonly", environment: ["CALLRUNNER_SOURCE": "test"])
        #expect((receiving.media.scope.sends, receiving.media.scope.receives) == (false, true))
        #expect(receiving.media.source == .none)
        let sending = try request("--room", "1", "--sendonly", "--record-local", "a.mkv")
        #expect((sending.media.scope.sends, sending.media.scope.receives) == (true, false))
    }

    @Test("Codecs of a kind of media that --media excludes are ignored")
    func narrowedCodecs() throws {
        let audio = ["--room", "1", "--media", "audio", "--codec", "OPUS,VP8", "--record", "x.mp4"]
        let flags = try CallFlags.parse(audio)
        let request = try CallRequest(flags, Settings(environment: ["USER": "ann"], file: .none))
        #expect(request.media.codecs == [.opus])
    }

    @Test("Audio devices are chosen automatically unless flags name them")
    func audio() throws {
        let automatic = try request("--room", "1").media.audio
        #expect(automatic.microphone == .automatic && automatic.speaker == .automatic)
        #expect(automatic.volume == 100 && automatic.processing == nil)
        let chosen = try request(
            "--room",
            "1",
            "--microphone",
            "none",
            "--speaker",
            "Null Output",
            "--volume",
            "80%",
            "--audio-processing",
            "gain,echo"
        ).media.audio
        #expect(chosen.microphone == .none && chosen.speaker == .named("Null Output"))
        #expect(chosen.volume == 80 && chosen.processing == [.echo, .gain])
        #expect(try request("--room", "1", "--audio-processing", "none").media.audio.processing == [])
        let server = try request("--room", "1", environment: ["PULSE_SERVER": "unix:/there"]).media.audio
        #expect(server.capture == .pulse && server.playback == .pulse)
    }

    @Test("With a display a window is optional by default, required with --window, and off with --headless")
    func video() throws {
        let display = ["DISPLAY": ":0"]
        #expect(try request("--room", "1", environment: display).presentation == .windowIfPossible)
        #expect(try request("--room", "1", "--window", environment: display).presentation == .window)
        #expect(try request("--room", "1", "--headless", environment: display).presentation == .headless)
    }

    @Test("STUN and TURN servers are passed to the media, and --relay-only enforces relays")
    func iceServers() throws {
        let request = try request(
            "--room",
            "1",
            "--stun",
            "stun:a",
            "--turn",
            "turn:u:s@b",
            "--turn",
            "turn:u:s@c",
            "--relay-only"
        )
        #expect(request.media.iceServers.flatMap(\.urls) == ["stun:a", "turn:b", "turn:c"])
        #expect(request.media.isRelayOnly)
    }

    @Test(
        "A TURN server may have percent-encoded credentials and an IPv6 address",
        arguments: [
            ("turn:a%40b:p%3Aw%25@h", "a@b", "p:w%", "turn:h"),
            ("turn:u:s@t@h:9?transport=tcp", "u", "s@t", "turn:h:9?transport=tcp"),
            ("turns:u:a:b@[2001:db8::1]:443", "u", "a:b", "turns:[2001:db8::1]:443"),
            ("turns://u:%D1%8F@h", "u", "я", "turns:h"),
        ]
    )
    func turn(text: String, user: String, secret: String, url: String) throws {
        let server = try request("--room", "1", "--turn", text).media.iceServers.first
        #expect(server == ICEServer(urls: [url], username: user, credential: secret))
    }

    @Test(
        "A malformed TURN server is rejected, and the message omits its secret",
        arguments: [
            "turn:u:hush%zz@h", "turn:u:hush%4@h", "turn:u:hush%FF@h", "turn:u:hush@h:0", "turn:u:hush@h?x=y",
            "turns:u:hush@h?transport=udp", "stun:u:hush@h", "turn:hush@h", "turn:u:hush@", "turn:u:hush@[h]",
            "turn:u:hush@2001:db8::1", "hush",
        ]
    )
    func malformedTURN(text: String) throws {
        let failure = #expect(throws: Failure.self) { try request("--room", "1", "--turn", text) }
        #expect(failure?.exit == 64)
        #expect(failure?.message.contains("hush") == false)
    }

    @Test("The secret in a malformed STUN server is in neither the message nor the list of settings")
    func secretInSTUN() {
        let failure = #expect(throws: Failure.self) {
            try request("--room", "1", "--stun", "stun:u:hush@h:1")
        }
        #expect(failure?.exit == 64)
        #expect(failure?.message.contains("hush") == false)
        let settings = Settings(environment: ["CALLRUNNER_STUN": "stun:u:hush@h:1"], file: .none)
        #expect(SettingLine(.stun, settings).value == "h:1")
    }

    @Test("The public STUN server is used only with --stun default")
    func publicSTUN() throws {
        #expect(try request("--room", "1").media.iceServers.isEmpty)
        let named = try request("--room", "1", "--stun", "default").media.iceServers.flatMap(\.urls)
        #expect(named == [ICEServerText.publicSTUN])
    }

    @Test("The flags for ICE ports, interface and address family are passed to the media")
    func path() throws {
        let request = try request(
            "--room",
            "1",
            "--ice-ports",
            "40000-40100",
            "--interface",
            "[::1]",
            "--ipv6"
        )
        #expect(request.media.icePorts == 40000...40100)
        #expect(request.media.addressRule == LocalAddressRule(interface: "::1", family: .ipv6))
        #expect(try self.request("--room", "1", "--ice-ports", "7").media.icePorts == 7...7)
    }

    @Test("A login name in USER that is not a valid username is skipped in favor of LOGNAME")
    func loginName() throws {
        let environment = ["USER": "a\tb", "LOGNAME": "bob"]
        #expect(try request("--room", "1", environment: environment).plan.identity.username.value == "bob")
    }
}
