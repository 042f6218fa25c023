export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value that so many of a hundred are below. */
export function percentile(values: readonly number[], of100: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.floor((sorted.length * of100) / 100)];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}
