import Git
import ScopedInjection
import ScopedInjectionTesting
import ScopedInjectionValues

// A program that links what tests link is no test process.
EnvironmentScope.global { $0.token = "\(TestIDs().next())" }
print(EnvironmentScope.global.limit, EnvironmentScope.empty("app", parent: nil).folder)
