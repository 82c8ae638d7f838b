import ScopedInjection
import ScopedInjectionTesting

func right(_ update: @escaping @Sendable (EnvironmentScope) -> Void) -> ScopeTrait { .scope(nil, update) }

func wrong(_ update: @escaping @Sendable (EnvironmentScope) -> Void) -> ScopeTrait {
    // error: cannot convert value of type '@Sendable (EnvironmentScope) -> Void' to expected argument type 'String'
    .scope(update)
}
