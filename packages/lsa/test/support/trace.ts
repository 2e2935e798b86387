import {
  evaluateConstant,
  fold,
  isFault,
  scalarConvert,
  specialise,
  substituteLocals,
  valueBytes,
  type AtomicAccess,
  type Body,
  type Coop,
  type Expression,
  type Module,
  type ScalarValue,
  type Specialisation,
  type Statement,
} from '@nccl-ts/ir';

/** The accesses of one thread to memory, and its barriers. */
export type Event =
  | { readonly do: 'load' | 'store'; readonly at: Place; readonly value: ScalarValue; readonly access: string }
  | { readonly do: 'fence'; readonly access: string }
  | { readonly do: 'sync'; readonly coop: string };

/** An address: the 4-byte word `word` of the window at LSA rank `peer`. */
export interface Place {
  readonly peer: number;
  readonly word: number;
}

/** The environment of a thread. */
export interface World {
  readonly known: Specialisation;
  /** The value of a load of this location. */
  readonly memory: (at: Place) => number;
  /** The cycle counter. */
  readonly clock?: () => bigint;
}

class Left extends Error {
  readonly label: number | 'break' | 'continue' | 'return';

  constructor(label: number | 'break' | 'continue' | 'return') {
    super(`left ${label}`);
    this.label = label;
  }
}

/**
 * Interprets one thread of `module`, and returns its events in order. It supports the few
 * statements that barriers consist of. A wait tests its condition once and then continues. A wait
 * of a whole group tests every index.
 */
export function trace(module: Module, { known, memory, clock = () => 0n }: World): readonly Event[] {
  const { body, locals } = specialise(module, known);
  const events: Event[] = [];
  const values = new Map<number, Expression>();
  const resolve = (e: Expression): Expression => fold(substituteLocals(e, (local) => values.get(local)));
  const scalar = (e: Expression): ScalarValue => {
    const value = evaluateConstant(resolve(e))?.[0];
    if (value === undefined) throw new Error(`no constant: ${e.kind}`);
    return value;
  };
  const place = (e: Expression): Place => {
    const resolved = resolve(e);
    switch (resolved.kind) {
      case 'intrinsic':
        return place(resolved.expansion);
      case 'pointerCast':
        return place(resolved.pointer);
      case 'windowPointer':
        return { peer: Number(scalar(resolved.peer)), word: Number(scalar(resolved.offset)) / 4 };
      case 'pointerOffset': {
        const { peer, word } = place(resolved.pointer);
        return { peer, word: word + (Number(scalar(resolved.index)) * valueBytes(resolved.type.element)) / 4 };
      }
      default:
        throw new Error(`no address: ${resolved.kind}`);
    }
  };
  // The thread's own arrays, element by element. No other thread sees them.
  const own = new Map<string, ScalarValue>();
  const isOwn = ({ type }: Expression): boolean => type.kind === 'pointer' && type.space === 'local';
  const element = (e: Expression): string => {
    const resolved = resolve(e);
    if (resolved.kind === 'array') return `${resolved.array} 0`;
    if (resolved.kind !== 'pointerOffset' || resolved.pointer.kind !== 'array') throw new Error('no element');
    return `${resolved.pointer.array} ${Number(scalar(resolved.index))}`;
  };
  const set = (local: number, value: ScalarValue): void => {
    const type = locals[local]?.type;
    if (type?.kind !== 'scalar') throw new Error('only scalars are loaded');
    const converted = typeof value === 'bigint' ? value : scalarConvert('f64', type.scalar, value);
    if (isFault(converted)) throw new Error(`no value of ${type.scalar}`);
    values.set(local, { kind: 'constant', type, value: converted });
  };
  const run = (statements: Body): void => {
    for (const statement of statements) step(statement);
  };
  const leaving = (statements: Body, label: number | string): boolean => {
    try {
      run(statements);
    } catch (cause) {
      if (cause instanceof Left && cause.label === label) return true;
      throw cause;
    }
    return false;
  };
  const step = (s: Statement): void => {
    switch (s.kind) {
      case 'assign':
        values.set(s.local, resolve(s.value));
        return;
      case 'load': {
        if (isOwn(s.pointer)) {
          set(s.local, own.get(element(s.pointer)) ?? 0);
          return;
        }
        const at = place(s.pointer);
        const value = memory(at);
        set(s.local, value);
        events.push({ do: 'load', at, value, access: show(s.access) });
        return;
      }
      case 'store':
        if (isOwn(s.pointer)) {
          own.set(element(s.pointer), scalar(s.value));
          return;
        }
        events.push({ do: 'store', at: place(s.pointer), value: scalar(s.value), access: show(s.access) });
        return;
      case 'fence':
        events.push({ do: 'fence', access: show(s.access) });
        return;
      case 'sync':
        events.push({ do: 'sync', coop: showCoop(s.coop) });
        return;
      case 'clock':
        set(s.local, clock());
        return;
      case 'approximate':
        return;
      case 'wait':
        run(s.body);
        return;
      case 'waitAll':
        for (let index = 0; index < Number(scalar(s.count)); index++) {
          set(s.index, index);
          run(s.body);
          if (scalar(s.condition) !== true) throw new Error(`index ${index} would wait`);
        }
        return;
      case 'if':
        run(scalar(s.condition) === true ? s.then : s.else);
        return;
      case 'loop':
        while (s.condition === undefined || scalar(s.condition) === true) {
          let ended = true;
          const broken = leaving([{ kind: 'block', label: -1, body: s.body, span: s.span }], 'break');
          ended = broken || leaving(s.update, 'break');
          if (ended) return;
        }
        return;
      case 'block':
        leaving(s.body, s.label);
        return;
      case 'leave':
        throw new Left(s.label);
      case 'break':
      case 'continue':
      case 'return':
        throw new Left(s.kind);
      case 'call':
        if (s.body === undefined) throw new Error(`primitive ${s.name}`);
        run(s.body);
        return;
      case 'atomic':
      case 'fenceProxy':
      case 'collective':
      case 'assert':
      case 'print':
        throw new Error(`barriers do not ${s.kind}`);
    }
  };
  leaving(body, 'return');
  return events;
}

const show = (access: AtomicAccess | undefined): string =>
  access === undefined ? 'plain' : `${access.order}.${access.scope}`;
const showCoop = (coop: Coop): string => (coop.kind === 'tile' ? `tile ${coop.size}` : coop.kind);
