/** Runs at most every `pause` milliseconds, and once more at the end if it was asked for meanwhile. */
export function throttled(pause: number, run: () => void): () => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | null = null;
  return () => {
    if (timer !== null) return;
    timer = setTimeout(
      () => {
        timer = null;
        last = performance.now();
        run();
      },
      Math.max(0, pause - (performance.now() - last)),
    );
  };
}
