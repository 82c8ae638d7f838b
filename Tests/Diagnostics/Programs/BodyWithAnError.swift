import ScopedInjection

func use(_ scope: EnvironmentScope) {
    scope {
        // error: cannot convert value of type 'String' to specified type 'Int'
        let port: Int = scope.databasePath
        print(port)
    }
}
