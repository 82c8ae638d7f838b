import Dispatch
import Foundation
import ScopedInjection
import Testing

// The examples in the comments of the library: compiled, and not run. The articles have examples that are run.

// MARK: Declarations

extension ScopeValues {
    // ⟨Deferred.swift: static var connection⟩
}

enum OfDeferred {
    // ⟨Deferred.swift: static var greeting⟩
}

// ⟨ScopeRole.swift: extension ScopeRole⟩

extension ScopeRole {
    // ⟨ScopeRole.swift: static var connection⟩
}

enum OfLifetimes {
    // ⟨ValueLifetime.swift: static var transaction⟩
}

enum OfScopeValue {
    // ⟨ScopeValue.swift: static var port⟩
    // ⟨ScopeValue.swift: static var database⟩
    // ⟨ScopeValue.swift: static var token⟩
    // ⟨ScopeValue.swift: static var user⟩
}

enum InTests {
    // ⟨ScopeValue+InTests.swift: static var retries⟩
    // ⟨ScopeValue+InTests.swift: static var git⟩
    // ⟨ScopeValue+InTests.swift: static var logger⟩
    // ⟨ScopeValue+InTests.swift: static var tracer⟩
}

enum OfScopeReader {
    // ⟨ScopeReader.swift: static var database⟩
    static var sized: ScopeValue<Pool> {
        // ⟨ScopeReader.swift: reader.poolSize⟩
    }
    static var search: ScopeValue<Search> {
        // ⟨ScopeReader.swift: BetaSearch()⟩
    }
    static var client: ScopeValue<Client> {
        // ⟨ScopeReader.swift: reader.valueIfAny⟩
    }
    static var pool: ScopeValue<Pool> {
        // ⟨ScopeReader.swift: pool.shutdown()⟩
    }
    static var traced: ScopeValue<Client> {
        .lazy { reader in
            let span = Span()
            // ⟨ScopeReader.swift: reader.onClose { span⟩
            return try Client(token: reader.valueIfAny(for: \.token))
        }
    }
    // ⟨ScopeReader.swift: static var replica⟩
}

// ⟨Injected.swift 1: struct Handler⟩

struct Reading {
    // ⟨Injected.swift: @Injected(\.database)⟩
}

enum Throws {
    // ⟨Injected.swift: try $database.value()⟩
}

// ⟨ScopeView.swift: struct Page⟩

// MARK: Statements

func makingScopes(user: User, handler: Plain) throws {
    // ⟨EnvironmentScope.swift 1: let app = try EnvironmentScope("app") {⟩
    withExtendedLifetime(test) {}
}

func makingAScopeThatThrows() throws {
    // ⟨EnvironmentScope.swift 2: let app = try EnvironmentScope("app") {⟩
    withExtendedLifetime(app) {}
}

func makingAScopeLater() async throws {
    // ⟨EnvironmentScope.swift: let app = try await⟩
    withExtendedLifetime(app) {}
}

func makingAnEmptyScope(app: EnvironmentScope) {
    // ⟨EnvironmentScope.swift: let scope⟩
    withExtendedLifetime(scope) {}
}

func askingForTheParent(app: EnvironmentScope, request: EnvironmentScope) {
    // ⟨EnvironmentScope.swift: #expect(request.parent⟩
    // ⟨EnvironmentScope.swift: #expect(request.role⟩
}

func namingAValue(app: EnvironmentScope) {
    // ⟨ScopeValues.swift: app.provide⟩
    withExtendedLifetime(beta) {}
}

func makingAScopeForATest() {
    // ⟨DefaultsPolicy.swift: let test⟩
    withExtendedLifetime(test) {}
}

func copying(_ app: EnvironmentScope) {
    do {
        // ⟨EnvironmentScope+Values.swift: .with(\.port, 9090)⟩
        withExtendedLifetime(test) {}
    }
    // ⟨EnvironmentScope+Values.swift: .with(\.settings.url⟩
    withExtendedLifetime(test) {}
}

func entering(request: EnvironmentScope, handler: Throwing) throws {
    // ⟨EnvironmentScope+Running.swift: EnvironmentScope.global {⟩
    // ⟨EnvironmentScope+Running.swift: let answer⟩
    // ⟨EnvironmentScope.swift: let port⟩
    withExtendedLifetime((answer, port)) {}
}

func entering(app: EnvironmentScope, request: EnvironmentScope, user: User, handler: Failing) async throws {
    // ⟨EnvironmentScope+Running.swift: try await request⟩
    // ⟨EnvironmentScope+Running.swift: try await EnvironmentScope.global⟩
    // ⟨EnvironmentScope+Running.swift: try await app.withChild("request"⟩
    // ⟨EnvironmentScope.swift: let metadata⟩
    print(metadata)
}

func closing(app: EnvironmentScope, request: EnvironmentScope, job: Failing, connection: Connection) async throws {
    let (span, logger) = (Span(), Logger(label: "app"))
    // ⟨EnvironmentScope+Running.swift: try await app.withChild("job", role⟩
    // ⟨EnvironmentScope+Running.swift: app.onClose⟩
    // ⟨EnvironmentScope+Running.swift: request.onClose⟩
    // ⟨EnvironmentScope+Values.swift: await app.discardBuiltValues(⟩
    // ⟨EnvironmentScope+Running.swift: await app.close()⟩
    // ⟨EnvironmentScope+Running.swift: for name in await app.close⟩
}

struct Response {
    enum Status { case ok, serviceUnavailable }
    let status: Status
}

func responding(app: EnvironmentScope) -> Response {
    let answer = Response(status: .ok)
    // ⟨EnvironmentScope+Running.swift: if app.isClosing⟩
    return answer
}

func serve(_ app: EnvironmentScope) async throws {}

func running() async throws {
    // ⟨EnvironmentScope+Running.swift: try await EnvironmentScope.withScope⟩
}

func updating(app: EnvironmentScope) async throws {
    // ⟨EnvironmentScope+Updating.swift: try app.update {⟩
    // ⟨EnvironmentScope+Updating.swift: try app.update(rebuilding⟩
    // ⟨EnvironmentScope+Updating.swift: try await app.reload {⟩
    // ⟨EnvironmentScope+Updating.swift: try await app.reload(rebuilding⟩
}

func preparing(app: EnvironmentScope) async throws {
    // ⟨EnvironmentScope+Reading.swift: try await app.prepare(\.⟩
    // ⟨EnvironmentScope+Reading.swift: try await app.prepare(within⟩
}

func binding(scope: EnvironmentScope, queue: DispatchQueue, handler: Plain) {
    // ⟨EnvironmentScope+Binding.swift: queue.async⟩
    // ⟨EnvironmentScope+Binding.swift: let parse⟩
    withExtendedLifetime(parse) {}
}

func binding(handler: Waiting) {
    // ⟨EnvironmentScope+Binding.swift: Task.detached⟩
}

func binding(events: Events, handler: EventHandler) async {
    // ⟨EnvironmentScope+Binding.swift: await events.forEach⟩
}

func binding(database: Transactions, note: Note) async throws {
    // ⟨EnvironmentScope+Binding.swift: try await database.transaction⟩
}

func references(_ app: EnvironmentScope, controller: Service, users: Service, orders: Service, handler: Handler)
    async throws
{
    // ⟨EnvironmentScope+Replacing.swift: test.replaceInValues()⟩
    // ⟨EnvironmentScope+Replacing.swift: let service⟩
    // ⟨EnvironmentScope+Replacing.swift: test.replace(in: [users, orders])⟩
    // ⟨EnvironmentScope+Replacing.swift: test.replace(in: users, orders)⟩
    // ⟨EnvironmentScope+Replacing.swift: try app.validateReferences(in: controller⟩
    // ⟨EnvironmentScope+Replacing.swift: try await app.validateChild⟩
    // ⟨Injected.swift: let beta⟩
    // ⟨Injected.swift: let address⟩
    withExtendedLifetime((beta, address)) {}
}

func connect(with token: Token) {}

func values(app: EnvironmentScope, request: EnvironmentScope, scope: EnvironmentScope) throws {
    // ⟨EnvironmentScope+Reading.swift: scope.port⟩
    // ⟨EnvironmentScope+Reading.swift: let token⟩
    connect(with: token)
    // ⟨EnvironmentScope+Reading.swift: if let token⟩
    // ⟨EnvironmentScope+Reading.swift: app[ScopeValues⟩
    // ⟨EnvironmentScope+Reading.swift: request.localValue⟩
    // ⟨EnvironmentScope+Reading.swift: try app.validate(\.⟩
    // ⟨EnvironmentScope+Values.swift: app.provide⟩
    // ⟨EnvironmentScope+Values.swift: app.decorate⟩
    // ⟨EnvironmentScope+Values.swift: app.modify⟩
    // ⟨EnvironmentScope+Values.swift: request.removeValue⟩
    // ⟨EnvironmentScope+Values.swift: scope.alias⟩
    withExtendedLifetime(database) {}
}

func seeing(app: EnvironmentScope, request: EnvironmentScope, scope: EnvironmentScope, file: URL) throws {
    let logger = Logger(label: "app")
    // ⟨ScopeError.swift: do {⟩
    // ⟨EnvironmentScope+Seeing.swift: print⟩
    // ⟨ScopeExplanation.swift: logger.info⟩
    // ⟨ScopeGraph.swift: print⟩
    // ⟨EnvironmentScope+Seeing.swift: try app.graph⟩
    // ⟨EnvironmentScope+Seeing.swift: app.observe⟩
    // ⟨ScopeEvent.swift: app.observe⟩
}

func awaiting(_ scope: EnvironmentScope) async throws {
    // ⟨Deferred.swift: let connection⟩
    // ⟨Deferred.swift: if let connection⟩
    withExtendedLifetime(connection) {}
}
