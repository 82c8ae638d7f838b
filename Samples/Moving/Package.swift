// swift-tools-version: 6.2

import PackageDescription

// Two folders to copy, and what is written for other libraries. Each test target is a link to the folder Programs, which is
// compiled in six dialects of Swift.
let package = Package(
    name: "Moving",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Dependencies", targets: ["Dependencies"]),
        .library(name: "DependenciesTestSupport", targets: ["DependenciesTestSupport"]),
    ],
    dependencies: [.package(name: "swift-scoped-injection", path: "../..")],
    targets: [
        .target(
            name: "Dependencies",
            dependencies: [
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
                .product(name: "ScopedInjectionValues", package: "swift-scoped-injection"),
            ]
        ),
        .target(
            name: "DependenciesTestSupport",
            dependencies: [
                "Dependencies",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
                .product(name: "ScopedInjectionTesting", package: "swift-scoped-injection"),
            ]
        ),
        dialect("AsInitMakesIt", []),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        dialect("NonsendingByDefault", [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0466-control-default-actor-isolation.md
        dialect("OnTheMainActor", [.defaultIsolation(MainActor.self)]),
        dialect("InSwift5Mode", [.swiftLanguageMode(.v5)]),
    ]
)

func dialect(_ name: String, _ settings: [SwiftSetting]) -> Target {
    .testTarget(
        name: name,
        dependencies: [
            "Dependencies",
            "DependenciesTestSupport",
            .product(name: "ScopedInjection", package: "swift-scoped-injection"),
            .product(name: "ScopedInjectionTesting", package: "swift-scoped-injection"),
        ],
        swiftSettings: settings
    )
}
