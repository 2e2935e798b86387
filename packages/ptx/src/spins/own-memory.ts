import { scalarInfo } from '@nccl-ts/core';
import {
  binary,
  constant,
  convert,
  lane,
  sameType,
  type Expression,
  type LoadStatement,
  type StoreStatement,
  type Type,
} from '@nccl-ts/ir';
import { SameCode } from './same-code.ts';

/** Bytes of the thread's own memory. */
interface OwnBytes {
  /** The address without its constant part. */
  readonly base: readonly Expression[];
  readonly array: number;
  readonly offset: number;
  readonly bytes: number;
}

/** True if a pointer points into memory of the thread. */
export function isOwn({ type }: Expression): boolean {
  return type.kind === 'pointer' && type.space === 'local';
}

/**
 * The value that a load returns if `store` was the last store to its bytes, and `stored` is the
 * stored value. `undefined` if the load does not read an unsigned integer, or a whole element, from
 * these bytes alone.
 */
export function forwarded(load: LoadStatement, store: StoreStatement, stored: Expression): Expression | undefined {
  const [from, to] = [ownBytes(load.pointer), ownBytes(store.pointer)];
  if (from === undefined || to === undefined || !isSameBase(from, to)) return undefined;
  const at = from.offset - to.offset;
  const wanted = elementOf(load.pointer);
  if (wanted === undefined || at < 0 || at + from.bytes > to.bytes) return undefined;
  if (sameType(wanted, stored.type)) return at === 0 ? stored : undefined;
  if (wanted.kind !== 'scalar') return undefined;
  const { type } = stored;
  const scalar = type.kind === 'vector' ? type.element : type.kind === 'scalar' ? type.scalar : undefined;
  if (scalar === undefined) return undefined;
  const size = scalarInfo[scalar].bytes;
  const within = at % size;
  if (within + from.bytes > size) return undefined;
  const element = type.kind === 'vector' ? lane(stored, constant('u32', Math.floor(at / size))) : stored;
  if (wanted.scalar === scalar) return element;
  const isNarrower = unsigned.has(wanted.scalar) && (scalar === 'u32' || scalar === 'u64');
  if (!isNarrower) return undefined;
  const shift = constant('u32', 8 * within);
  return convert(wanted, within === 0 ? element : binary('shr', element, shift));
}

const unsigned: ReadonlySet<string> = new Set(['u8', 'u16', 'u32']);

function ownBytes(pointer: Expression): OwnBytes | undefined {
  const bytes = sizeOf(elementOf(pointer));
  if (bytes === undefined) return undefined;
  let at = pointer;
  let offset = 0;
  const base: Expression[] = [];
  for (;;) {
    if (at.kind === 'pointerCast') at = at.pointer;
    else if (at.kind === 'pointerOffset') {
      const step = sizeOf(elementOf(at));
      const { known, rest } = split(at.index);
      // The unit of an index that is not known is a byte, so that equal bases are equal addresses.
      if (step === undefined || (rest !== undefined && step !== 1)) return undefined;
      offset += known * step;
      if (rest !== undefined) base.push(rest);
      at = at.pointer;
    } else break;
  }
  return at.kind === 'array' ? { base, array: at.array, offset, bytes } : undefined;
}

/** An index as the sum of a known and an unknown part. */
function split(index: Expression): { readonly known: number; readonly rest: Expression | undefined } {
  if (index.kind === 'constant') return { known: Number(index.value), rest: undefined };
  if (index.kind !== 'binary' || index.op !== 'add' || index.right.kind !== 'constant')
    return { known: 0, rest: index };
  const { known, rest } = split(index.left);
  return { known: known + Number(index.right.value), rest };
}

function isSameBase(one: OwnBytes, other: OwnBytes): boolean {
  if (one.array !== other.array || one.base.length !== other.base.length) return false;
  return one.base.every((part, i) => {
    const counterpart = other.base[i];
    return counterpart !== undefined && new SameCode().expression(part, counterpart);
  });
}

function elementOf({ type }: Expression): Type | undefined {
  return type.kind === 'pointer' ? type.element : undefined;
}

function sizeOf(type: Type | undefined): number | undefined {
  if (type?.kind === 'scalar') return scalarInfo[type.scalar].bytes;
  return type?.kind === 'vector' ? type.width * scalarInfo[type.element].bytes : undefined;
}
