/// What a kept value was built from directly, as far as its flat inputs tell.
extension UnsafeMutablePointer where Pointee == Kept {
    /// The inputs that are no inputs of another one; the caller holds a line.
    ///
    /// What a value was built from comes before the value, so they are looked at from the end.
    func directInputs(in keeper: NodePointer) -> [Input] {
        var covered: Set<Input> = []
        var direct: [Input] = []
        for input in inputs.reversed()
        where input.key != DefaultsPolicy.key.address
            && (input.past != Input.instance || ValueKey.at(input.key).role != nil)
        {
            guard covered.insert(input).inserted else { continue }
            // What that was built from is no input of this one.
            if input.past == Input.instance {
                direct.append(Input(key: input.key, version: input.version))
                continue
            }
            direct.append(input)
            if case .cell(let cell, _, _) = Look.find(input.key, past: input.past, from: keeper), let kept = cell.kept {
                covered.formUnion(kept.inputs)
            }
        }
        return direct.reversed()
    }
}
