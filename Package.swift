// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// Tests are compiled once for each run, so optimizing them takes longer than it saves; and no target imports them, so
/// their modules need not be there before their code.
let testSettings = settings + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name)] + dependencies,
        swiftSettings: testSettings
    )
}

/// The commit that is built, in twelve digits, with a `+` if files have been changed since.
let commit = Context.gitInformation.map {
    $0.currentCommit.prefix(12) + ($0.hasUncommittedChanges ? "+" : "")
}

let log = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "callrunner",
    products: [
        .executable(name: "callrunner", targets: ["callrunner"]),
        .library(name: "SocketIOClient", targets: ["SocketIOClient", "SocketIO", "Basics"]),
        .library(name: "WebRTCMedia", targets: ["GStreamerKit", "CallMedia"]),
        .library(name: "LiveStreams", targets: ["LiveMedia"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CGLib",
            pkgConfig: "gio-2.0 gio-unix-2.0 gobject-2.0",
            providers: [.apt(["libglib2.0-dev"])]
        ),
        .systemLibrary(
            name: "CGStreamer",
            pkgConfig:
                "gstreamer-webrtc-1.0 gstreamer-sdp-1.0 gstreamer-app-1.0 gstreamer-audio-1.0 gstreamer-video-1.0 gstreamer-rtp-1.0",
            providers: [
                .apt([
                    "libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev",
                    "libgstreamer-plugins-bad1.0-dev",
                ])
            ]
        ),
        .systemLibrary(name: "CSoup", pkgConfig: "libsoup-3.0", providers: [.apt(["libsoup-3.0-dev"])]),
        .systemLibrary(
            name: "CSecret",
            pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]
        ),
        .systemLibrary(name: "CPango", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(name: "CSDL", pkgConfig: "sdl2", providers: [.apt(["libsdl2-dev"])]),

        .target(name: "CBuild", cSettings: [.define("BUILD_COMMIT", to: "\"\(commit ?? "")\"")]),
        library("Basics"),
        library("GLibKit", ["CGLib"]),
        library("GStreamerKit", ["Basics", "GLibKit", "CGStreamer"]),
        .target(name: "CPhone", linkerSettings: [.linkedLibrary("phonenumber")]),
        library("PhoneKit", ["CPhone"]),
        library("DesktopKit", ["Basics", "GLibKit", "CGLib", "CSecret"]),
        library("SocketIO", ["Basics"]),
        library("TextModel"),
        library("WindowKit", ["Basics", "TextModel", "CPango", "CSDL"]),
        library("UserStore", ["Basics", "DesktopKit", "GLibKit"]),
        library("SoupKit", ["Basics", "GLibKit", "CGLib", "CSoup"]),
        library("SocketIOClient", ["Basics", "SocketIO", "SoupKit", "GLibKit"]),
        library("CallCore", ["Basics", log]),
        library("AppFlow", ["AccountsCore", "Basics", "CallCore", "ChatCore", "LiveCore"]),
        library("MediaKit", ["Basics", "GStreamerKit", "GLibKit"]),
        library(
            "CallMedia",
            [
                "Basics", "CallCore", "GStreamerKit", "MediaKit",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        library("CallSignaling", ["Basics", "CallCore", "SocketIOClient", "SocketIO", log]),
        library("LiveCore", ["Basics"]),
        library("AccountsCore", ["Basics"]),
        library("ChatCore", ["Basics"]),
        library("AccountsClient", ["AccountsCore", "Basics", "GLibKit", "SoupKit", "UserStore"]),
        library("ChatClient", ["Basics", "ChatCore", "GLibKit", "SoupKit", "UserStore"]),
        library(
            "LiveMedia",
            ["Basics", "GLibKit", "GStreamerKit", "LiveCore", "MediaKit", "RTMP", "SoupKit"]
        ),
        library("RTMP", ["Basics"]),
        library(
            "LiveServer",
            [
                "Basics", "HTTPFront", "LiveCore", "RTMP", "ServerStore", log,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        library(
            "ServerStore",
            [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        library(
            "AccountsServer",
            [
                "AccountsCore", "Basics", "HTTPFront", "ServerStore", log,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        library(
            "ChatServer",
            [
                "Basics", "ChatCore", "FrontParsers", "HTTPFront", "ServerStore", log,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "_NIOFileSystem", package: "swift-nio"),
            ]
        ),
        library(
            "FrontParsers",
            [
                "Basics",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]
        ),
        library(
            "HTTPFront",
            [
                "Basics", "FrontParsers", log,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "_NIOFileSystem", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        library(
            "SignalingServer",
            [
                "Basics", "CallCore", "FrontParsers", "HTTPFront", "SocketIO", "RedisKit", log,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        library(
            "RedisKit",
            [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .target(
            name: "BasicsTesting",
            dependencies: ["Basics"],
            path: "Tests/BasicsTesting",
            swiftSettings: settings
        ),
        .target(
            name: "GLibTesting",
            dependencies: ["GLibKit", "CGLib"],
            path: "Tests/GLibTesting",
            swiftSettings: settings
        ),
        .target(
            name: "CallTesting",
            dependencies: ["Basics", "CallCore"],
            path: "Tests/CallTesting",
            swiftSettings: settings
        ),
        .target(name: "AccountsTesting", path: "Tests/AccountsTesting", swiftSettings: settings),
        .target(name: "FrontTesting", path: "Tests/FrontTesting", swiftSettings: settings),
        .target(
            name: "FuzzWire",
            dependencies: [
                "Basics", "ChatCore", "FrontParsers", "LiveCore", "RTMP", "SocketIO",
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/Fuzz/FuzzWire",
            swiftSettings: settings
        ),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Basics", "CallCore", "CallMedia", "CallSignaling", "HTTPFront", "MediaKit",
                "SignalingServer", log,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Tests/Fuzz/FuzzTargets",
            swiftSettings: settings
        ),
        library(
            "CallWindow",
            [
                "AccountsCore", "Basics", "AppFlow", "CallCore", "ChatCore", "LiveCore", "PhoneKit",
                "WindowKit", "CSDL",
            ]
        ),
        .executableTarget(
            name: "callrunner",
            dependencies: [
                "Basics", "CallCore", "AppFlow", "CallMedia", "CallSignaling", "CallWindow",
                "HTTPFront", "SignalingServer", "RedisKit", "SocketIO", "SocketIOClient", "DesktopKit",
                "GLibKit", "GStreamerKit", "MediaKit", "LiveCore", "LiveMedia", "LiveServer", "UserStore",
                "WindowKit", "CBuild", "AccountsClient", "AccountsCore", "AccountsServer", "ChatClient",
                "ChatCore", "ChatServer", "ServerStore", "SoupKit", "PhoneKit", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),

        tests("Basics", ["BasicsTesting"]),
        tests("GLibKit", ["GLibTesting"]),
        tests("GStreamerKit", ["GLibKit"]),
        tests("DesktopKit", ["GLibKit", "GLibTesting"]),
        tests("SocketIO", ["Basics", "BasicsTesting"]),
        tests("TextModel", ["Basics"]),
        tests("WindowKit", ["Basics", "TextModel", "CSDL"]),
        .executableTarget(
            name: "StoreWriter",
            dependencies: ["UserStore"],
            path: "Tests/StoreWriter",
            swiftSettings: settings
        ),
        tests("UserStore", ["Basics", "StoreWriter", "DesktopKit", "GLibKit", "GLibTesting"]),
        tests("SoupKit", ["GLibKit"]),
        tests("SocketIOClient", ["Basics", "SocketIO", "GLibKit"]),
        tests(
            "RedisKit",
            [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        tests("CallCore", ["Basics", "BasicsTesting", "CallTesting"]),
        tests("AppFlow", ["AccountsCore", "Basics", "CallTesting", "CallCore", "ChatCore", "LiveCore"]),
        tests(
            "CallMedia",
            [
                "Basics", "CallCore", "GStreamerKit", "MediaKit",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]
        ),
        tests("LiveCore", ["Basics", "BasicsTesting", "CallTesting"]),
        tests("RTMP", ["Basics"]),
        tests("AccountsCore", ["AccountsTesting", "Basics", "CallTesting"]),
        tests(
            "LiveMedia",
            [
                "Basics", "GLibKit", "GStreamerKit", "HTTPFront", "LiveCore", "LiveServer", "MediaKit",
                "RTMP",
                "SignalingServer", "SoupKit", log,
            ]
        ),
        tests(
            "LiveServer",
            [
                "Basics", "HTTPFront", "LiveCore", "RTMP", "ServerStore", "SignalingServer", "SoupKit", log,
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        tests("AccountsClient", ["AccountsCore", "Basics"]),
        tests("ChatCore", ["Basics", "BasicsTesting", "CallTesting"]),
        tests(
            "ChatClient",
            [
                "Basics", "ChatCore", "ChatServer", "GLibKit", "HTTPFront", "ServerStore", "SignalingServer",
                "FrontParsers", "SoupKit", "UserStore", log,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        tests("ServerStore", [.product(name: "GRDB", package: "GRDB.swift")]),
        tests(
            "AccountsServer",
            [
                "AccountsCore", "AccountsTesting", "Basics", "CallTesting", "HTTPFront", "ServerStore",
                "SignalingServer", "SoupKit", log,
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        tests(
            "ChatServer",
            [
                "Basics", "CallTesting", "ChatCore", "HTTPFront", "ServerStore", log,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        tests("CallSignaling", ["Basics", "CallCore", "SocketIO", "SocketIOClient", "SignalingServer", log]),
        tests(
            "HTTPFront",
            [
                "FrontParsers", "FrontTesting", log,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        tests(
            "FrontParsers",
            [
                "FrontTesting",
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        tests(
            "SignalingServer",
            [
                "Basics", "SocketIO", "CallCore", "FrontParsers", "FrontTesting", "HTTPFront", "RedisKit",
                "GLibKit", "GLibTesting", log,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        tests("FuzzTargets", ["Basics", "CallCore", "FuzzWire"]),
        tests("PhoneKit", ["CPhone"]),
        tests(
            "CallWindow",
            [
                "AccountsCore", "Basics", "AppFlow", "CallCore", "ChatCore", "LiveCore", "TextModel",
                "WindowKit", "CSDL",
            ]
        ),
        tests(
            "callrunner",
            [
                "Basics", "CallCore", "AppFlow", "CallMedia", "CallSignaling", "GLibKit", "HTTPFront",
                "MediaKit",
                "PhoneKit", "SignalingServer", "SocketIO", "UserStore", "WindowKit", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// Links the program, but not the tests, so that it runs without Swift; the option `--static-swift-stdlib` would compile
// everything anew. The other lines name the libraries that modules compiled with this option name themselves.
if Context.environment["CALLRUNNER_STATIC"] != nil {
    package.targets.first { $0.name == "callrunner" }?.linkerSettings = [
        .unsafeFlags(["-static-stdlib"]),
        .linkedLibrary("CoreFoundation"), .linkedLibrary("_FoundationICU"),
        .linkedLibrary("_FoundationCShims"), .linkedLibrary("_FoundationCollections"),
    ]
}

// Lets the tests import the modules of the release build with `@testable`. For the modules of other packages, too, the
// server would need 20 % more CPU time per message (bench/signaling).
if Context.environment["CALLRUNNER_TESTABLE"] != nil {
    for target in package.targets where target.type != .test && target.type != .system {
        target.swiftSettings?.append(.unsafeFlags(["-enable-testing"]))
    }
}

// Builds with instrumentation for libFuzzer; Tests/Fuzz/run passes the path of libFuzzer's runtime.
if let runtime = Context.environment["CALLRUNNER_FUZZ"] {
    let fuzzed = [
        "Basics", "SocketIO", "FrontParsers", "HTTPFront", "SignalingServer", "CallCore", "MediaKit",
        "CallMedia", "CallSignaling", "ChatCore", "LiveCore", "RTMP",
    ]
    for target in package.targets where fuzzed.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
    }
    func fuzz(_ name: String, in targets: Target.Dependency = "FuzzTargets") -> Target {
        .executableTarget(
            name: name,
            dependencies: ["FuzzDriver", targets],
            path: "Tests/Fuzz/\(name)",
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags([runtime, "-lstdc++"])]
        )
    }
    package.targets += [
        .target(name: "FuzzDriver", path: "Tests/Fuzz/FuzzDriver", swiftSettings: settings),
        fuzz("FuzzCodec", in: "FuzzWire"), fuzz("FuzzParsers", in: "FuzzWire"),
        fuzz("FuzzChat", in: "FuzzWire"), fuzz("FuzzRTMP", in: "FuzzWire"),
        fuzz("FuzzDescriptions"), fuzz("FuzzCandidates"), fuzz("FuzzFront"),
    ]
}
