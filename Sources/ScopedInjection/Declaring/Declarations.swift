import Synchronization

/// All declared values, by the place of their declaration.
///
/// A value is found without a lock, by the pointer of its file's name. The optimizer may copy that literal into another module: such
/// a copy is found by its content once, and from then on by its own pointer.
@usableFromInline
enum Declarations {
    /// The address of the table, or 0 before the first declaration; a lazy constant would be checked at each look.
    private static let table = Atomic<UInt>(0)
    private static let known = Guarded<[Content: [Making]]>([:])

    /// What two copies of one declaration have in common; identifiers of one hash are told apart outside of the lock.
    private struct Content: Hashable, Sendable {
        let file: String
        let line: UInt
        let column: UInt
        let type: ObjectIdentifier
        let hash: Int
    }

    /// A record that is made, or is being made by a thread for which others wait.
    private final class Making: Sendable {
        private let declaration: Declaration
        private let thread = Blocking.thisThread
        private let made = Guarded<ValueKey?>(nil)
        private let end = Signal()

        init(_ declaration: Declaration) { self.declaration = declaration }

        /// Calls the code of the identifier.
        func isOf(_ other: Declaration) -> Bool {
            guard let id = declaration.id, let other = other.id else { return declaration.id == nil && other.id == nil }
            return id.isEqual(to: other)
        }

        /// The key, once it is made.
        func key() -> ValueKey {
            if let key = made.withLock({ $0 }) { return key }
            guard Blocking.wait(for: end, of: thread) else {
                fatalError("The constant declared at \(declaration.fileID):\(declaration.line) is made of itself.")
            }
            return key()
        }

        func finish(_ key: ValueKey) {
            made.withLock { $0 = key }
            end.set()
        }
    }

    // MARK: Finding

    /// The address of the key that was declared at a place, without an identifier; nil if this call has to declare it.
    @usableFromInline
    static func find(
        _ fileID: StaticString,
        _ line: UInt,
        _ column: UInt,
        _ type: ObjectIdentifier
    ) -> UnsafeRawPointer? {
        DeclarationTable(at: table.load(ordering: .acquiring))?
            .find(.init(fileID, line, column, type)) { $0.isDeclared(at: line, column) }
    }

    /// The same for a value of a family, by its identifier.
    @usableFromInline
    static func find<ID: Hashable>(
        _ fileID: StaticString,
        _ line: UInt,
        _ column: UInt,
        _ type: ObjectIdentifier,
        id: ID
    ) -> UnsafeRawPointer? {
        DeclarationTable(at: table.load(ordering: .acquiring))?
            .find(.init(fileID, line, column, type, hash: Identifier.hash(of: id))) {
                $0.isDeclared(at: line, column, id: id)
            }
    }

    // MARK: Declaring

    /// The key of a declaration; the first call makes its record.
    static func declare(_ declaration: Declaration, as type: Any.Type, _ make: () -> KeyRecord) -> ValueKey {
        let content = Content(
            file: declaration.fileID.description,
            line: declaration.line,
            column: declaration.column,
            type: ObjectIdentifier(type),
            hash: declaration.id?.hash ?? 0
        )
        while true {
            let others = known.withLock { $0[content] ?? [] }
            if let other = others.first(where: { $0.isOf(declaration) }) {
                let key = other.key()
                add(key, declaration, content)
                return key
            }
            let mine = known.withLock { known -> Making? in
                // One that has come meanwhile may be the same.
                guard known[content]?.count ?? 0 == others.count else { return nil }
                let mine = Making(declaration)
                known[content, default: []].append(mine)
                return mine
            }
            guard let mine else { continue }
            declaration.check(as: type)
            // Outside of the lock, because it evaluates what the user has written.
            let key = ValueKey(make())
            mine.finish(key)
            add(key, declaration, content)
            return key
        }
    }

    /// Makes a key be found by this copy of its place from now on.
    private static func add(_ key: ValueKey, _ declaration: Declaration, _ content: Content) {
        let (line, column) = (declaration.line, declaration.column)
        let place = DeclarationTable.Place(declaration.fileID, line, column, content.type, hash: content.hash)
        known.withLock { _ in
            let present = DeclarationTable(at: table.load(ordering: .relaxed))
            if present?.find(place, where: { $0.address == key.address }) != nil { return }
            table.store(DeclarationTable.adding(key, at: place, to: present).address, ordering: .releasing)
        }
    }
}
