import { expectInteger } from '@nccl-ts/core';
import type { Allocation } from '../memory/allocation.ts';
import type { RankSetup } from '../rank-setup.ts';
import type { ImageWriter } from '../memory/memory-image.ts';
import { invalid, memoryType, type MemoryType, type TypedValueOf } from '../memory/memory-type.ts';
import type { Pointer } from '../memory/pointer.ts';
import { u8 } from '../scalar-types.ts';

/**
 * The versions of NCCL whose structs are known here. `2.29` is 2.29.7, which has a larger
 * `ncclDevComm` than earlier patches.
 */
export type NcclVersion = '2.28' | '2.29.3' | '2.29' | '2.30' | '2.31' | '2.32';

/** The offsets of the fields of a window that load-store kernels read. */
export interface WindowFields {
  readonly lsaFlatBase: number;
  /** Absent if the window does not have the ranks. */
  readonly lsaRank?: number;
  readonly worldRank?: number;
  readonly stride4G: number;
  readonly mcOffset4K: number;
}

/**
 * The offsets of the fields of `ncclDevComm` that load-store kernels read, as a compiler reports
 * them for the version's headers.
 */
export interface NcclDevCommLayout {
  readonly bytes: number;
  readonly rank: number;
  readonly nRanks: number;
  readonly nRanksRcp32: number;
  readonly lsaRank: number;
  readonly lsaSize: number;
  readonly lsaSizeRcp32: number;
  readonly resourceWindow: number;
  /** The offset in bytes of the inlined copy of the resource window. */
  readonly resourceWindowInlined: WindowFields;
  readonly lsaMultimem: number;
  readonly lsaBarrier: number;
  /** Absent if the struct has none. */
  readonly abortFlag?: number;
  /** The size of `ncclWindow_vidmem`, which has the same first fields in all versions. */
  readonly windowBytes: number;
}

const from228: NcclDevCommLayout = Object.freeze({
  bytes: 200,
  rank: 0,
  nRanks: 4,
  nRanksRcp32: 8,
  lsaRank: 12,
  lsaSize: 16,
  lsaSizeRcp32: 20,
  resourceWindow: 32,
  resourceWindowInlined: windowAt(40),
  lsaMultimem: 112,
  lsaBarrier: 120,
  windowBytes: 72,
});

const from231: NcclDevCommLayout = Object.freeze({
  bytes: 248,
  rank: 8,
  nRanks: 12,
  nRanksRcp32: 16,
  lsaRank: 20,
  lsaSize: 24,
  lsaSizeRcp32: 28,
  resourceWindow: 40,
  resourceWindowInlined: Object.freeze({ lsaFlatBase: 48, stride4G: 56, mcOffset4K: 60 }),
  lsaMultimem: 72,
  lsaBarrier: 80,
  abortFlag: 168,
  windowBytes: 88,
});

/** The layouts of 2.28.9, 2.29.3, 2.29.7, 2.30.4 (and 2.30.7), 2.31.2 and 2.32.3. */
export const ncclLayouts: Readonly<Record<NcclVersion, NcclDevCommLayout>> = /* @__PURE__ */ Object.freeze({
  '2.28': from228,
  '2.29.3': from228,
  '2.29': Object.freeze({ ...from228, bytes: 224, abortFlag: 216 }),
  '2.30': Object.freeze({
    ...from231,
    bytes: 240,
    resourceWindowInlined: windowAt(48),
    lsaMultimem: 120,
    lsaBarrier: 128,
    abortFlag: 208,
  }),
  '2.31': from231,
  '2.32': Object.freeze({ ...from231, windowBytes: 96 }),
});

/** Writes an `ncclWindow_vidmem`, starting at a byte. */
function windowAt(start: number): WindowFields {
  return Object.freeze({
    lsaFlatBase: start + 8,
    lsaRank: start + 16,
    worldRank: start + 20,
    stride4G: start + 24,
    mcOffset4K: start + 28,
  });
}

export interface NcclDevCommOptions {
  readonly version: NcclVersion;
  /** `lsaBarrierCount` of the requirements. @default 0 */
  readonly lsaBarriers?: number;
  /** True if there is multicast over the LSA team. @default true */
  readonly multimem?: boolean;
}

type Setup = Pick<RankSetup, 'rank' | 'nRanks' | 'alloc' | 'peer' | 'multicast'>;

/**
 * Makes a window of NCCL over an allocation, with all ranks in one load-store domain. Returns the
 * allocation to which `ncclWindow_t` points. The addresses of the ranks' copies are 4 GiB apart, as
 * in the simulator. GIN's fields are zero.
 */
export function ncclWindow(
  setup: Setup,
  allocation: Allocation,
  { version, multimem = true }: Pick<NcclDevCommOptions, 'version' | 'multimem'>,
): Allocation {
  const { windowBytes } = layoutOf(version);
  const type = memoryType<null>({
    typeName: 'ncclWindow_vidmem',
    bytes: windowBytes,
    align: 8,
    encode: (into, at) => writeWindow(into, at, windowAt(0), setup, allocation, multimem),
  });
  return setup.alloc(`window of ${allocation.name}`, type, 1, [null]);
}

/**
 * Makes an `ncclDevComm` by value, and its resource window, for kernels that load and store. It
 * supports barriers of the LSA team, and multicast. All ranks are in one load-store domain. There
 * is no GIN, and the abort flag is null.
 *
 * @example
 * setup(setup) {
 *   const data = setup.alloc('data', f32, 1024, (i) => setup.rank + i);
 *   const version = '2.30';
 *   const window = ncclWindow(setup, data, { version });
 *   // (ncclWindow_t window, size_t offset, size_t count, ncclDevComm devComm)
 *   return { args: [window, 0, 1024, ncclDevComm(setup, { version, lsaBarriers: 4 })] };
 * }
 */
export function ncclDevComm(setup: Setup, options: NcclDevCommOptions): TypedValueOf<null> {
  const { version, lsaBarriers = 0, multimem = true } = options;
  const layout = layoutOf(version);
  const { rank, nRanks, alloc } = setup;
  expectInteger('ncclDevComm: lsaBarriers', lsaBarriers, 0);
  // Two epochs, an inbox for multicast, and an inbox for each rank.
  const words = lsaBarriers * (3 + nRanks);
  const resources = alloc('resource window', u8, Math.max(128, 4 * words));
  const window = ncclWindow(setup, resources, { version, multimem });
  const type: MemoryType<null> = memoryType<null>({
    typeName: `ncclDevComm of ${version}`,
    bytes: layout.bytes,
    align: 8,
    known: layout.abortFlag === undefined ? [] : [{ offset: layout.abortFlag, value: 0n }],
    ranges: [layout.lsaMultimem],
    encode: (into, at) => {
      const { view } = into;
      view.setInt32(at + layout.rank, rank, true);
      view.setInt32(at + layout.nRanks, nRanks, true);
      view.setUint32(at + layout.nRanksRcp32, reciprocal(nRanks), true);
      view.setInt32(at + layout.lsaRank, rank, true);
      view.setInt32(at + layout.lsaSize, nRanks, true);
      view.setUint32(at + layout.lsaSizeRcp32, reciprocal(nRanks), true);
      into.pointer(at + layout.resourceWindow, window.own);
      writeWindow(into, at, layout.resourceWindowInlined, setup, resources, multimem);
      if (multimem) into.pointer(at + layout.lsaMultimem, setup.multicast(resources), 'above 4 GiB');
      // The barriers are at the start of the resource window, which is handle 0.
      view.setInt32(at + layout.lsaBarrier + 4, lsaBarriers, true);
    },
  });
  return { kind: 'value', type, value: null };
}

function writeWindow(
  into: ImageWriter,
  at: number,
  fields: WindowFields,
  setup: Setup,
  allocation: Allocation,
  multimem: boolean,
): void {
  const first: Pointer = setup.peer(allocation, 0);
  into.pointer(at + fields.lsaFlatBase, first);
  for (const field of [fields.lsaRank, fields.worldRank]) {
    if (field !== undefined) into.view.setInt32(at + field, setup.rank, true);
  }
  into.view.setUint32(at + fields.stride4G, 1, true);
  if (multimem) into.pointer(at + fields.mcOffset4K, setup.multicast(allocation), 'page below 4 GiB');
}

/**
 * NCCL's factor for dividing by a number: the largest 32-bit number divided by it, plus one for
 * powers of two. It is 0 for 1.
 */
function reciprocal(x: number): number {
  const isPowerOfTwo = (x & (x - 1)) === 0;
  return (Math.floor((2 ** 32 - 1) / x) + Number(isPowerOfTwo)) % 2 ** 32;
}

function layoutOf(version: NcclVersion): NcclDevCommLayout {
  const layout = Object.hasOwn(ncclLayouts, version) ? ncclLayouts[version] : undefined;
  if (layout !== undefined) return layout;
  throw invalid(`the structs of NCCL ${version} are not known here; there are ${Object.keys(ncclLayouts).join(', ')}.`);
}
