// swift-tools-version: 6.2
// An external package that makes calls and plays streams with callrunner's libraries; run `swift test` in this folder.
import PackageDescription

let package = Package(
    name: "Embedding",
    dependencies: [
        .package(name: "callrunner", path: "../.."),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
    ],
    targets: [
        .testTarget(
            name: "EmbeddingTests",
            dependencies: [
                .product(name: "SocketIOClient", package: "callrunner"),
                .product(name: "WebRTCMedia", package: "callrunner"),
                .product(name: "LiveStreams", package: "callrunner"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
