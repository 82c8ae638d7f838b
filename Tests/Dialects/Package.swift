// swift-tools-version: 6.2

import PackageDescription

// The same client programs in four dialects of Swift, and what the pages about moving from other libraries show. Each target is
// a link to the folder Programs, or to Moving. They have links to the code of pages, which Tests/Documentation/extract makes.
let core = Target.Dependency.product(name: "ScopedInjection", package: "swift-scoped-injection")
let moving: [Target.Dependency] = [
    .product(name: "Dependencies", package: "Moving"),
    .product(name: "DependenciesTestSupport", package: "Moving"),
    .product(name: "ScopedInjectionTesting", package: "swift-scoped-injection"),
]

let dialects: [(name: String, settings: [SwiftSetting])] = [
    ("AsInitMakesIt", []),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    ("NonsendingByDefault", [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0466-control-default-actor-isolation.md
    ("OnTheMainActor", [.defaultIsolation(MainActor.self)]),
    ("InSwift5Mode", [.swiftLanguageMode(.v5)]),
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
            .testTarget(name: name, dependencies: [core], swiftSettings: settings),
            .testTarget(name: "Moving" + name, dependencies: [core] + moving, swiftSettings: settings),
        ]
    }
)
