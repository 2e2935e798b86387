import type { MicroAmounts } from './micro-options.ts';

/** The amounts for GPUs: half a minute on two H100s, and 256 MiB of memory on each. */
export const gpuAmounts: MicroAmounts = Object.freeze({
  bytes: 256 << 20,
  rounds: 7,
  turns: 200,
  ctas: Object.freeze([1, 2, 4, 8, 16, 32, 64, 128]),
  threads: 512,
  bytesPerCta: 4 << 20,
  graph: 20,
  launches: 10,
});
