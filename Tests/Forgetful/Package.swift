// swift-tools-version: 6.2

import PackageDescription

// A client of closures, a program that uses it, and tests that forget to give it theirs.
let core = Target.Dependency.product(name: "ScopedInjection", package: "swift-scoped-injection")
let values = Target.Dependency.product(name: "ScopedInjectionValues", package: "swift-scoped-injection")
let testing = Target.Dependency.product(name: "ScopedInjectionTesting", package: "swift-scoped-injection")

let package = Package(
    name: "Forgetful",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-scoped-injection", path: "../..")
    ],
    targets: [
        .target(name: "Git", dependencies: [core]),
        .executableTarget(name: "release", dependencies: ["Git", core]),
        .executableTarget(name: "demo", dependencies: ["Git", core, testing, values]),
        .target(name: "OtherLibrary", dependencies: ["Git"], path: "Tests/OtherLibrary"),
        // No file of it imports ScopedInjectionTesting; what it links is enough.
        .testTarget(name: "GitTests", dependencies: ["Git", "OtherLibrary", core, testing]),
        .target(name: "Forgettings", dependencies: [core, testing]),
        .executableTarget(name: "foreign", dependencies: ["Forgettings", core, testing]),
        .testTarget(name: "ForgettingTests", dependencies: ["Forgettings", core, testing]),
        .testTarget(name: "EndpointTests", dependencies: ["Git", "OtherLibrary", core, testing]),
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
