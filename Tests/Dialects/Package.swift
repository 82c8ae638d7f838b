// swift-tools-version: 6.2

import PackageDescription

// The same client programs in four dialects of Swift. Each target is a link to the folder Programs, which has links to pages.
let package = Package(
    name: "Dialects",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-scoped-injection", path: "../..")],
    targets: [
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
        dependencies: [.product(name: "ScopedInjection", package: "swift-scoped-injection")],
        swiftSettings: settings
    )
}
