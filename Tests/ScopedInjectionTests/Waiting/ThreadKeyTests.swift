import Testing

@testable import ScopedInjection

/// The key of the thread's state is kept as a word, whatever integer the system makes keys of.
@Suite(.programRoots) struct ThreadKeyTests {
    /// Android sets the highest bit of each key, and its keys are signed.
    @Test(arguments: [0, 1, 127, .min, .min | 3] as [Int32]) func aSignedKeyIsTheSameBehindItsWord(key: Int32) {
        let word = ThreadKey.word(of: key)
        #expect(word != 0)
        #expect(ThreadKey.key(of: word) == key)
    }

    @Test(arguments: [0, 1, 127, 1 << 31, .max - 1] as [UInt]) func anUnsignedKeyIsTheSameBehindItsWord(key: UInt) {
        let word = ThreadKey.word(of: key)
        #expect(word != 0)
        #expect(ThreadKey.key(of: word) == key)
    }

    @Test func beforeThereIsAKeyItsWordIsZero() { #expect(ThreadKey.key(of: 0) == UInt32?.none) }
}
