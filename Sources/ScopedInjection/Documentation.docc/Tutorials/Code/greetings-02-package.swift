// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Greetings",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://example.com/swift-scoped-injection", branch: "main"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "Greetings",
            dependencies: [
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        ),
        .testTarget(
            name: "GreetingsTests",
            dependencies: [
                "Greetings",
                .product(name: "ScopedInjectionTesting", package: "swift-scoped-injection"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]
        ),
    ]
)
