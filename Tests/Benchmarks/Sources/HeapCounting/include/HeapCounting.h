#ifndef HEAP_COUNTING_H
#define HEAP_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

/// What happened to the heap between `startCounting` and `stopCounting`.
typedef struct {
    /// Blocks asked for.
    int64_t allocations;
    /// Bytes in use at the end less those at the start, with what the allocator adds to each block.
    int64_t bytes;
} HeapChange;

/// Starts counting anew, on this thread. Does not nest.
void startCounting(void);

/// Stops counting and gives what was counted.
HeapChange stopCounting(void);

/// Whether each allocation of this thread is counted, and nothing else.
///
/// Where the allocator can only be asked for what is in use, blocks that are free again count as none, and those of
/// other threads count too.
bool countsExactly(void);

#endif
