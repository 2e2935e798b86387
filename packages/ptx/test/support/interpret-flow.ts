import {
  assignedLocals,
  constant,
  fold,
  substituteLocals,
  type Body,
  type ConstantExpression,
  type Expression,
  type LocalId,
  type Statement,
} from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import type { FlowGraph } from '../../src/flow/flow-graph.ts';

/** The inputs of a run: loaded or drawn values, or the clock. */
export type Outside = (statement: Statement) => number;

type Way = 'on' | 'return' | 'break' | number;

/**
 * Runs IR for one thread, and keeps its output. A run ends when its steps are used up, so that
 * loops may be endless.
 */
export class FlowInterpreter {
  readonly trace: string[] = [];
  readonly #values = new Map<LocalId, ConstantExpression>();
  readonly #outside: Outside;
  #steps: number;

  constructor(outside: Outside, steps: number) {
    this.#outside = outside;
    this.#steps = steps;
  }

  graph(graph: FlowGraph): this {
    this.#limited(() => {
      for (let at = 0; ;) {
        const { body, end } = elementAt(graph.blocks, at);
        this.#body(body);
        if (end.kind === 'return') return;
        // A loop may repeat without executing statements.
        this.#step();
        if (end.kind === 'jump') at = end.to;
        else if (end.kind === 'branch') at = this.#holds(end.condition) ? end.then : end.else;
        else at = elementAt(end.targets, Number(this.#value(end.index).value));
      }
    });
    return this;
  }

  structured(body: Body): this {
    this.#limited(() => this.#body(body));
    return this;
  }

  #limited(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (error !== outOfSteps) throw error;
    }
  }

  #step(): void {
    if (this.#steps-- <= 0) throw outOfSteps;
  }

  #body(body: Body): Way {
    for (const s of body) {
      const way = this.#statement(s);
      if (way !== 'on') return way;
    }
    return 'on';
  }

  #statement(s: Statement): Way {
    switch (s.kind) {
      case 'print':
        this.#step();
        this.trace.push(
          s.args.map((arg) => (typeof arg === 'string' ? arg : String(this.#value(arg).value))).join(' '),
        );
        return 'on';
      case 'assign':
        this.#values.set(s.local, this.#value(s.value));
        return 'on';
      case 'collective': {
        const drawn = this.#outside(s);
        this.#values.set(s.local, s.op === 'any' ? constant('bool', drawn % 2 === 1) : constant('u32', drawn));
        return 'on';
      }
      case 'load':
        this.#values.set(s.local, constant('u32', this.#outside(s)));
        return 'on';
      case 'clock':
        this.#values.set(s.local, constant('u64', BigInt(this.#outside(s))));
        return 'on';
      case 'if':
        return this.#body(this.#holds(s.condition) ? s.then : s.else);
      case 'block': {
        const way = this.#body(s.body);
        return way === s.label ? 'on' : way;
      }
      case 'loop':
        for (;;) {
          this.#step();
          const way = this.#body(s.body);
          if (way !== 'on') return way === 'break' ? 'on' : way;
        }
      case 'wait':
        do {
          this.#step();
          // A wait may run its body at any time, so the body takes no values from the previous
          // round.
          for (const id of assignedLocals(s.body)) this.#values.delete(id);
          this.#body(s.body);
        } while (!this.#holds(s.condition));
        return 'on';
      case 'leave':
        return s.label;
      case 'break':
        return 'break';
      case 'return':
        return 'return';
      case 'approximate':
        return 'on';
      case 'store':
      case 'atomic':
      case 'fence':
      case 'fenceProxy':
      case 'sync':
      case 'waitAll':
      case 'continue':
      case 'assert':
      case 'call':
        throw new Error(`no ${s.kind} was expected`);
    }
  }

  #holds(condition: Expression): boolean {
    return this.#value(condition).value === true;
  }

  #value(e: Expression): ConstantExpression {
    const value = fold(substituteLocals(e, (id) => this.#values.get(id)));
    if (value.kind !== 'constant') throw new Error('a local is read before it is set');
    return value;
  }
}

const outOfSteps = new Error('out of steps');
