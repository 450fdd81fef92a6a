/// How many pixels differ between two images of ids of the same size (what one has more counts too).
pub fn differing(a: &[u32], b: &[u32]) -> usize {
    let same_length = a.len().min(b.len());
    // by the chunk, so that the inner sums are of 32 bits and go eight at a time
    let chunks = a[..same_length].chunks(4096).zip(b[..same_length].chunks(4096));
    let differ = |(a, b): (&[u32], &[u32])| a.iter().zip(b).map(|(a, b)| u32::from(a != b)).sum::<u32>();
    chunks.map(|c| differ(c) as usize).sum::<usize>() + a.len().abs_diff(b.len())
}

#[cfg(test)]
mod tests {
    use super::differing;

    #[test]
    fn counts_what_differs() {
        let a: Vec<u32> = (0..10_000).collect();
        let mut b = a.clone();
        assert_eq!(differing(&a, &b), 0);
        for k in [0, 4095, 4096, 9999] {
            b[k] += 1;
        }
        assert_eq!(differing(&a, &b), 4);
        assert_eq!(differing(&a, &b[..9_990]), 3 + 10);
    }
}
