import {
  contractText,
  evaluateConstant,
  fold,
  specialise,
  substituteLocals,
  valueBytes,
  type AtomicAccess,
  type Body,
  type Expression,
  type Module,
  type ScalarValue,
  type Specialisation,
  type Statement,
} from '@nccl-ts/ir';

/** The accesses of one thread to the windows' memory, and its barriers. */
export type Event =
  | { readonly do: 'load' | 'store'; readonly at: Place; readonly value: ScalarValue; readonly access: string }
  | { readonly do: 'fence'; readonly access: string }
  | { readonly do: 'sync' };

/** An address: byte `byte` of the window at LSA rank `peer`. */
export interface Place {
  readonly peer: number;
  readonly byte: number;
}

/** The peer number that represents all ranks behind a multicast address. */
export const EVERYBODY = -1;

/** The environment of a thread. */
export interface World {
  readonly known: Specialisation;
  /** The value of a load of this location, as the bits of an integer. */
  readonly memory: (at: Place) => bigint;
}

/** Thrown if the condition of a wait is false. */
export class Waits extends Error {}

/** The events of one thread of `module`, in order. Each wait evaluates its condition once. */
export function trace(module: Module, { known, memory }: World): readonly Event[] {
  const { body, locals } = specialise(module, known);
  const events: Event[] = [];
  const values = new Map<number, Expression>();
  const arrays = new Map<string, Expression>();
  const resolve = (e: Expression): Expression => fold(substituteLocals(e, (local) => values.get(local)));
  const scalar = (e: Expression): ScalarValue => {
    const value = evaluateConstant(resolve(e))?.[0];
    if (value === undefined) throw new Error(`no constant: ${e.kind}`);
    return value;
  };
  /** A location in a window, or in an array of the thread. */
  const place = (e: Expression): Place | string => {
    const resolved = resolve(e);
    switch (resolved.kind) {
      case 'array':
        return `${resolved.array}+0`;
      case 'intrinsic':
        return place(resolved.expansion);
      case 'windowPointer':
        return { peer: Number(scalar(resolved.peer)), byte: Number(scalar(resolved.offset)) };
      case 'multicastPointer':
        return { peer: EVERYBODY, byte: Number(scalar(resolved.offset)) };
      case 'pointerOffset': {
        const from = place(resolved.pointer);
        const bytes = Number(scalar(resolved.index)) * valueBytes(resolved.type.element);
        if (typeof from !== 'string') return { peer: from.peer, byte: from.byte + bytes };
        const [array = '', at = ''] = from.split('+');
        return `${array}+${Number(at) + bytes}`;
      }
      default:
        throw new Error(`no address: ${resolved.kind}`);
    }
  };
  const load = (s: Extract<Statement, { kind: 'load' }>): void => {
    const at = place(s.pointer);
    if (typeof at === 'string') {
      const kept = arrays.get(at);
      if (kept === undefined) throw new Error(`nothing is in ${at}`);
      values.set(s.local, kept);
      return;
    }
    const type = locals[s.local]?.type;
    if (type?.kind !== 'scalar') throw new Error('only scalars are loaded');
    const bits = memory(at);
    const value = type.scalar === 'u64' ? bits : Number(bits);
    values.set(s.local, { kind: 'constant', type, value });
    events.push({ do: 'load', at, value, access: show(s.access) });
  };
  const run = (statements: Body): void => {
    for (const statement of statements) step(statement);
  };
  const step = (s: Statement): void => {
    switch (s.kind) {
      case 'assign':
        values.set(s.local, resolve(s.value));
        return;
      case 'load':
        load(s);
        return;
      case 'store': {
        const at = place(s.pointer);
        if (typeof at === 'string') arrays.set(at, resolve(s.value));
        else events.push({ do: 'store', at, value: scalar(s.value), access: show(s.access) });
        return;
      }
      case 'fence':
        events.push({ do: 'fence', access: show(s.access) });
        return;
      case 'sync':
        events.push({ do: 'sync' });
        return;
      case 'wait':
        run(s.body);
        if (scalar(s.condition) !== true) throw new Waits('would wait');
        return;
      case 'if':
        run(scalar(s.condition) === true ? s.then : s.else);
        return;
      case 'loop':
        for (; s.condition === undefined || scalar(s.condition) === true; run(s.update)) run(s.body);
        return;
      case 'assert':
        if (scalar(s.condition) !== true) throw new Error(contractText(s.message, (s.values ?? []).map(scalar)));
        return;
      case 'call':
        if (s.name === 'multimem.store') {
          const [pointer, value] = s.args;
          const at = pointer === undefined ? '' : place(pointer);
          if (typeof at === 'string' || value === undefined)
            throw new Error('multimem stores go to multicast addresses');
          events.push({ do: 'store', at, value: scalar(value), access: 'multimem' });
          return;
        }
        if (s.body === undefined) throw new Error(`primitive ${s.name}`);
        run(s.body);
        return;
      default:
        throw new Error(`all-to-all sessions have no ${s.kind}`);
    }
  };
  run(body);
  return events;
}

const show = (access: AtomicAccess | undefined): string =>
  access === undefined ? 'plain' : `${access.order}.${access.scope}`;
