extension EnvironmentScope {
    /// Gives a scope each role, for a test.
    package func takeEveryRole() {
        let lines = node.startWriting()
        node.pointee.flags.insert(.everyRole)
        node.countDecisions()
        node.countChange()
        node.finishWriting(lines)
    }
}
