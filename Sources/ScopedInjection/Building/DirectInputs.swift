/// What a kept value was built from directly, as far as its flat inputs tell.
extension UnsafeMutablePointer where Pointee == Kept {
    /// The inputs that are no inputs of another one; the caller holds a line.
    ///
    /// What a value was built from comes before the value, so they are looked at from the end.
    func directInputs(in keeper: NodePointer) -> [Input] {
        var (direct, rest) = ([Input](), inputs[...])
        var covered = InputSet()
        while let input = rest.popLast() {
            let isInstance = input.isMarked
            if input.key == DefaultsPolicy.key.address || input.isOfOther
                || isInstance && ValueKey.at(input.key).role == nil
            {
                continue
            }
            if covered.contains(input) { continue }
            direct.append(isInstance ? Input(key: input.key, version: input.version) : input)
            // What that was built from is no input of this one.
            guard !isInstance, let kept = Look.find(input.key, past: input.past, from: keeper).cell?.kept else {
                continue
            }
            // Most often it stands there as a whole; then a row of values is not looked at again for each.
            if rest.last?.key == input.key, rest.last?.past == Input.instance { rest.removeLast() }
            let (others, start) = (kept.inputs, rest.endIndex - kept.inputs.count)
            if start >= 0, others.indices.allSatisfy({ inputs[start + $0] == others[$0] }) {
                rest.removeLast(others.count)
            } else {
                covered.add(others, hashes: kept.pointee.hashes)
            }
        }
        return direct.reversed()
    }
}
