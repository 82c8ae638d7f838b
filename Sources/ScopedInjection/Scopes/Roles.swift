/// Gives a scope, which nobody else can reach yet, its role.
extension EnvironmentScope {
    @inline(__always)
    func take(_ role: ValueKey) {
        // A root is not passed by any walk.
        if node.hasParent, role.bit == 0 { role.assignBit() }
        node.pointee.role = role
        node.pointee.decides |= role.bit
    }

    /// Gives it each role that no scope further out has, for a test.
    package func takeEveryRole() {
        let lines = node.startWriting()
        node.pointee.flags.insert(.everyRole)
        node.countDecisions()
        node.countChange()
        node.finishWriting(lines)
    }
}
