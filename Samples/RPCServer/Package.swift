// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "RPCServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-scoped-injection", path: "../.."),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "Services",
            dependencies: [
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
            ]
        ),
        .executableTarget(
            name: "RPCServer",
            dependencies: [
                "Services",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "ServicesTests",
            dependencies: [
                "Services",
                .product(name: "ScopedInjection", package: "swift-scoped-injection"),
                .product(name: "ScopedInjectionTesting", package: "swift-scoped-injection"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
            ]
        ),
    ]
)
