import Git
import ScopedInjection

// A placeholder is given, and a line written, where no test runs; an endpoint that throws throws.
let client: () throws -> String = { try unimplemented("client") }
let answer = unimplemented("answer", placeholder: "a placeholder")
do {
    _ = try client()
} catch {
    print("\(error) \(answer)")
}
EnvironmentScope.global { $0.token = "secret" }
print(try Release().next(), Release().place, Release().maximum)
