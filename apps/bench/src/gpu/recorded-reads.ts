import { decorateBackend } from '@nccl-ts/conformance';
import type { Backend } from '@nccl-ts/transport';

/** The values that the host read from one rank's memory, in order. */
export type Reads = ReadonlyMap<number, readonly Uint8Array[]>;

/** A backend that keeps a copy of all data read from its worlds. */
export function recordReads(backend: Backend): { readonly backend: Backend; take(): Reads } {
  let reads = new Map<number, Uint8Array[]>();
  return {
    backend: decorateBackend(backend, (world) => ({
      read: async (buffer, into, offset) => {
        await world.read(buffer, into, offset);
        const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength).slice();
        const ofRank = reads.get(buffer.rank) ?? [];
        reads.set(buffer.rank, ofRank);
        ofRank.push(bytes);
      },
    })),
    take: () => {
      const taken = reads;
      reads = new Map();
      return taken;
    },
  };
}

/** The difference between two recordings of the same case. */
export interface Difference {
  readonly rank: number;
  readonly read: number;
  readonly byte: number;
  readonly a: string;
  readonly b: string;
}

export interface Comparison {
  readonly bytes: number;
  readonly differences: readonly Difference[];
  /** The number of positions where the bytes differ but both are NaN in a float type. */
  readonly nans: number;
}

const mostDifferences = 4;

/** Compares byte for byte; NaN equals NaN, with any bits. */
export function compareReads(a: Reads, b: Reads): Comparison {
  const differences: Difference[] = [];
  let bytes = 0;
  let nans = 0;
  for (const rank of new Set([...a.keys(), ...b.keys()])) {
    const [readsOfA, readsOfB] = [a.get(rank) ?? [], b.get(rank) ?? []];
    if (readsOfA.length !== readsOfB.length) {
      differences.push({ rank, read: -1, byte: -1, a: `${readsOfA.length} reads`, b: `${readsOfB.length} reads` });
      continue;
    }
    for (const [read, x] of readsOfA.entries()) {
      const y = readsOfB[read] ?? new Uint8Array();
      bytes += x.length;
      if (x.length !== y.length) {
        differences.push({ rank, read, byte: -1, a: `${x.length} bytes`, b: `${y.length} bytes` });
        continue;
      }
      for (let i = 0; i < x.length; i++) {
        if (x[i] === y[i]) continue;
        const end = nanEnd(x, y, i);
        if (end !== undefined) {
          nans++;
          i = end - 1;
          continue;
        }
        const at = i & ~7;
        if (differences.length < mostDifferences) {
          differences.push({ rank, read, byte: i, a: hex(x.subarray(at, at + 8)), b: hex(y.subarray(at, at + 8)) });
        }
        i = at + 7;
      }
    }
  }
  return { bytes, differences, nans };
}

const isNan: Readonly<Record<2 | 4 | 8, (view: DataView, at: number) => boolean>> = {
  2: (view, at) => {
    const bits = view.getUint16(at, true) & 0x7fff;
    return bits > 0x7c00;
  },
  4: (view, at) => Number.isNaN(view.getFloat32(at, true)),
  8: (view, at) => Number.isNaN(view.getFloat64(at, true)),
};

/** The end of the float at byte `i`, if both are NaN there at some width. */
function nanEnd(x: Uint8Array, y: Uint8Array, i: number): number | undefined {
  const [u, v] = [new DataView(x.buffer, x.byteOffset), new DataView(y.buffer, y.byteOffset)];
  for (const width of [8, 4, 2] as const) {
    const at = i - (i % width);
    if (at + width <= x.length && isNan[width](u, at) && isNan[width](v, at)) return at + width;
  }
  return undefined;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
