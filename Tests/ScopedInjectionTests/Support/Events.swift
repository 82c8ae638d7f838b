import ScopedInjection

extension EnvironmentScope {
    /// What observers of the scope are told from now on, of one kind where one is given.
    func events(of kind: ScopeEvent.Kind? = nil) -> Box<[ScopeEvent]> {
        let events = Box<[ScopeEvent]>([])
        observe { event in if kind == nil || event.kind == kind { events.update { $0.append(event) } } }
        return events
    }
}
