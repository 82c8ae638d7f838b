// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "swift-scoped-injection",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ScopedInjection", targets: ["ScopedInjection"]),
        // For programs of several images: two copies would be two worlds.
        .library(name: "ScopedInjectionDynamic", type: .dynamic, targets: ["ScopedInjection"]),
        .library(name: "ScopedInjectionTesting", targets: ["ScopedInjectionTesting"]),
        .library(name: "ScopedInjectionValues", targets: ["ScopedInjectionValues"]),
    ],
    targets: [
        .target(name: "ScopedInjection"),
        .target(name: "ScopedInjectionTesting", dependencies: ["ScopedInjection"]),
        .target(name: "ScopedInjectionValues", dependencies: ["ScopedInjection"]),
        .testTarget(name: "ScopedInjectionTests", dependencies: ["ScopedInjection"]),
        // Programs of apps: everything in it that does not say otherwise is isolated to the main actor.
        .testTarget(
            name: "MainActorTests",
            dependencies: ["ScopedInjection"],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        .testTarget(
            name: "ScopedInjectionTestingTests",
            dependencies: ["ScopedInjection", "ScopedInjectionTesting"]
        ),
        .testTarget(
            name: "ScopedInjectionValuesTests",
            dependencies: ["ScopedInjection", "ScopedInjectionTesting", "ScopedInjectionValues"]
        ),
        // A sample: the tests of a shop, as a user of the library writes them.
        .testTarget(
            name: "ShopTests",
            dependencies: ["ScopedInjection", "ScopedInjectionTesting", "ScopedInjectionValues"]
        ),
    ]
)

let upcomingFeatures: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

for target in package.targets { target.swiftSettings = (target.swiftSettings ?? []) + upcomingFeatures }
