export interface BenchRow {
  readonly ip: string;
  readonly name: string;
  readonly state: string;
  readonly seen: string;
}

export const rowAt = (index: number, state = "bound"): BenchRow => ({
  ip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  name: `laptop-${(index * 7_919) % 100_003}`,
  state,
  seen: new Date(Date.UTC(2026, 10, 15, 12) - index * 1_000).toISOString(),
});
