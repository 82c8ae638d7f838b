import Lessons

@main
enum Tour {
    static func main() async throws {
        let page = Page { print($0) }
        try await Lessons.run(on: page)
    }
}
