// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "QuickServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-scoped-injection", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "QuickServer",
            dependencies: [
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        ),
        .testTarget(
            name: "QuickServerTests",
            dependencies: [
                "QuickServer",
                .product(name: "ScopedInjectionTesting", package: "swift-scoped-injection"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]
        ),
    ]
)
