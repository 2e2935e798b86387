import { expectInteger, showValue } from '@nccl-ts/core';
import { isAllocation, type Allocation, type ExpectOptions, type Expected, type Fill } from './memory/allocation.ts';
import { devCommArgument } from './dev-comm-argument.ts';
import { isArrayLike } from './compound-types.ts';
import { expectation } from './memory/expectation.ts';
import type { Alloc, Harness, RankLaunches } from './harness.ts';
import { ImageWriter, type MemoryImage } from './memory/memory-image.ts';
import { invalid, isMemoryType, type MemoryType } from './memory/memory-type.ts';
import type { Pointer } from './memory/pointer.ts';
import { u8 } from './scalar-types.ts';

/** A rank's memory and launches, as its setup describes them. */
export interface RankDescription {
  readonly rank: number;
  readonly memory: readonly DescribedMemory[];
  readonly launches: RankLaunches;
  /** Returns true if the setup has asked for a multicast address so far. */
  readonly usesMulticast: () => boolean;
}

/** An allocation and its initial contents. */
export interface DescribedMemory {
  readonly allocation: Allocation;
  readonly image: MemoryImage;
  /** True if the host initialises it. Memory given as a number of bytes stays uninitialised. */
  readonly isGiven: boolean;
}

/**
 * Calls the setup of each rank.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the ranks do not make the same allocations. Errors
 * of a setup.
 */
export function describeRanks({ setup }: Pick<Harness, 'setup'>, nRanks: number): readonly RankDescription[] {
  const ranks = Object.freeze(Array.from({ length: nRanks }, (_, rank) => rank));
  const described = ranks.map((rank) => {
    const memory: DescribedMemory[] = [];
    let usesMulticast = false;
    const what = `setup of rank ${rank}`;
    const launches: unknown = setup({
      rank,
      ranks,
      nRanks,
      alloc: allocFor(rank, nRanks, memory, what),
      peer: (allocation, peer, offset = 0) => {
        expectInteger(`${what}: peer: rank`, peer, 0, nRanks - 1);
        return pointerTo(allocation, peer, offset, `${what}: peer`);
      },
      devComm: devCommArgument,
      multicast: (allocation, offset = 0) => {
        usesMulticast = true;
        return pointerTo(allocation, 'multicast', offset, `${what}: multicast`);
      },
      rankStride: 1n << 32n,
    });
    if (!isLaunches(launches)) {
      throw invalid(
        `${what} must answer { args: [...] }, one argument for each parameter; given ${showValue(launches)}.`,
      );
    }
    return { rank, memory, launches, usesMulticast: () => usesMulticast };
  });
  for (const one of described) checkAlike(described[0] ?? one, one);
  return described;
}

function isLaunches(value: unknown): value is RankLaunches {
  if (typeof value !== 'object' || value === null || !('args' in value)) return false;
  return Array.isArray(value.args) || typeof value.args === 'function';
}

function pointerTo(allocation: Allocation, rank: Pointer['rank'], offset: number, what: string): Pointer {
  if (!isAllocation(allocation))
    throw invalid(`${what}: the first argument must be an allocation; given ${showValue(allocation)}.`);
  expectInteger(`${what}: byteOffset into ${allocation.name}`, offset, 0, allocation.bytes - 1);
  return { kind: 'pointer', allocation, rank, offset };
}

function allocFor(rank: number, nRanks: number, memory: DescribedMemory[], what: string): Alloc {
  function alloc<V>(name: string, type: MemoryType<V>, count: number, values?: Fill<V>): Allocation<V>;
  function alloc<V>(name: string, type: MemoryType<V>, values: ArrayLike<V>): Allocation<V>;
  function alloc(name: string, bytes: number): Allocation<number | bigint>;
  function alloc(name: string, first: unknown, second?: unknown, third?: unknown): Allocation {
    if (typeof name !== 'string' || name === '')
      throw invalid(`${what}: alloc: the name must be a text; given ${showValue(name)}.`);
    if (memory.some(({ allocation }) => allocation.name === name)) {
      throw invalid(`${what}: alloc: there is an allocation '${name}' already; findings need a name for each.`);
    }
    const at = `${what}: alloc: ${name}`;
    const type = isMemoryType(first) ? first : u8;
    if (type === u8 && first !== u8 && typeof first !== 'number') {
      throw invalid(`${at} needs a type such as f32, or a number of bytes; given ${showValue(first)}.`);
    }
    const size = isMemoryType(first) ? second : first;
    const values = isArrayLike(size) ? size : third;
    const count = expectInteger(`${at}: count`, isArrayLike(size) ? size.length : size, 1);
    const allocation = allocationOf(rank, name, type, count);
    const total = nRanks * memory.reduce((sum, one) => sum + one.allocation.bytes, allocation.bytes);
    if (total > MOST_BYTES) {
      throw invalid(
        `${at} has ${allocation.bytes} bytes, so that ${nRanks} ranks have ${total}; at most ${MOST_BYTES} are simulated: allocate less, which finds the same.`,
      );
    }
    const image = new ImageWriter(allocation.bytes);
    encodeElements(image, type, count, values, at);
    memory.push({ allocation, image, isGiven: isMemoryType(first) });
    return allocation;
  }
  return alloc;
}

/** The most memory of all ranks together. The host may have a copy of it. */
const MOST_BYTES = 2 ** 31;

function allocationOf(rank: number, name: string, type: MemoryType, count: number): Allocation {
  const allocation: Allocation = {
    kind: 'allocation',
    name,
    type,
    count,
    bytes: type.bytes * count,
    get own(): Pointer {
      return { kind: 'pointer', allocation, rank, offset: 0 };
    },
    equals: (expected: Expected, options: ExpectOptions = {}) => expectation(allocation, expected, options),
    write: (values: Fill<never>, from = 0) => {
      const length = typeof values === 'function' ? count - from : values.length;
      if (from < 0 || length < 1 || from + length > count) {
        throw invalid(`write: ${name} has ${count} elements; given ${length} from element ${from} on.`);
      }
      const image = new ImageWriter(length * type.bytes);
      const shifted = typeof values === 'function' ? (i: number): unknown => values(from + i) : values;
      encodeElements(image, type, length, shifted, `write: ${name}`);
      return { kind: 'step', allocation: name, offset: from * type.bytes, image };
    },
  };
  return Object.freeze(allocation);
}

function encodeElements(image: ImageWriter, type: MemoryType, count: number, values: unknown, what: string): void {
  if (values === undefined) return;
  const valueAt = isFill(values) ? values : isArrayLike(values) ? (i: number): unknown => values[i] : undefined;
  if (valueAt === undefined)
    throw invalid(`${what}: the values must be a function of the index or an array; given ${showValue(values)}.`);
  if (isArrayLike(values) && values.length > count) {
    throw invalid(`${what} has ${count} elements; given ${values.length} values.`);
  }
  for (let i = 0; i < count; i++) {
    const value = valueAt(i);
    if (value !== undefined) type.encode(image, i * type.bytes, value, `${what}: element ${i}`);
  }
}

function isFill(value: unknown): value is (index: number) => unknown {
  return typeof value === 'function';
}

/** @throws NcclError if two ranks make different allocations. */
function checkAlike(a: RankDescription, b: RankDescription): void {
  const one = a.memory.map(textOf);
  const other = b.memory.map(textOf);
  if (one.join() === other.join()) return;
  throw invalid(
    `the setups of rank ${a.rank} and rank ${b.rank} make different allocations: all ranks must make the same ones, in the same order.\n` +
      `  rank ${a.rank}: ${one.join(', ') || 'none'}\n  rank ${b.rank}: ${other.join(', ') || 'none'}`,
  );
}

function textOf({ allocation: { name, type, count } }: DescribedMemory): string {
  return `${name} (${count} x ${type.typeName.length > 40 ? `${type.bytes} bytes` : type.typeName})`;
}
