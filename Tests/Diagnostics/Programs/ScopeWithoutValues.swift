import ScopedInjection

// An initialiser that says to use `EnvironmentScope.empty` crashes the compiler where a configuration has an error.
// error: missing argument for parameter #4 in call
let scope = EnvironmentScope("app")
