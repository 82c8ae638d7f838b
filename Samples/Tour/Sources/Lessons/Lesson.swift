/// One lesson of the tour: a title, and code that shows on a page what it does.
protocol Lesson {
    static var title: String { get }
    static func run(on page: Page) async throws
}

/// The lessons, in order.
public enum Lessons {
    /// Runs all lessons.
    public static func run(on page: Page) async throws {
        let all: [any Lesson.Type] = [
            Scopes.self, Building.self, Order.self, References.self, Tasks.self, Closing.self, Errors.self,
        ]
        for (index, lesson) in all.enumerated() {
            page.begin(number: index + 1, title: lesson.title)
            try await lesson.run(on: page)
        }
    }
}
