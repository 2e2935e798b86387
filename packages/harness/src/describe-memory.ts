import { expectInteger, showValue } from '@nccl-ts/core';
import { isArrayLike } from './compound-types.ts';
import type { Allocation, ExpectOptions, Expected, Fill } from './memory/allocation.ts';
import { expectation } from './memory/expectation.ts';
import { ImageWriter, type MemoryImage } from './memory/memory-image.ts';
import { encodeElement, invalid, isMemoryType, type MemoryType } from './memory/memory-type.ts';
import type { Pointer } from './memory/pointer.ts';
import type { Alloc, Contents } from './rank-setup.ts';
import { u8 } from './scalar-types.ts';
import type { WriteStep } from './memory/write-step.ts';

/** An allocation and its initial contents. */
export interface DescribedMemory {
  readonly allocation: Allocation;
  readonly image: MemoryImage;
  /** True if the host initialises it. Memory given as a number of bytes stays uninitialised. */
  readonly isGiven: boolean;
}

/** The `alloc` of a rank's setup, which adds to `memory`. */
export function allocFor(rank: number, nRanks: number, memory: DescribedMemory[], what: string): Alloc {
  function alloc<V>(name: string, type: MemoryType<V>, count: number, values?: Contents<V>): Allocation<V>;
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
    const isGiven = isMemoryType(first) && values !== 'uninitialised';
    encodeElements(image, type, count, isGiven ? values : undefined, at);
    memory.push({ allocation, image, isGiven });
    return allocation;
  }
  return alloc;
}

/** The most memory of all ranks together. The host may have a copy of it. */
const MOST_BYTES = 2 ** 31;

/** An allocation of a rank. */
export function allocationOf(rank: number, name: string, type: MemoryType, count: number): Allocation {
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
    write: (values: Fill<never>, from = 0, length?: number) => writeStep(allocation, values, from, length),
  };
  return Object.freeze(allocation);
}

/** @throws NcclError if the elements are not inside the allocation, or a count is missing. */
function writeStep(
  { name, type, count }: Allocation,
  values: Fill<never>,
  from: number,
  given: number | undefined,
): WriteStep {
  const at = `write: ${name}`;
  expectInteger(`${at}: from`, from, 0, count - 1);
  if (typeof values !== 'function' && !isArrayLike(values)) {
    throw invalid(`${at}: the values must be a function of the index or an array; given ${showValue(values)}.`);
  }
  if (typeof values === 'function' && given === undefined && from > 0) {
    throw invalid(
      `${at}: cannot write from element ${from} on because a function has no length; pass the number of elements: write(values, ${from}, count).`,
    );
  }
  const length = expectInteger(`${at}: count`, given ?? (typeof values === 'function' ? count : values.length), 1);
  if (typeof values !== 'function' && length > values.length) {
    throw invalid(`${at}: cannot write ${length} elements because ${values.length} values are given; pass as many.`);
  }
  if (from + length > count) {
    throw invalid(
      `${at}: cannot write ${length} elements from element ${from} on because it has ${count} elements; write at most ${count - from}.`,
    );
  }
  const image = new ImageWriter(length * type.bytes);
  const valueAt = typeof values === 'function' ? values : (i: number): unknown => values[i - from];
  encodeElements(image, type, length, (i: number): unknown => valueAt(from + i), at);
  return { kind: 'write', allocation: name, offset: from * type.bytes, image };
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
    if (value !== undefined) encodeElement(image, type, i * type.bytes, value, () => `${what}: element ${i}`);
  }
}

function isFill(value: unknown): value is (index: number) => unknown {
  return typeof value === 'function';
}
