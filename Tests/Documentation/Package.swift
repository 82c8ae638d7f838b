// swift-tools-version: 6.2

import PackageDescription

// The code of the articles, of the comments and of the README. Tests/Documentation/extract makes the folders of the targets.
let core = Target.Dependency.product(name: "ScopedInjection", package: "swift-scoped-injection")
let testing = Target.Dependency.product(name: "ScopedInjectionTesting", package: "swift-scoped-injection")
let values = Target.Dependency.product(name: "ScopedInjectionValues", package: "swift-scoped-injection")

let package = Package(
    name: "Documentation",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-scoped-injection", path: "../..")],
    targets: [
        .executableTarget(name: "Readme", dependencies: [core], path: ".code/Readme"),
        .testTarget(name: "Pages", dependencies: [core, testing], path: ".code/Pages"),
        .testTarget(
            name: "MainActorPage",
            dependencies: [core],
            path: ".code/MainActorPage",
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        .testTarget(name: "PagesOfTests", dependencies: [core, testing, values], path: ".code/PagesOfTests"),
        // It has no tests: it is enough that it compiles.
        .testTarget(name: "Comments", dependencies: [core], path: ".code/Comments"),
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
