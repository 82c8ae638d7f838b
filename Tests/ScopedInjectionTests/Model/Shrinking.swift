/// Makes a program that differs from the model as short as possible.
enum Shrinking {
    /// Leaves out one step after the other, as long as a difference remains.
    static func shrunk(_ program: Program) async -> Program {
        var program = program
        var index = program.steps.count - 1
        while index >= 0 {
            var shorter = program
            shorter.steps.remove(at: index)
            if await Runner.difference(in: shorter) != nil { program = shorter }
            index -= 1
        }
        for value in program.recipes.indices {
            while let last = program.recipes[value].steps.indices.last {
                var shorter = program
                shorter.recipes[value].steps.remove(at: last)
                guard await Runner.difference(in: shorter) != nil else { break }
                program = shorter
            }
        }
        return program
    }
}
