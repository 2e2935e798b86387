/**
 * A hand-written replacement of the kernels, with plain loops over typed arrays in one thread. Four
 * ranks are unrolled. `heap` holds the ranks' buffers at the element offsets `bases`.
 */
export type HandWritten = (heap: Float32Array, bases: readonly number[], count: number) => void;

/** Sums element i of all ranks at once. */
export const allReduceOnHeap: HandWritten = (heap, bases, count) => {
  const [a = 0, b = 0, c = 0, d = 0] = bases;
  for (let i = 0; i < count; i++) {
    const sum = Math.fround(Math.fround(Math.fround(heap[a + i]! + heap[b + i]!) + heap[c + i]!) + heap[d + i]!);
    heap[a + i] = sum;
    heap[b + i] = sum;
    heap[c + i] = sum;
    heap[d + i] = sum;
  }
};

/** The same over one view for each rank. */
export const allReduceOnViews: HandWritten = (heap, bases, count) => {
  const [a, b, c, d] = bases.map((base) => heap.subarray(base, base + count));
  if (a === undefined || b === undefined || c === undefined || d === undefined) return;
  for (let i = 0; i < count; i++) {
    const sum = Math.fround(Math.fround(Math.fround(a[i]! + b[i]!) + c[i]!) + d[i]!);
    a[i] = sum;
    b[i] = sum;
    c[i] = sum;
    d[i] = sum;
  }
};

/** The ring's steps, rank after rank, on the heap. */
export const ringOnHeap: HandWritten = (heap, bases, count) => {
  const n = bases.length;
  const chunk = count / n;
  for (let k = 0; k < n - 1; k++) {
    for (let rank = 0; rank < n; rank++) {
      const at = ((rank + n - 1 - k) % n) * chunk;
      const own = bases[rank]! + at;
      const left = bases[(rank + n - 1) % n]! + at;
      for (let i = 0; i < chunk; i++) heap[own + i] = Math.fround(heap[own + i]! + heap[left + i]!);
    }
  }
  for (let k = 0; k < n - 1; k++) {
    for (let rank = 0; rank < n; rank++) {
      const at = ((rank + n - k) % n) * chunk;
      const own = bases[rank]! + at;
      const left = bases[(rank + n - 1) % n]! + at;
      for (let i = 0; i < chunk; i++) heap[own + i] = heap[left + i]!;
    }
  }
};

/** The same over views of the chunks. */
export const ringOnViews: HandWritten = (heap, bases, count) => {
  const n = bases.length;
  const chunk = count / n;
  const view = (rank: number, at: number): Float32Array => heap.subarray(bases[rank]! + at, bases[rank]! + at + chunk);
  for (let k = 0; k < n - 1; k++) {
    for (let rank = 0; rank < n; rank++) {
      const at = ((rank + n - 1 - k) % n) * chunk;
      const own = view(rank, at);
      const left = view((rank + n - 1) % n, at);
      for (let i = 0; i < chunk; i++) own[i] = own[i]! + left[i]!;
    }
  }
  for (let k = 0; k < n - 1; k++) {
    for (let rank = 0; rank < n; rank++) {
      const at = ((rank + n - k) % n) * chunk;
      const own = view(rank, at);
      const left = view((rank + n - 1) % n, at);
      for (let i = 0; i < chunk; i++) own[i] = left[i]!;
    }
  }
};
