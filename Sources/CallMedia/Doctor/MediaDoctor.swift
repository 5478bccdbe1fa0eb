internal import Basics
package import CallCore
internal import FoundationEssentials
package import GLibKit
internal import GStreamerKit
package import MediaKit

/// Determines by tests which media features work on this computer.
package struct MediaDoctor: Sendable {
    /// The result of one check.
    package struct Check: Hashable, Sendable {
        package enum Verdict: String, Sendable { case good, limited, failed }

        package var name: String
        package var verdict: Verdict
        /// The finding as text for users.
        package var finding: String
        /// The advice on how to fix the problem; nil if there is no problem.
        package var fix: String?

        package init(name: String, verdict: Verdict, finding: String, fix: String? = nil) {
            self.name = name
            self.verdict = verdict
            self.finding = finding
            self.fix = fix
        }
    }

    private let library: PipelineLibrary
    private let testVideo: String

    package init(library: PipelineLibrary, testVideo: String) {
        self.library = library
        self.testVideo = testVideo
    }

    /// The Debian packages that calls use, with the elements needed from each package.
    private static let packages: [(name: String, elements: [String])] = [
        (
            "gstreamer1.0-plugins-base",
            [
                "appsrc", "parsebin", "decodebin", "opusenc", "opusdec", "videoconvert", "videoscale",
                "urisourcebin", "playbin", "playbin3", "compositor", "rawvideoparse",
            ]
        ),
        (
            "gstreamer1.0-plugins-good",
            [
                "rtph264pay", "rtpvp8pay", "rtpvp9pay", "rtppcmupay", "rtppcmapay", "matroskamux", "qtdemux",
                "mp4mux", "vp8enc", "vp9enc", "vp9dec", "mulawenc", "alawenc", "videoflip", "v4l2src",
                "ximagesrc", "souphttpsrc", "rtspsrc", "hlsdemux2", "splitmuxsink", "aacparse", "jpegenc",
                "jpegdec", "pngdec", "capssetter",
            ]
        ),
        (
            "gstreamer1.0-plugins-bad",
            [
                "webrtcbin", "dtlsdec", "srtpdec", "h264parse", "vp9parse", "audiobuffersplit", "webrtcdsp",
                "sctpdec", "av1dec", "hlsdemux", "tsdemux", "mpegtsmux", "jpegparse", "webpdec",
            ]
        ),
        ("gstreamer1.0-plugins-ugly", ["x264enc"]),
        ("gstreamer1.0-libav", ["avdec_h264", "avdec_h265", "avdec_aac", "avenc_aac"]),
        ("gstreamer1.0-x", ["textoverlay", "timeoverlay", "clockoverlay"]),
        ("gstreamer1.0-pulseaudio", ["pulsesrc", "pulsesink"]),
        ("gstreamer1.0-alsa", ["alsasrc", "alsasink"]),
        ("gstreamer1.0-nice", ["nicesrc", "nicesink"]),
    ]

    /// Runs all checks: of GStreamer, its plugins, the encoders, the templates, the test video, the cameras
    /// and the network, in this order.
    package func checks() async -> [Check] {
        var checks = [gstreamer] + plugins
        for codec in Codec.allCases { checks.append(await encoder(codec)) }
        checks.append(descriptions)
        checks.append(await video)
        checks.append(await cameras)
        checks.append(network)
        return checks
    }

    private var gstreamer: Check {
        Check(name: "GStreamer", verdict: .good, finding: GStreamer.version)
    }

    private var plugins: [Check] {
        Self.packages.map { package in
            let missing = GStreamer.missing(package.elements)
            guard !missing.isEmpty else {
                let elements = package.elements.joined(separator: ", ")
                return Check(name: package.name, verdict: .good, finding: "has \(elements)")
            }
            // Elements that are not in `neededElements` are used only by some sources, codecs and devices.
            let isNeeded = missing.contains(where: LiveMediaService.neededElements.contains)
            return Check(
                name: package.name,
                verdict: isNeeded ? .failed : .limited,
                finding: "lacks \(missing.joined(separator: ", "))",
                fix: "sudo apt-get install \(package.name)"
            )
        }
    }

    /// Checks a codec's encoder by a trial encoding, because a registered encoder may still fail.
    private func encoder(_ codec: Codec) async -> Check {
        let name = "\(codec.rawValue) encoder"
        let description = await EncoderSelection(library: library) { _ in }.description(for: codec)
        let trial = await EncoderTrial.run(description, codec: codec, library: library)
        guard let reason = trial.reason else {
            return Check(name: name, verdict: .good, finding: "\(trial.element ?? description) works")
        }
        return Check(
            name: name,
            verdict: .limited,
            finding: "does not work: \(reason)",
            fix: Self.fix(codec)
        )
    }

    private static func fix(_ codec: Codec) -> String {
        let package =
            switch codec {
            case .h264: "gstreamer1.0-plugins-ugly"
            case .vp8, .vp9: "gstreamer1.0-plugins-good"
            case .opus: "gstreamer1.0-plugins-base"
            case .pcmu, .pcma: "gstreamer1.0-plugins-good gstreamer1.0-plugins-bad"
            }
        let others =
            codec.assignedPayloadType == nil
            ? "\(codec.rawValue) files are still sent as they are" : "other codecs are used"
        return "sudo apt-get install \(package); without the encoder, \(others)"
    }

    private var descriptions: Check {
        let names = library.names
        return Check(
            name: "pipeline templates",
            verdict: names.isEmpty ? .failed : .good,
            finding: "\(names.count) in \(library.directory)",
            fix: names.isEmpty ? "set CALLRUNNER_PIPELINES, or give --pipelines DIR" : nil
        )
    }

    private var video: Check {
        get async {
            do {
                let contents = try await FileProbe.read(path: testVideo, library: library)
                let streams = [contents.video, contents.audio].compactMap { $0?.caps.mediaType }
                return Check(
                    name: "test video",
                    verdict: .good,
                    finding: "\(testVideo): \(streams.joined(separator: ", "))"
                )
            } catch {
                let failure = MediaFailure(error)
                return Check(
                    name: "test video",
                    verdict: .failed,
                    finding: failure.sentence,
                    fix: "set CALLRUNNER_ASSETS to the folder of the test video, or call with --source FILE"
                )
            }
        }
    }

    @MediaActor
    private var cameras: Check {
        let found = SourceOpener.cameras
        return Check(
            name: "cameras",
            verdict: found.isEmpty ? .limited : .good,
            finding: found.isEmpty ? "none" : found.joined(separator: ", "),
            fix: found.isEmpty ? "calls send the test video; --source FILE sends a file instead" : nil
        )
    }

    private var network: Check {
        let reaches = HostAddresses.reachBeyondLoopback
        return Check(
            name: "network",
            verdict: reaches ? .good : .limited,
            finding: reaches ? "a network interface other than loopback is up" : "loopback only",
            fix: reaches ? nil : "calls work only within this machine"
        )
    }
}

// MARK: - Servers

extension MediaDoctor {
    /// Queries all STUN and TURN servers concurrently; the checks are in the order of `servers`.
    package static func checks(of servers: [ICEServer], authorities: TLSAuthorities) async -> [Check] {
        let probes = servers.flatMap { server in
            server.urls.compactMap(ICEServerURL.init).map { url in
                let (user, secret) = (server.username ?? "", server.credential ?? "")
                return (
                    url, ICEServerProbe(url, username: user, credential: secret, authorities: authorities)
                )
            }
        }
        return await withTaskGroup { group in
            for (index, (url, probe)) in probes.enumerated() {
                group.addTask { (index, check(of: url, await probe.answer())) }
            }
            var checks: [Int: Check] = [:]
            for await (index, check) in group { checks[index] = check }
            return probes.indices.compactMap { checks[$0] }
        }
    }

    private static func check(of url: ICEServerURL, _ answer: ICEServerProbe.Answer) -> Check {
        let problem = answer.problem(of: url)
        let finding =
            switch answer {
            case .mapped(let address): "it sees this machine at \(address)"
            case .relayed(let address): "it relays from \(address)"
            case .refused, .unreachable: problem ?? ""
            }
        return Check(
            name: "\(url.scheme == .stun ? "STUN" : "TURN") server \(url)",
            verdict: problem == nil ? .good : .limited,
            finding: finding,
            fix: problem == nil ? nil : answer.hint(for: url)
        )
    }
}
