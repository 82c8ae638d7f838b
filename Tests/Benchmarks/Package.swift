// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-scoped-injection", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "Instruments"),
        .target(
            name: "Client",
            dependencies: [
                "Instruments",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .target(name: "Harness", dependencies: ["Instruments"]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Client",
                "Harness",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .testTarget(
            name: "BenchmarksTests",
            dependencies: [
                "Client",
                "Harness",
                "Instruments",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
    ]
)

for target in package.targets where target.name != "Instruments" {
    target.swiftSettings = [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
