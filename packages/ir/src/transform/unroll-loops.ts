import type { ScalarKind } from '@nccl-ts/core';
import type { ScalarValue } from '../arithmetic/scalar-value.ts';
import { constant } from '../build/leaf.ts';
import type { Expression, LocalId } from '../expression.ts';
import type { Module } from '../module.ts';
import type { AssignStatement, Body, LoopStatement, Statement } from '../statement.ts';
import { statementBodies, statementTarget } from '../visit/children.ts';
import { assignedLocals, localSubstitution, readLocals, substituteLocals } from '../visit/locals.ts';
import { mapBody, mapStatementParts } from '../visit/map-body.ts';
import { walkBody, walkStatement } from '../visit/walk.ts';
import { evaluateConstant } from '../arithmetic/evaluate-constant.ts';
import { fold, foldBody } from './fold-constants.ts';

/** The limits of unrolling. */
export interface UnrollLimits {
  /** The most rounds of one loop. @default 32 */
  readonly maxTrips?: number;
  /** The most statements that one loop may become. @default 256 */
  readonly maxStatements?: number;
}

/**
 * Unrolls the counted loops of `module`. In such a loop, a local starts at a constant, and only it
 * decides the condition. Only the update sets it, from itself alone. Each round uses the counter as
 * a constant. Afterwards the local has its last value.
 *
 * Loops with their own `break` or `continue`, with sessions, or beyond the limits do not change.
 */
export function unrollLoops(module: Module, limits: UnrollLimits = {}): Module {
  const unroller = new Unroller(module, limits.maxTrips ?? 32, limits.maxStatements ?? 256);
  const body = unroller.body(module.body);
  return body === module.body ? module : Object.freeze({ ...module, body });
}

class Unroller {
  readonly #maxTrips: number;
  readonly #maxStatements: number;
  #nextLabel: number;

  constructor(module: Module, maxTrips: number, maxStatements: number) {
    this.#maxTrips = maxTrips;
    this.#maxStatements = maxStatements;
    this.#nextLabel = 0;
    walkBody(module.body, {
      statement: (s) => {
        if (s.kind === 'block') this.#nextLabel = Math.max(this.#nextLabel, s.label + 1);
      },
    });
  }

  body(body: Body): Body {
    let changed = false;
    const out: Statement[] = [];
    for (const statement of body) {
      const rounds = statement.kind === 'loop' ? this.#unroll(statement, out) : undefined;
      if (rounds !== undefined) {
        changed = true;
        // The rounds may contain loops that have become counted loops.
        out.push(...this.body(rounds));
        continue;
      }
      const mapped = mapStatementParts(statement, {
        expression: (e) => e,
        target: (id) => id,
        body: (inner) => this.body(inner),
      });
      changed ||= mapped !== statement;
      out.push(mapped);
    }
    return changed ? Object.freeze(out) : body;
  }

  /**
   * Returns the rounds of `loop`, which follows the statements `before`, or `undefined` if it must
   * stay a loop.
   */
  #unroll(loop: LoopStatement, before: Body): Body | undefined {
    const counted = countedLoop(loop);
    if (counted === undefined || mustStay(loop.body)) return undefined;
    const values = this.#trips(counted, initialValue(counted.local, before));
    if (values === undefined) return undefined;
    const last = values.pop();
    if (last === undefined || values.length * statementCount(loop.body) > this.#maxStatements) return undefined;
    const rounds = values.flatMap((value) => this.#round(loop.body, counted, value));
    const end: AssignStatement = {
      ...counted.update,
      value: constant(counted.scalar, last, counted.update.value.span),
    };
    return [...rounds, Object.freeze(end)];
  }

  /** The counter's value in each round, and then the one that ends the loop. */
  #trips(counted: CountedLoop, initial: ScalarValue | undefined): ScalarValue[] | undefined {
    const values: ScalarValue[] = [];
    let value = initial;
    while (value !== undefined) {
      values.push(value);
      const goesOn = evaluateAt(counted.condition, counted, value);
      if (goesOn === false) return values;
      if (goesOn !== true || values.length > this.#maxTrips) return undefined;
      value = evaluateAt(counted.update.value, counted, value);
    }
    return undefined;
  }

  #round(body: Body, counted: CountedLoop, value: ScalarValue): Body {
    const labels = new Map<number, number>();
    walkBody(body, {
      statement: (s) => {
        if (s.kind === 'block') labels.set(s.label, this.#nextLabel++);
      },
    });
    const round = mapBody(body, {
      expression: localSubstitution((id) => (id === counted.local ? constant(counted.scalar, value) : undefined)),
      statement: (s) => {
        if (s.kind !== 'block' && s.kind !== 'leave') return s;
        return Object.freeze({ ...s, label: labels.get(s.label) ?? s.label });
      },
    });
    return foldBody(round);
  }
}

interface CountedLoop {
  readonly local: LocalId;
  readonly scalar: ScalarKind;
  readonly condition: Expression;
  readonly update: AssignStatement;
}

function countedLoop(loop: LoopStatement): CountedLoop | undefined {
  const [update] = loop.update;
  const { condition } = loop;
  if (condition === undefined || loop.update.length !== 1 || update?.kind !== 'assign') return undefined;
  const { local } = update;
  const { type } = update.value;
  const alone = [condition, update.value].every((e) => [...readLocals(e)].every((id) => id === local));
  if (type.kind !== 'scalar' || !alone || assignedLocals(loop.body).has(local)) return undefined;
  return { local, scalar: type.scalar, condition, update };
}

/**
 * True if the body of a loop leaves the loop early, or contains something that may occur only once
 * in a program.
 */
function mustStay(body: Body): boolean {
  return body.some((statement) => {
    if (statement.kind === 'break' || statement.kind === 'continue') return true;
    if (statement.kind === 'call' && statement.session !== undefined) return true;
    // An inner loop takes the breaks and continues inside it.
    if (statement.kind === 'loop') return hasSession(statement);
    return statementBodies(statement).some(mustStay);
  });
}

function hasSession(statement: Statement): boolean {
  let found = false;
  walkStatement(statement, {
    statement: (s) => {
      found ||= s.kind === 'call' && s.session !== undefined;
    },
  });
  return found;
}

/** Returns the value of `local` after `before`, if its last statements determine it. */
function initialValue(local: LocalId, before: Body): ScalarValue | undefined {
  for (let i = before.length - 1; i >= 0; i--) {
    const statement = before[i];
    if (statement === undefined) return undefined;
    if (statement.kind === 'assign' && statement.local === local) return evaluateConstant(fold(statement.value))?.[0];
    if (statementTarget(statement) === local) return undefined;
    if (statementBodies(statement).some((body) => assignedLocals(body).has(local))) return undefined;
  }
  return undefined;
}

function evaluateAt(e: Expression, counted: CountedLoop, value: ScalarValue): ScalarValue | undefined {
  const at = substituteLocals(e, (id) => (id === counted.local ? constant(counted.scalar, value) : undefined));
  return evaluateConstant(fold(at))?.[0];
}

function statementCount(body: Body): number {
  let count = 0;
  walkBody(body, {
    statement: () => {
      count++;
    },
  });
  return count;
}
