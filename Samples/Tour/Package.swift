// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Tour",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-scoped-injection", path: "../..")
    ],
    targets: [
        .target(
            name: "Lessons",
            dependencies: [.product(name: "ScopedInjection", package: "swift-scoped-injection")]
        ),
        .executableTarget(name: "Tour", dependencies: ["Lessons"]),
        .testTarget(name: "LessonsTests", dependencies: ["Lessons"]),
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
