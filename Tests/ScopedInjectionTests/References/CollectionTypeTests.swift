import ScopedInjection
import Testing

/// A collection of numbers that has references of its own.
private struct Inventory: RandomAccessCollection, Sendable {
    @Injected(\.port) var port
    @Injected(\.host) var host
    let startIndex = 0
    let endIndex = 3
    subscript(index: Int) -> Int { index * port }
}

private final class Names: Collection, Sendable {
    let port = Injected(\.port)
    let startIndex = 0
    let endIndex = 1
    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> String { "\(port())" }
}

@Suite("R9: references in types that are collections themselves", .programRoots)
struct CollectionTypeTests {
    private let scope = EnvironmentScope("scope", parent: nil) { $0.port = 7 }

    @Test("The stored properties of a type that conforms to Collection are bound") func ownProperties() {
        let inventory = Inventory()
        #expect(scope.replace(in: inventory as Any) == 2)
        #expect(Array(inventory) == [0, 7, 14])
        let names = Names()
        #expect(scope.replace(in: names as Any) == 1)
        #expect(Array(names) == ["7"])
    }

    @Test("The properties of a collection within another type are bound with .nested") func nested() {
        struct Page {
            let inventory = Inventory()
            let names = Names()
        }
        let page = Page()
        #expect(scope.replace(in: page) == 0)
        #expect(scope.replace(in: page, options: .nested) == 3)
        #expect(page.inventory.last == 14)
        #expect(page.names.first == "7")
    }

    @Test("An optional reference is bound as any other") func optional() {
        struct Holder {
            let none = Injected<Int>?.none
            let some = Optional(Injected(\.port))
        }
        let holder = Holder()
        #expect(scope.replace(in: holder) == 1)
        #expect(holder.some?() == 7 && holder.none == nil)
    }
}
