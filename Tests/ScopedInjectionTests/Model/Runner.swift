import ScopedInjection

/// Runs a program on scopes and on the model side by side.
struct Runner {
    struct Difference: Error { let text: String }

    var model: Model
    var scopes: [EnvironmentScope?] = []
    var discards = Discards()
    /// What has begun and stays.
    var begun: [ValueInScope: Numeral] = [:]
    /// The same as the model knows it.
    var ids: [ValueInScope: Int] = [:]
    let program: Program

    /// The first difference, as text; nil if there is none.
    static func difference(in program: Program) async -> String? {
        await Numbered.$world.withValue(Numbered.World(recipes: program.recipes)) {
            var runner = Runner(program)
            do throws(Difference) {
                for step in program.steps {
                    try await runner.run(step)
                    try runner.checkBegun()
                }
                return nil
            } catch { return error.text }
        }
    }

    /// What the last read of a program gives, with or without the reads before it.
    static func lastRead(of program: Program, isRead: Bool) async -> Int? {
        await Numbered.$world.withValue(Numbered.World(recipes: program.recipes)) {
            var runner = Runner(program)
            var last: (Int, Int)?
            for step in program.steps {
                switch step {
                case .read(let scope, let value):
                    last = (scope, value)
                    if !isRead { continue }
                case .readTogether, .discardDuring, .discardAmid: if !isRead { continue }
                case .discard(let discard, _) where !isRead:
                    await runner.carryOut(discard)
                    continue
                default: break
                }
                try? await runner.run(step)
            }
            guard let (at, value) = last, let scope = runner.scope(at) else { return nil }
            return (try? scope.value(for: { _ in Numbered.all[value] }))?.number
        }
    }

    private init(_ program: Program) {
        self.program = program
        model = Model(recipes: program.recipes)
    }

    func scope(_ number: Int) -> EnvironmentScope? { scopes.indices.contains(number) ? scopes[number] : nil }

    private mutating func run(_ step: Program.Step) async throws(Difference) {
        switch step {
        case .make(let parent, let policy, let role):
            let above = parent.flatMap { scope($0) }
            let isUnderGlobal = parent != nil && parent == model.global
            scopes.append(.empty("\(scopes.count)", role: role?.scopeRole, parent: above, defaults: policy))
            model.scopes.append(
                Model.Scope(
                    parent: above == nil ? nil : isUnderGlobal ? Model.underGlobal : parent,
                    policy: policy,
                    role: role
                )
            )
            // What begins below a closed scope may go with what that keeps, which does not stay.
            if let parent, above != nil, program.hasRoles,
                model.chain(parent).scopes.contains(where: { model.scopes[$0].isClosed })
            {
                await scopes.last??.close()
                model.scopes[scopes.count - 1].isClosed = true
            }
            if program.isGlobal, scopes.count == 1 { replaceGlobal(by: 0) }
        case .set(let at, let value, let number): try change(at, .set(value, number))
        case .remove(let at, let value): try change(at, .remove(value))
        case .provide(let at, let value, let recipe): try change(at, .provide(value, recipe))
        case .decorate(let at, let value, let recipe): try change(at, .decorate(value, recipe))
        case .drop(let at):
            guard scope(at) != nil, at != model.global else { return }
            scopes[at] = nil
            model.scopes[at].isGone = true
        case .close(let at):
            // With all further in, where what was built from values of this scope would else stay.
            for (number, scope) in scopes.enumerated().reversed() where model.chain(number).scopes.contains(at) {
                await scope?.close()
                model.scopes[number].isClosed = true
            }
        case .discard(let discard, isCompared: false): await carryOut(discard)
        case .discard(let discard, isCompared: true): try await compare(discard)
        case .discardDuring(let discard, let build): try await carryOut(discard, during: build)
        case .discardAmid(let reads, let discards): try await carryOut(discards, amid: reads)
        case .replaceGlobal(let at): replaceGlobal(by: at)
        case .update(let at, let changes, let renewed): try update(at, changes, renewed)
        case .look(let at, let value):
            guard let scope = scope(at) else { return }
            let explanation = scope.explain({ _ in Numbered.all[value] })
            _ = (explanation.description, scope.graph.mermaid, scope.debugDescription)
            guard let keeper = explanation.keptIn.flatMap(Int.init) else { return }
            if explanation.keptBecause?.hasPrefix("no scope decides") == true, self.scope(keeper)?.parent != nil {
                throw Difference(text: "\(at).\(value) is kept in \(keeper) for no reason")
            }
        case .read(let at, let value): try readAndCompare(value, at)
        case .readTogether(let reads): try await readTogether(reads)
        }
    }

    private mutating func replaceGlobal(by number: Int) {
        guard let scope = scope(number), model.scopes[number].parent == nil, model.scopes[number].role == nil,
            !isClosed(number),
            model.global.map({ !isClosed($0) }) ?? true
        else { return }
        EnvironmentScope.global = scope
        model.global = number
    }

    /// Whether the scope, or one further out, is closed.
    func isClosed(_ number: Int) -> Bool { model.chain(number).scopes.contains { model.scopes[$0].isClosed } }
}
