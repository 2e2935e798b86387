import { WrongResultError } from '@nccl-ts/findings';
import type { ExpectOptions, Expected } from './allocation.ts';
import { ImageWriter } from './memory-image.ts';
import { encodeElement, invalid, type MemoryType } from './memory-type.ts';

/** The expected contents of an allocation of one rank after the last launch. */
export interface Expectation {
  readonly kind: 'expectation';
  /** The allocation's name. */
  readonly allocation: string;
  /** The type of an element. */
  readonly type: MemoryType;
  readonly from: number;
  /** In the order of the elements. */
  readonly expected: readonly (number | bigint)[];
  readonly tolerance: number;
}

/** Elements of an allocation that had the expected values. */
export interface ComparedElements {
  readonly rank: number;
  /** The allocation's name. */
  readonly allocation: string;
  /** The first of the elements. */
  readonly from: number;
  readonly count: number;
}

/** @throws NcclError if the elements are not numbers, or too many. */
export function expectation(
  { name, type, count: all }: { readonly name: string; readonly type: MemoryType; readonly count: number },
  expected: Expected,
  { tolerance = 0, from = 0, count }: ExpectOptions,
): Expectation {
  const { decode } = type;
  if (decode === undefined) {
    throw invalid(
      `equals: ${name} has elements of type ${type.typeName}, which are not numbers; allocate it as u8 or u32.`,
    );
  }
  const length = count ?? (typeof expected === 'function' ? all - from : expected.length);
  if (from < 0 || from + length > all) {
    throw invalid(`equals: ${name} has ${all} elements; given ${length} from element ${from} on.`);
  }
  const one = new ImageWriter(type.bytes);
  const values = Array.from({ length }, (_, i) => {
    const value = typeof expected === 'function' ? expected(from + i) : expected[i];
    encodeElement(one, type, 0, value, () => `equals: element ${from + i} of ${name}`);
    // The value as memory would hold it, which is rounded.
    return decode(one.view, 0);
  });
  return { kind: 'expectation', allocation: name, type, from, expected: values, tolerance };
}

/**
 * Compares the expected elements with `bytes`, the memory at `rank` that starts at the first of
 * them.
 *
 * @throws WrongResultError if they have other values. `unknownValues` names the values that kernels
 * compute and that are not known, if any.
 */
export function expectBytes(
  { allocation, type, from, expected, tolerance }: Expectation,
  bytes: Uint8Array,
  rank: number,
  unknownValues: () => string | undefined = () => undefined,
): void {
  const { decode } = type;
  if (decode === undefined) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wrong = expected.flatMap((wanted, i) => {
    const got = decode(view, i * type.bytes);
    return isSame(wanted, got, tolerance) ? [] : [{ index: from + i, wanted, got }];
  });
  const [first] = wrong;
  if (first === undefined) return;
  const { index, wanted, got } = first;
  const more = wrong.length === 1 ? '' : `; ${wrong.length} of ${expected.length} elements differ`;
  const unknown = unknownValues();
  const result = `element ${index} of '${allocation}' of rank ${rank} is ${got}, but the harness expects ${wanted}${more}`;
  throw new WrongResultError({
    rank,
    window: `'${allocation}'`,
    offset: index * type.bytes,
    bytes: type.bytes,
    message:
      unknown === undefined
        ? `the result is wrong: ${result}`
        : `the result cannot be judged, because the kernels have ${unknown}: ${result}`,
    ...(unknown === undefined ? {} : { isUnknown: true }),
  });
}

function isSame(wanted: number | bigint, got: number | bigint, tolerance: number): boolean {
  if (wanted === got) return true;
  if (typeof wanted !== 'number' || typeof got !== 'number') return false;
  if (Number.isNaN(wanted) && Number.isNaN(got)) return true;
  return Math.abs(wanted - got) <= tolerance * Math.max(1, Math.abs(wanted));
}
