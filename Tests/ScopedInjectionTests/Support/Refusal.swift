/// What a test throws, with a number that tells one from another.
struct Refusal: Error, Equatable { var code = 0 }

func refuse(_ code: Int) throws(Refusal) -> Int { throw Refusal(code: code) }

func refuseLater(_ code: Int) async throws(Refusal) -> Int {
    await Task.yield()
    throw Refusal(code: code)
}

/// The number of what a body throws, whose errors have this type.
func codeOfRefusal<Value>(_ body: () async throws(Refusal) -> Value) async -> Int? {
    do throws(Refusal) { _ = try await body() } catch { return error.code }
    return nil
}
