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
        .target(name: "BlackHole"),
        .target(name: "HeapCounting"),
        .target(
            name: "Client",
            dependencies: [
                "BlackHole",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .target(
            name: "Harness",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser")
            ]
        ),
        .target(
            name: "Subjects",
            dependencies: [
                "Client",
                "Harness",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .executableTarget(
            name: "Counts",
            dependencies: [
                "Client",
                "Harness",
                "HeapCounting",
                "Subjects",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .executableTarget(
            name: "Times",
            dependencies: [
                "Client",
                "Harness",
                "Subjects",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .executableTarget(
            name: "Elsewhere",
            dependencies: [
                "Client",
                "Harness",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .executableTarget(
            name: "SharedLines",
            dependencies: [
                "Client",
                "Subjects",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .executableTarget(
            name: "Soak",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                // It runs these programs, so they are built with it. What they depend on is linked into it too, the
                // counting included: that is why it takes no times itself.
                "Counts",
                "Elsewhere",
                "Harness",
                "Times",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(
            name: "BenchmarksTests",
            dependencies: [
                "Client",
                "Counts",
                "Harness",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            ]
        ),
    ]
)

for target in package.targets where !["BlackHole", "HeapCounting"].contains(target.name) {
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
