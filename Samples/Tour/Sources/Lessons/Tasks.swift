import ScopedInjection

/// How far a scope reaches, and how it is carried further.
enum Tasks: Lesson {
    static let title = "Tasks"

    static func run(on page: Page) async {
        let request = EnvironmentScope("request", parent: nil) { $0.user = "alice" }
        let name: @Sendable () -> String = { EnvironmentScope.current.name ?? "unnamed" }

        page.say("A scope is current for the code inside: on this thread, in child tasks, and in tasks started there.")
        page.show("let name = { EnvironmentScope.current.name }")
        await request {
            async let child = name()
            let task = Task { name() }
            page.show("name()", name())
            page.show("async let child = name()", await child)
            page.show("Task { name() }", await task.value)
        }
        page.show("name() // outside again", name())

        page.say("Detached tasks, queues and foreign threads start with the global scope; bind carries another there.")
        await request {
            page.show("Task.detached { name() }", await Task.detached { name() }.value)
            let bound = request.bind { name() }
            page.show("Task.detached { bound() }", await Task.detached { bound() }.value)
        }

        page.say("A closure that is bound may take arguments, and may be called anywhere.")
        let greet = request.bind { (greeting: String) in
            "\(greeting), \(EnvironmentScope.current.user ?? "stranger")!"
        }
        page.show("let greet = request.bind { (greeting: String) in … }")
        page.show("greet(\"Hello\")", greet("Hello"))

        page.say("Requests that run at once see nothing of each other.")
        page.show("await EnvironmentScope.global.withChild(user) { $0.user = user } operation: { … }")
        let users = await withTaskGroup(of: String.self) { group in
            for user in ["alice", "bob", "carol"] {
                group.addTask {
                    await EnvironmentScope.global.withChild(user) {
                        $0.user = user
                    } operation: {
                        await Task.yield()
                        return "\(user) sees \(EnvironmentScope.current.user ?? "nobody")"
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        for line in users { page.quote(line) }
    }
}
