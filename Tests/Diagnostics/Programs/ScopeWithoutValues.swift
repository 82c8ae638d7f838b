import ScopedInjection

// An initialiser that says to use `EnvironmentScope.empty` crashes the compiler where a configuration has an error.
// error: missing argument for parameter #5 in call
let scope = EnvironmentScope("app")
