// swift-tools-version: 6.2
// The tools of bench/signaling and bench/cluster: a bare relay for comparison, and a load generator.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "bare-relay",
    products: [
        .executable(name: "bare-relay", targets: ["BareRelay"]),
        .executable(name: "load", targets: ["Load"]),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.101.0")],
    targets: [
        .executableTarget(
            name: "BareRelay",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CEpoll"),
        .executableTarget(name: "Load", dependencies: ["CEpoll"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
