import Testing

@testable import ScopedInjection

@Suite("R8: what a scope notes of bound references")
struct BoundReferencesTests {
    private final class Owner: Sendable {}

    private let owner = Owner()
    private let references = (0..<3).map { _ in Injected(\.port) }

    private func references(_ noted: BoundReferences, of owner: AnyObject) -> Set<ObjectIdentifier> {
        Set(noted.references(of: owner).map { ObjectIdentifier($0) })
    }

    @Test("A reference that is bound for each request is noted once")
    func boundAgain() {
        var noted = BoundReferences()
        for _ in 0..<1000 { for reference in references { noted.insert(reference, of: owner) } }
        #expect(noted.count == 3)
        #expect(references(noted, of: owner) == Set(references.map { ObjectIdentifier($0) }))
    }

    @Test("References are told apart by the object that they belong to")
    func severalOwners() {
        var noted = BoundReferences()
        let other = Owner()
        noted.insert(references[0], of: owner)
        noted.insert(references[1], of: other)
        #expect(references(noted, of: owner) == [ObjectIdentifier(references[0])])
        #expect(references(noted, of: other) == [ObjectIdentifier(references[1])])
        #expect(references(noted, of: Owner()).isEmpty)
    }

    @Test("It forgets references and objects that are gone, and keeps the others", arguments: [true, false])
    func sweeping(isOwnerGone: Bool) {
        var noted = BoundReferences()
        noted.insert(references[0], of: owner)
        for _ in 0..<1000 {
            noted.insert(isOwnerGone ? references[1] : Injected(\.port), of: isOwnerGone ? Owner() : owner)
            if noted.isToSweep { noted.forget(noted.gone) }
        }
        #expect(noted.count < 40)
        #expect(references(noted, of: owner).contains(ObjectIdentifier(references[0])))
    }

    @Test("A reference that gets another scope while its value is stored keeps that one")
    func boundBetween() {
        let reference = Injected(\.port)
        let (first, second) = (EnvironmentScope.empty("first"), EnvironmentScope.empty("second"))
        reference.bind(to: first, isOwning: true)
        reference.disown { scope in
            #expect(scope === first)
            reference.bind(to: second, isOwning: true)
            return true
        }
        #expect(reference.scope === second)
        #expect(reference.ownedScope === second)
        reference.disown { $0 === first }
        #expect(reference.ownedScope === second)
        reference.disown { $0 === second }
        #expect(reference.scope === second)
        #expect(reference.ownedScope == nil)
    }

    // In a process of its own, where no other thread takes the place first.
    @Test("A reference that takes the place of one that is gone, meanwhile, is not forgotten with it")
    func boundMeanwhile() async {
        await #expect(processExitsWith: .success) {
            var noted = BoundReferences()
            let owner = Owner()
            var first: Injected<Int>? = Injected(\.port)
            let identity = ObjectIdentifier(try #require(first))
            noted.insert(try #require(first), of: owner)
            first = nil
            let gone = noted.gone
            #expect(gone.map(\.reference) == [identity])
            // The heap gives the place to the next one, but not under the address sanitizer.
            var others: [Injected<Int>] = []
            while others.count < 1000, others.last.map({ ObjectIdentifier($0) }) != identity {
                others.append(Injected(\.port))
            }
            for other in others { noted.insert(other, of: owner) }
            noted.forget(gone)
            let known = Set(noted.references(of: owner).map { ObjectIdentifier($0) })
            #expect(known == Set(others.map { ObjectIdentifier($0) }))
        }
    }
}
