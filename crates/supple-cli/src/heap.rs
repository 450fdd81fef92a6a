//! How much memory is in use.

use std::alloc::System;

use cap::Cap;

/// The system's allocator, which counts: two atomic additions per allocation, and steps do not allocate.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that are allocated now.
pub(crate) fn live_bytes() -> usize {
    HEAP.allocated()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_counts_until_it_is_freed() {
        const SIZE: usize = 1 << 28;
        let before = live_bytes();
        let room: Vec<u8> = Vec::with_capacity(SIZE);
        // other tests allocate meanwhile, but not that much
        let with = live_bytes();
        assert!(with > before + SIZE / 2, "{before} {with}");
        drop(std::hint::black_box(room));
        assert!(live_bytes() < before + SIZE / 2);
    }
}
