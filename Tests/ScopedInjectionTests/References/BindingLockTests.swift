import Dispatch
import ScopedInjection
import Testing

@Suite("An object that goes while another one is bound")
struct BindingLockTests {
    private final class Parting: Sendable {
        let port = Injected(\.port)
        let scope: EnvironmentScope?
        init(_ scope: EnvironmentScope?) { self.scope = scope }
        deinit {
            // The other thread is to be quick.
            guard let scope, DispatchQueue.getSpecific(key: Self.other) == nil else { return }
            scope.replace(in: Parting(nil))
        }
        static let other = DispatchSpecificKey<Bool>()
    }

    @Test("It may bind one itself")
    func binding() async {
        await #expect(processExitsWith: .success) {
            let scope = EnvironmentScope.empty("test", parent: nil)
            let given = Box<[Parting]>([])
            let isOver = Box(false)
            let letsGo = DispatchSemaphore(value: 0)
            let other = DispatchQueue(label: "other")
            other.setSpecific(key: Parting.other, value: true)
            other.async {
                while !isOver.value {
                    let objects = given.update { objects in
                        defer { objects = [] }
                        return objects
                    }
                    _ = consume objects
                }
                letsGo.signal()
            }
            for _ in 0..<40 {
                var objects: [Parting] = []
                for _ in 0..<1000 {
                    let object = Parting(scope)
                    scope.replace(in: object)
                    objects.append(object)
                }
                given.update { [objects] in $0 = objects }
            }
            isOver.update { $0 = true }
            letsGo.wait()
        }
    }
}
