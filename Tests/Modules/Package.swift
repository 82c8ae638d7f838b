// swift-tools-version: 6.2

import PackageDescription

// Values in one module, services in a second, tests in a third: each value is written once.
let package = Package(
    name: "Modules",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-scoped-injection", path: "../..")
    ],
    targets: [
        .target(
            name: "Values",
            dependencies: [.product(name: "ScopedInjection", package: "swift-scoped-injection")]
        ),
        .target(
            name: "Services",
            dependencies: ["Values", .product(name: "ScopedInjection", package: "swift-scoped-injection")]
        ),
        .testTarget(
            name: "ServicesTests",
            dependencies: [
                "Services", "Values",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
                .product(name: "ScopedInjectionTesting", package: "swift-scoped-injection"),
                .product(name: "ScopedInjectionValues", package: "swift-scoped-injection"),
            ]
        ),
    ]
)

for target in package.targets {
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
