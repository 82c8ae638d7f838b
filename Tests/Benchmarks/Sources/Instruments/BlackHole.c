#include "Instruments.h"

void blackHole(intptr_t value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}
