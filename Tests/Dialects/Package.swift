// swift-tools-version: 6.2

import PackageDescription

// The same client programs in six dialects of Swift, and what the pages about moving from other libraries show. Each target is
// a link to the folder Programs, or to Moving. They have links to the code of pages, which Tests/Documentation/extract makes.
let library = ["ScopedInjection", "ScopedInjectionTesting"].map {
    Target.Dependency.product(name: $0, package: "swift-scoped-injection")
}
let moving = library + ["Dependencies", "DependenciesTestSupport"].map { .product(name: $0, package: "Moving") }

let dialects: [(name: String, settings: [SwiftSetting])] = [
    ("AsInitMakesIt", []),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    ("NonsendingByDefault", [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0466-control-default-actor-isolation.md
    ("OnTheMainActor", [.defaultIsolation(MainActor.self)]),
    ("InSwift5Mode", [.swiftLanguageMode(.v5)]),
    // Half-way to Swift 6: a key path literal is not `Sendable` there, and none has to be.
    (
        "InSwift5ModeWithCompleteChecking",
        [.swiftLanguageMode(.v5), .enableUpcomingFeature("StrictConcurrency")]
    ),
    // The upcoming features of Swift 6.2 at once, on the main actor.
    (
        "WithAllUpcomingFeatures",
        [
            .defaultIsolation(MainActor.self), .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .enableUpcomingFeature("InferIsolatedConformances"),
        ]
    ),
]

let package = Package(
    name: "Dialects",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-scoped-injection", path: "../.."),
        .package(name: "Moving", path: "../../Samples/Moving"),
    ],
    targets: dialects.flatMap { name, settings in
        [
            .testTarget(name: name, dependencies: library, swiftSettings: settings),
            .testTarget(name: "Moving" + name, dependencies: moving, swiftSettings: settings),
        ]
    }
)
