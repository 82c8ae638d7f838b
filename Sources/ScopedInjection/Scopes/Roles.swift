extension EnvironmentScope {
    /// Gives a scope each role, for a test.
    package func takeEveryRole() {
        node.whileWriting {
            node.pointee.flags.insert(.everyRole)
            node.countDecisions()
            node.countChange()
        }
    }
}
