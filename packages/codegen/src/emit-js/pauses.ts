import { isControl, statementBodies, type Expression, type Statement, type Terminator } from '@nccl-ts/ir';

import { LINE } from '@nccl-ts/core';
import { isNetworkCall } from '../emit-shared/network-calls.ts';
import { byteSize } from '../emit-shared/types.ts';
import type { JsContext } from './js-context.ts';

/**
 * The statements before and after which a thread may be interrupted: ordered accesses, atomics,
 * fences, and network requests.
 *
 * Threads in lockstep are interrupted together. A part for only some of them is not split if it has
 * one such statement, because then no thread runs two of them in a row. So kernels with only
 * barriers keep their fast code.
 */
export function pausesOf({ mode, gathers, uniformity }: JsContext): (s: Statement) => boolean {
  if (gathers) return (s) => isOrdered(s) || isWideStore(s);
  if (mode === 'thread') return isOrdered;
  const known = new Map<Statement, boolean>();
  return (s) => {
    const before = known.get(s);
    if (before !== undefined) return before;
    const pauses = isOrdered(s) || isLone(orderedIn(s, false), (inner) => uniformity.divergence(inner) !== undefined);
    known.set(s, pauses);
    return pauses;
  };
}

/**
 * True if a pause is between a thread's read and the action that depends on it, so that it
 * separates a check from its act.
 */
export function isAct({ behind, before }: Extract<Terminator, { kind: 'pause' }>): boolean {
  const [read, done] = [behind, before].map((s) =>
    s === undefined || isOrdered(s) ? s : orderedIn(s, false)[0]?.statement,
  );
  return (read !== undefined && hasResult(read)) || done?.kind === 'store';
}

/**
 * The relation of a statement to the instruction of which it is a part: `first` if the instruction
 * begins with it, and `rest` otherwise. `undefined` for statements whose lanes need not run
 * together.
 */
export function partOfInstruction(s: Statement | undefined): 'first' | 'rest' | undefined {
  if (s === undefined || (s.kind !== 'load' && s.kind !== 'store') || isLocal(s.pointer)) return undefined;
  if (s.access === undefined) return isWideStore(s) ? 'first' : undefined;
  return (s.access.part?.index ?? 0) === 0 ? 'first' : 'rest';
}

/** True if other parts of the statement's instruction follow. */
export function hasMoreParts(s: Statement | undefined): boolean {
  if (s?.kind !== 'load' && s?.kind !== 'store') return false;
  const part = s.access?.part;
  return part !== undefined && part.index + 1 < part.of;
}

/** True for a plain store of as many bytes as GPUs store at once. */
function isWideStore(s: Statement): boolean {
  if (s.kind !== 'store' || s.access !== undefined || s.pointer.type.kind !== 'pointer') return false;
  const { space, element } = s.pointer.type;
  return space === 'global' && byteSize(element) === LINE;
}

interface Ordered {
  readonly statement: Statement;
  readonly isRepeated: boolean;
}

function isLone(all: readonly Ordered[], isDivergent: (s: Statement) => boolean): boolean {
  const [first, ...others] = all;
  if (first === undefined || others.length > 0 || !isDivergent(first.statement)) return false;
  return !first.isRepeated || !hasResult(first.statement);
}

/** Returns the ordered statements of a construct, outside waits. */
function orderedIn(s: Statement, isRepeated: boolean): readonly Ordered[] {
  if (s.kind === 'wait' || s.kind === 'waitAll') return [];
  const repeats = isRepeated || s.kind === 'loop';
  return statementBodies(s)
    .flat()
    .flatMap((inner) => (isOrdered(inner) ? [{ statement: inner, isRepeated: repeats }] : orderedIn(inner, repeats)));
}

/** True if the thread's later actions may depend on it. */
function hasResult(s: Statement): boolean {
  return (s.kind === 'load' || s.kind === 'atomic' || s.kind === 'call') && s.local !== undefined;
}

function isOrdered(s: Statement): boolean {
  if (s.kind === 'call') return isNetworkCall(s) && s.body === undefined;
  if (isControl(s)) return false;
  switch (s.kind) {
    case 'load':
    case 'store':
    case 'atomic':
      return s.access !== undefined && !isLocal(s.pointer);
    case 'fence':
      return true;
    case 'assign':
    case 'fenceProxy':
    case 'sync':
    case 'wait':
    case 'waitAll':
    case 'collective':
    case 'assert':
    case 'print':
    case 'approximate':
    case 'clock':
      return false;
  }
}

function isLocal({ type }: Expression): boolean {
  return type.kind === 'pointer' && type.space === 'local';
}
