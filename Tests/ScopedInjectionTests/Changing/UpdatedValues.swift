import ScopedInjection
import Testing

// Values for suites about updates.

/// What is opened and closed, and tells a log.
final class Storage: Sendable {
    let size: Int
    let file: String

    init(size: Int, file: String) { (self.size, self.file) = (size, file) }

    var text: String { "\(size)\(file)" }
}

/// What the builders of one test do besides, once.
final class Hook: Sendable {
    private let next = Box<(@Sendable () -> Void)?>(nil)

    /// Has the next builder that runs call a function.
    func meanwhile(_ body: @escaping @Sendable () -> Void) { next.value = body }

    func run() { next.update { $0.take() }?() }
}

struct TooMany: Error {}

extension ScopeValues {
    static var quota: ScopeValue<Int> { .value(10) }
    static var file: ScopeValue<String> { .value("a") }
    static var hook: ScopeValue<Hook> { .lazy { _ in Hook() } }
    static var storage: ScopeValue<Storage> {
        .lazy { reader in
            let (log, storage) = (try reader.log, Storage(size: try reader.quota, file: try reader.file))
            try reader.hook.run()
            if storage.size > 100 { throw TooMany() }
            log.add("open \(storage.text)")
            reader.onClose { log.add("close \(storage.text)") }
            return storage
        }
    }
    static var storageUser: ScopeValue<Product> { .lazy { Product("on \(try $0.storage.text)") } }
    static var onFile: ScopeValue<Product> {
        .lazy {
            try $0.log.add("on file")
            return Product(try $0.file)
        }
    }
    static var labels: ScopeValue<[String]> { .value(["base"]) }
    static var labelled: ScopeValue<Product> { .lazy { Product(try $0.labels.joined(separator: ",")) } }
    static var certificate: ScopeValue<Product> {
        .lazy {
            try $0.log.add("read certificate")
            return Product("certificate")
        }
    }
    static var listener: ScopeValue<Product> {
        .lazy {
            try $0.log.add("listen")
            return Product(try $0.certificate.text)
        }
    }
    static var tokenUser: ScopeValue<String> { .lazy { try $0.token.text } }
}
