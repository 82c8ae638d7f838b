import ScopedInjection

/// Discards, and what is read before, during and after them.
extension Runner {
    private func carryOut(_ discard: Program.Discard, noting discards: Box<Discards>) async {
        guard let scope = scope(discard.scope) else { return }
        let begin = Numeral.now()
        await Self.carryOut(discard, in: scope)
        note(discard, begunAt: begin, in: discards)
    }

    private static nonisolated(nonsending) func carryOut(_ discard: Program.Discard, in scope: EnvironmentScope) async {
        if let value = discard.value {
            await scope.discardBuiltValues({ _ in Numbered.all[value] })
        } else {
            await scope.discardBuiltValues()
        }
    }

    private func note(_ discard: Program.Discard, begunAt begin: Int, in discards: Box<Discards>) {
        let values = discard.value.map { [$0] } ?? Array(0..<Numbered.count)
        let discarded = values.map { ValueInScope(scope: discard.scope, value: $0) }
        discards.update { $0.add(discarded, begunAt: begin) }
    }

    mutating func carryOut(_ discard: Program.Discard) async {
        let noted = Box(discards)
        await carryOut(discard, noting: noted)
        discards = noted.value
        guard scope(discard.scope) != nil else { return }
        for value in discard.value.map({ [$0] }) ?? Array(0..<Numbered.count) { end(value, in: discard.scope) }
    }

    /// R3: a discard reaches what was built from the value wherever it is kept, and nothing else.
    mutating func compare(_ discard: Program.Discard) async throws(Difference) {
        let before = try readAll()
        try checkBegun()
        await carryOut(discard)
        let after = try readAll()
        for (place, numeral) in before where !discards.reach(numeral) && after[place] !== numeral {
            // In a closed scope it follows what it was built from.
            let all = [numeral] + numeral.parts
            if all.contains(where: { $0.stays && $0.home.value.map { model.scopes[$0.scope].isClosed } == true }) {
                continue
            }
            throw Difference(text: "\(place) is built anew, though nothing that it was built from was discarded")
        }
    }

    /// What all scopes see that is kept anywhere.
    private func readAll() throws(Difference) -> [ValueInScope: Numeral] {
        var kept: [ValueInScope: Numeral] = [:]
        for place in places {
            let numeral = try read(place.value, in: place.scope)
            if numeral?.home.value != nil { kept[place] = numeral }
        }
        return kept
    }

    private var places: [ValueInScope] {
        scopes.indices.flatMap { scope in (0..<Numbered.count).map { ValueInScope(scope: scope, value: $0) } }
    }

    /// R3, R5: a build that is under way is discarded, too: it may be given to who asked before, and to nobody else.
    mutating func carryOut(_ discard: Program.Discard, during build: Program.Stopped) async throws(Difference) {
        let (stops, stop) = AsyncStream.makeStream(of: Gate.self)
        let left = Box(build.times)
        await endAllThatStays()
        let world = world([build.read, build.other])
        var stopped = world
        stopped.pass = { value, isEnd in
            guard value == build.value, isEnd == build.isAtEnd else { return }
            let rest = left.update { left in
                left -= 1
                return left
            }
            if rest < 0 { return }
            let discarded = Gate()
            stop.yield(discarded)
            discarded.wait()
        }
        guard let reading = startReading(build.read, stopped, { stop.finish() }) else { return }
        var reads = [reading]
        var discardings: [Task<Void, Never>] = []
        for await discarded in stops {
            // It returns after the build, which it throws away; but no read is given what was there when it began.
            if let scope = scope(discard.scope) {
                let (begin, noted) = (Numeral.now(), Box(discards))
                discardings.append(startAtOnce { await Self.carryOut(discard, in: scope) })
                note(discard, begunAt: begin, in: noted)
                discards = noted.value
            }
            if let other = startReading(build.other, world) { reads.append(other) }
            // Until it waits for the build, probably.
            for _ in 0..<10 { await Task.yield() }
            discarded.open()
        }
        for discarding in discardings { await discarding.value }
        for read in reads {
            await read.end.passed()
            try compare(read.found.value, read.before, "\(read.place) during a discard")
            // Several inputs that change in each run are an error (R5).
            if build.times > 1 { continue }
            let expected = model.copy().read(read.place.value, in: read.place.scope)
            try compare(read.found.value, with: expected, "\(read.place) during a discard")
        }
        try noteBegun()
    }

    private typealias Reading = (place: ValueInScope, found: Box<Numeral?>, before: Discards, end: Gate)

    private func startReading(
        _ place: ValueInScope,
        _ world: Numbered.World,
        _ end: @escaping @Sendable () -> Void = {}
    ) -> Reading? {
        guard let scope = scope(place.scope) else { return nil }
        // Is emptied, because the thread may hold its closure for longer than that runs.
        let (asking, found) = (Box<EnvironmentScope?>(scope), Box<Numeral?>(nil))
        let gate = onThread {
            found.value = Numbered.$world.withValue(world) {
                try? asking.value?.value(for: { _ in Numbered.all[place.value] })
            }
            asking.value = nil
            end()
        }
        return (place, found, discards, gate)
    }

    /// The same where nobody knows how far each build is.
    mutating func carryOut(_ all: [Program.Discard], amid reads: [ValueInScope]) async throws(Difference) {
        await endAllThatStays()
        let (noted, scopes, world) = (Box(discards), Box(scopes), world(reads))
        async let found = given(reads, in: scopes, world, after: noted)
        for discard in all { await carryOut(discard, noting: noted) }
        for (read, values) in zip(reads, await found) {
            for (value, before) in values { try compare(value, before, "\(read) amid discards") }
        }
        discards = noted.value
        try noteBegun()
    }

    /// What builders have to know that read for these scopes while something is discarded.
    private func world(_ reads: [ValueInScope]) -> Numbered.World {
        var world = Numbered.World(recipes: program.recipes)
        if hasMovedPolicies { return world }
        // What stays is built for a scope further out.
        let asking = reads.filter { scope($0.scope) != nil }.flatMap { model.chain($0.scope).scopes }
        for scope in Set(asking) {
            world.homes[scope] = (0..<Numbered.count).map { model.copy().read($0, in: scope)?.home }
        }
        return world
    }
}
