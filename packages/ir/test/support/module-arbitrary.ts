import { scalarKinds } from '@nccl-ts/core';
import {
  elementScalar,
  local,
  printModule,
  scalarType,
  sameType,
  type AtomicAccess,
  type AtomicOp,
  type Body,
  type Expression,
  type Local,
  type Module,
  type Statement,
  type Type,
  type ValueType,
} from '@nccl-ts/ir';
import * as fc from 'fast-check';
import { Choices } from './choices.ts';
import { arrayPointer, coop, expression, statics, warpCoop } from './expressions.ts';
import { arrays, params, pointerTypes, span, valueTypes } from './vocabulary.ts';

/**
 * Well-typed modules that `validate` accepts for `everything`, with every kind of node, and with
 * spans and sources.
 */
export function moduleArbitrary(options: { readonly size?: number } = {}): fc.Arbitrary<Module> {
  const maxLength = options.size ?? 300;
  return fc.array(fc.nat({ max: 9999 }), { minLength: 0, maxLength, size: 'max' }).map((numbers) => {
    const module = new ModuleSource(new Choices(numbers)).module();
    // So that a counterexample is shown as text.
    Object.defineProperty(module, fc.toStringMethod, { value: () => `\n${printModule(module)}` });
    return module;
  });
}

/** Well-typed expressions of any value type over the locals of `standardLocals`. */
export function expressionArbitrary(): fc.Arbitrary<Expression> {
  return fc.array(fc.nat({ max: 9999 }), { maxLength: 80, size: 'max' }).map((numbers) => {
    const choices = new Choices(numbers);
    return expression({ choices, locals: standardLocals }, choices.of<Type>(valueTypes), 4);
  });
}

const localTypes: readonly Type[] = [
  ...scalarKinds.map(scalarType),
  scalarType('u32'),
  scalarType('i32'),
  scalarType('bool'),
  ...valueTypes.filter((type) => type.kind === 'vector'),
  ...pointerTypes,
];

export const standardLocals: readonly Local[] = localTypes.map((type, index) => ({
  name: ['i', 'sum', '$weird name', ''][index % 4] ?? '',
  type,
  span: { source: 0, start: index, end: index + 1 },
}));

/** Locals that only the bodies of waitAlls set. Only those bodies may read them. */
const latched: readonly Local[] = [
  scalarType('u32'),
  scalarType('u32'),
  ...pointerTypes.flatMap((type) => (type.kind === 'pointer' ? [type.element] : [])),
  ...arrays.map(({ element }) => element),
].map((type, index) => ({ name: `latched${index}`, type, span: { source: 1, start: index, end: index } }));

interface Place {
  readonly depth: number;
  readonly inLoop: boolean;
  readonly labels: readonly number[];
}

class ModuleSource {
  readonly choices: Choices;
  /** The locals that expressions may read. */
  locals: readonly Local[] = standardLocals;
  /** The first local that statements may set. */
  #firstTarget = 0;
  #nextLabel = 0;

  constructor(choices: Choices) {
    this.choices = choices;
  }

  module(): Module {
    return {
      name: this.choices.of(['kernel', 'weird "name"', 'a.b']),
      params,
      locals: [...standardLocals, ...latched],
      arrays,
      body: this.#body({ depth: 3, inLoop: false, labels: [] }, 12),
      sources: [
        { name: 'main.ts', text: '({ lsa }) => {\n\tconst x = "\u2028\ud800";\n}' },
        { name: 'other file', text: '' },
      ],
    };
  }

  #body(place: Place, most: number): Body {
    const body: Statement[] = [];
    const length = this.choices.below(most + 1);
    while (body.length < length && !this.choices.spent) body.push(this.#statement(place));
    return body;
  }

  #of(type: Type, depth = 2): Expression {
    return expression(this, type, depth);
  }

  #local(type: Type): number {
    const ids = this.locals.flatMap((declared, id) =>
      id >= this.#firstTarget && sameType(declared.type, type) ? [id] : [],
    );
    return this.choices.of(ids);
  }

  #anyLocal(): { readonly id: number; readonly type: Type } {
    const id = this.#firstTarget + this.choices.below(this.locals.length - this.#firstTarget);
    const type = this.locals[id]?.type;
    if (type === undefined) throw new Error('no such local');
    return { id, type };
  }

  #pointer(): { readonly pointer: Expression; readonly element: ValueType } {
    const pointer = this.choices.oneIn(3) ? arrayPointer(this) : this.#of(this.choices.of(pointerTypes));
    if (pointer.type.kind !== 'pointer') throw new Error('no pointer');
    return { pointer, element: pointer.type.element };
  }

  #access(): AtomicAccess {
    return {
      order: this.choices.of(['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst']),
      scope: this.choices.of(['system', 'device', 'block', 'thread']),
    };
  }

  #load(): Statement {
    const { pointer, element } = this.#pointer();
    const atomic = element.kind === 'scalar' && this.choices.oneIn(2);
    const access: AtomicAccess = { ...this.#access(), order: this.choices.of(['relaxed', 'acquire', 'seq_cst']) };
    const common = { kind: 'load', local: this.#local(element), pointer, span: span(this.choices) } as const;
    return atomic ? { ...common, access } : common;
  }

  #assign(): Statement {
    const { id, type } = this.#anyLocal();
    return { kind: 'assign', local: id, value: this.#of(type, 3), span: span(this.choices) };
  }

  /** The statements that the body of a wait may have. */
  #waitBody(depth: number): Body {
    const body: Statement[] = [];
    const length = this.choices.below(3);
    for (let i = 0; i < length; i++) {
      if (depth > 0 && this.choices.oneIn(4)) {
        const then = this.#waitBody(depth - 1);
        const otherwise = this.#waitBody(depth - 1);
        body.push({ kind: 'if', condition: this.#bool(), then, else: otherwise, span: span(this.choices) });
      } else {
        body.push(this.choices.oneIn(2) ? this.#load() : this.#assign());
      }
    }
    return body;
  }

  #bool(): Expression {
    return this.#of(scalarType('bool'), 3);
  }

  #statement(place: Place): Statement {
    const { choices } = this;
    const simple: readonly (() => Statement)[] = [
      () => this.#assign(),
      () => this.#assign(),
      () => this.#load(),
      () => this.#store(),
      () => this.#atomic(),
      () => ({ kind: 'fence', access: this.#access(), span: span(choices) }),
      () => ({ kind: 'fenceProxy', proxy: 'alias', span: span(choices) }),
      () => ({
        kind: 'fenceProxy',
        proxy: 'fabric',
        producer: 'generic',
        consumer: 'fabric',
        access: this.#access(),
        span: span(choices),
      }),
      () => ({ kind: 'sync', coop: coop(this), span: span(choices) }),
      () => this.#barrier(),
      () => ({ kind: 'wait', body: this.#waitBody(1), condition: this.#bool(), span: span(choices) }),
      () => this.#waitAll(),
      () => this.#collective(),
      () => ({ kind: 'assert', condition: this.#bool(), message: 'x "y"\n', span: span(choices) }),
      () => ({
        kind: 'assert',
        condition: this.#bool(),
        message: 'x {} of {}',
        values: [this.#of(scalarType('u32')), this.#of(scalarType('f32'))],
        contract: true,
        span: span(choices),
      }),
      () => ({ kind: 'print', args: ['at ', this.#of(choices.of<Type>(valueTypes))], span: span(choices) }),
      () => ({ kind: 'clock', local: this.#local(scalarType('u64')), span: span(choices) }),
      () => this.#primitive(),
    ];
    const nested: readonly (() => Statement)[] =
      place.depth === 0
        ? []
        : [
            () => this.#if(place),
            () => this.#if(place),
            () => this.#loop(place),
            () => this.#block(place),
            () => this.#call(place),
          ];
    const jumps: readonly (() => Statement)[] = [
      ...(place.inLoop
        ? [
            (): Statement => ({ kind: 'break', span: span(choices) }),
            (): Statement => ({ kind: 'continue', span: span(choices) }),
          ]
        : []),
      ...place.labels.map((label) => (): Statement => ({ kind: 'leave', label, span: span(choices) })),
      ...(place.depth < 3 ? [(): Statement => ({ kind: 'return', span: span(choices) })] : []),
    ];
    return choices.of([...simple, ...nested, ...jumps])();
  }

  #store(): Statement {
    const { pointer, element } = this.#pointer();
    const broadcast = this.choices.oneIn(8) ? ({ broadcast: true } as const) : {};
    const common = {
      kind: 'store',
      pointer,
      value: this.#of(element),
      ...broadcast,
      span: span(this.choices),
    } as const;
    const access: AtomicAccess = { ...this.#access(), order: this.choices.of(['relaxed', 'release', 'seq_cst']) };
    return element.kind === 'scalar' && this.choices.oneIn(2) ? { ...common, access } : common;
  }

  #atomic(): Statement {
    const pointer = this.#of(this.choices.of([pointerTypes[1], pointerTypes[3]].filter((type) => type !== undefined)));
    if (pointer.type.kind !== 'pointer') throw new Error('no pointer');
    const { element } = pointer.type;
    const op = this.choices.of<AtomicOp>(['add', 'sub', 'min', 'max', 'and', 'or', 'xor', 'exch', 'cas']);
    const target = this.choices.oneIn(2) ? { local: this.#local(scalarType(elementScalar(element))) } : {};
    const expected = op === 'cas' ? { expected: this.#of(element) } : {};
    const access = this.#access();
    return {
      kind: 'atomic',
      op,
      ...target,
      pointer,
      value: this.#of(element),
      ...expected,
      access,
      span: span(this.choices),
    };
  }

  #barrier(): Statement {
    const name = this.#of(scalarType('u32'));
    const named = { name, isAligned: this.choices.oneIn(2) };
    const threads = this.choices.oneIn(2) ? { threads: this.#of(scalarType('u32')) } : {};
    const isOfWarp = this.choices.oneIn(3);
    const common = { kind: 'sync', span: span(this.choices) } as const;
    if (isOfWarp) return { ...common, coop: { kind: 'tile', size: 32 }, barrier: named };
    const vote = this.choices.oneIn(2) ? { vote: { value: this.#bool(), local: this.#local(scalarType('u32')) } } : {};
    return { ...common, coop: { kind: 'cta' }, barrier: { ...named, ...threads }, ...vote };
  }

  #waitAll(): Statement {
    const head = { kind: 'waitAll', coop: coop(this), count: this.#of(scalarType('u32')) } as const;
    this.locals = [...standardLocals, ...latched];
    this.#firstTarget = standardLocals.length;
    const body = this.#waitBody(1);
    const index = this.#local(scalarType('u32'));
    const rest = { index, body, condition: this.#bool(), span: span(this.choices) };
    this.locals = standardLocals;
    this.#firstTarget = 0;
    return { ...head, ...rest };
  }

  #collective(): Statement {
    const at = { coop: coop(this), span: span(this.choices) };
    const ofWarp = { ...at, coop: warpCoop(this) };
    const u32 = (): Expression => this.#of(scalarType('u32'));
    const bool = this.#local(scalarType('bool'));
    const mask = this.#local(scalarType('u32'));
    const { id, type } = this.#anyLocal();
    const shuffled = type.kind === 'pointer' ? { id: mask, type: scalarType('u32') } : { id, type };
    const lane = { value: this.#of(shuffled.type), lane: u32(), local: shuffled.id };
    return this.choices.of<() => Statement>([
      () => ({
        kind: 'collective',
        op: this.choices.of(['shfl', 'shflUp', 'shflDown', 'shflXor']),
        ...ofWarp,
        ...lane,
      }),
      () => ({ kind: 'collective', op: 'bcast', ...at, ...lane }),
      () => ({ kind: 'collective', op: 'ballot', ...ofWarp, local: mask, value: this.#bool() }),
      () => ({ kind: 'collective', op: this.choices.of(['any', 'all']), ...at, local: bool, value: this.#bool() }),
      () => ({ kind: 'collective', op: 'activeMask', ...at, local: mask }),
    ])();
  }

  #primitive(): Statement {
    const args = [this.#of(scalarType('addr')), local(this.#local(scalarType('i32')), scalarType('i32'))];
    const session = this.choices.oneIn(3) ? { session: this.choices.below(4) } : {};
    const target = this.choices.oneIn(2) ? { local: this.#local(scalarType('u64')) } : {};
    const name = this.choices.of(['gin.put', 'gin.flush']);
    return { kind: 'call', name, statics: statics(this), args, ...target, ...session, span: span(this.choices) };
  }

  #deeper(place: Place): Place {
    return { ...place, depth: place.depth - 1 };
  }

  #if(place: Place): Statement {
    const then = this.#body(this.#deeper(place), 3);
    const otherwise = this.#body(this.#deeper(place), 3);
    return { kind: 'if', condition: this.#bool(), then, else: otherwise, span: span(this.choices) };
  }

  #loop(place: Place): Statement {
    const inside: Place = { ...this.#deeper(place), inLoop: true };
    const condition = this.choices.oneIn(4) ? {} : { condition: this.#bool() };
    const update = this.choices.oneIn(3) ? [] : [this.#assign()];
    return { kind: 'loop', ...condition, body: this.#body(inside, 4), update, span: span(this.choices) };
  }

  #block(place: Place): Statement {
    const label = this.#nextLabel++;
    const inside: Place = { ...this.#deeper(place), labels: [...place.labels, label] };
    return { kind: 'block', label, body: this.#body(inside, 4), span: span(this.choices) };
  }

  #call(place: Place): Statement {
    const { id } = this.#anyLocal();
    const target = this.choices.oneIn(2) ? { local: id } : {};
    const inside: Place = { depth: place.depth - 1, inLoop: false, labels: [] };
    const args = [this.#of(scalarType('u32'))];
    const body = this.#body(inside, 4);
    return { kind: 'call', name: 'lsa.sync', statics: statics(this), args, ...target, body, span: span(this.choices) };
  }
}
