import {
  assignedLocals,
  local,
  readLocals,
  statementBodies,
  type ArrayDeclaration,
  type ArrayExpression,
  array,
  type Diagnostic,
  type Expression,
  type Local,
  type LocalExpression,
  type LocalId,
  type Source,
  type Span,
  type Statement,
  type Type,
} from '@nccl-ts/ir';
import type { ParsedFunction } from '../capture/parse-function.ts';
import type { Resolution } from '../capture/resolve.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { captureReports } from '../diagnose/capture-reports.ts';
import { withDeclarations, type DecidedType, type ReportSubject } from './decided-type.ts';
import type { Environment } from './environment.ts';
import type { ReturnSlot } from './return-slot.ts';
import {
  poison,
  valueOperand,
  type ChoiceOperand,
  type Operand,
  type SessionEnding,
  type PoisonOperand,
  type ValueOperand,
} from './operand.ts';

/** A captured text, ready to be lowered any number of times. */
export interface Text {
  readonly parsed: ParsedFunction;
  readonly resolution: Resolution;
  readonly source: number;
}

/**
 * A function that is being lowered: the kernel, a device function, or an arrow function. Inlined
 * functions nest.
 */
export interface FunctionFrame {
  readonly name: string;
  readonly text: Text;
  /** The call that is being inlined. */
  readonly call: Span | undefined;
  /** The kernel's own frame uses `return`. Inlined frames leave their block. */
  readonly kernel: boolean;
  /** The number of open scopes around the frame: sessions of deeper scopes end when it returns. */
  readonly scopeDepth: number;
  readonly depth: number;
  /** The results of the returns of the frame; see `takeReturn`. */
  readonly returns: ReturnSlot;
}

/** A loop or unrolled round that `break` and `continue` may leave. */
export interface LoopTarget {
  readonly scopeDepth: number;
  readonly frame: number;
  readonly breakOut: (span: Span) => void;
  readonly continueOn: (span: Span) => void;
}

/** A block that owns sessions; `end` emits the destructor. */
export interface SessionScope {
  readonly sessions: SessionEnding[];
}

/**
 * The most statements of a kernel. The limit stops a small text from expanding into a huge program.
 */
const MAX_STATEMENTS = 100_000;
const MAX_DIAGNOSTICS = 50;
/**
 * The most nodes that one compilation lowers. Each repeated call and unrolled round counts again,
 * so code that emits no statements is bounded too.
 */
const MAX_NODES = 1_000_000;
/**
 * The limit for nested calls and expressions. It is deeper than authors write, and fits in every
 * engine's stack.
 */
const MAX_NESTING = 600;

/** Thrown to stop a lowering that exceeds its limit. The start of the compilation catches it. */
export class TooLarge extends Error {}

/**
 * The state of one compilation: the growing module, the current list of statements, and the open
 * scopes. Functions that take it define the meaning of the language.
 */
export class Lowering {
  readonly locals: Local[] = [];
  readonly arrays: ArrayDeclaration[] = [];
  readonly sources: Source[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly texts: Map<object, Text | undefined> = new Map();
  /**
   * The device functions that are being inlined, innermost last. A function that appears twice is
   * recursive.
   */
  readonly calling: { readonly key: object; readonly text: Text }[] = [];
  readonly frames: FunctionFrame[] = [];
  readonly loops: LoopTarget[] = [];
  readonly scopes: SessionScope[] = [];
  environment: Environment;
  out: Statement[] = [];
  /** Invariant locals. One statement sets each of them, once per round and before every read. */
  readonly #stable: Set<LocalId> = new Set();
  readonly #reported: Set<string> = new Set();
  /** Variables whose types were decided by literals. */
  readonly decided: Map<LocalId, DecidedType> = new Map();
  #subject: ReportSubject | undefined;
  #statements = 0;
  #nodes = 0;
  #nesting = 0;
  #labels = 0;
  #sessions = 0;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  get frame(): FunctionFrame {
    const frame = this.frames[this.frames.length - 1];
    if (frame === undefined) throw new Error('no function is being lowered');
    return frame;
  }

  span(node: { readonly start: number; readonly end: number }): Span {
    const { text, call } = this.frame;
    const { parsed, source } = text;
    const start = node.start - parsed.shift;
    const end = node.end - parsed.shift;
    return call === undefined ? { source, start, end } : { source, start, end, inlinedAt: call };
  }

  /** The operator between two nodes. */
  operatorSpan(operator: string, left: { readonly end: number }, right: { readonly start: number }): Span {
    const { parsed, source } = this.frame.text;
    const start = this.sources[source]?.text.indexOf(operator, left.end - parsed.shift) ?? -1;
    const from = start + parsed.shift;
    if (start < 0 || from >= right.start) return this.span({ start: left.end, end: right.start });
    return this.span({ start: from, end: from + operator.length });
  }

  /** Reports an error, once for each source location. The returned operand replaces the value. */
  report(diagnostic: Diagnostic): PoisonOperand {
    const primary = diagnostic.labels[0]?.span;
    const key = `${diagnostic.code} ${primary?.source} ${primary?.start} ${primary?.end}`;
    if (!this.#reported.has(key) && this.diagnostics.length < MAX_DIAGNOSTICS) {
      this.#reported.add(key);
      const subject = this.#subject;
      this.diagnostics.push(subject === undefined ? diagnostic : withDeclarations(diagnostic, subject, this.decided));
    }
    return poison;
  }

  /** The subject of current reports. */
  get subject(): ReportSubject | undefined {
    return this.#subject;
  }

  /** Runs `lower` with `subject` as the subject of its reports. */
  about<T>(subject: ReportSubject, lower: () => T): T {
    const outer = this.#subject;
    this.#subject = subject;
    try {
      return lower();
    } finally {
      this.#subject = outer;
    }
  }

  emit(statement: Statement): void {
    this.#statements++;
    if (this.#statements > MAX_STATEMENTS) {
      this.report(
        callReports.tooLarge(statement.span, 'the program that this kernel unrolls to', `${MAX_STATEMENTS} statements`),
      );
      throw new TooLarge();
    }
    this.out.push(statement);
  }

  /**
   * Lowers one node of the text. All nodes pass through here, so that time and depth are limited.
   */
  lowerNode<T>(node: { readonly start: number; readonly end: number }, lower: () => T): T {
    if (++this.#nodes > MAX_NODES) {
      this.report(callReports.tooLarge(this.span(node), 'the work that this kernel unrolls to', `${MAX_NODES} steps`));
      throw new TooLarge();
    }
    if (++this.#nesting > MAX_NESTING) {
      this.report(captureReports.tooDeep(this.span(node)));
      throw new TooLarge();
    }
    try {
      return lower();
    } finally {
      this.#nesting--;
    }
  }

  /** Reports in advance if at least `least` more steps would exceed the bound. */
  expectSteps(least: number, span: Span): void {
    if (this.#nodes + least <= MAX_NODES) return;
    this.report(callReports.tooLarge(span, 'the work that this kernel unrolls to', `${MAX_NODES} steps`));
    throw new TooLarge();
  }

  /** Reports early exits that lead to too many nested branches. */
  readonly tooDeep = (span: Span): never => {
    this.report(captureReports.tooDeep(span, 'branches'));
    throw new TooLarge();
  };

  /** Collects the statements that `lower` emits, outside the current list. */
  collect<T>(lower: () => T): { readonly body: Statement[]; readonly result: T } {
    const outer = this.out;
    const body: Statement[] = [];
    this.out = body;
    try {
      return { body, result: lower() };
    } finally {
      this.out = outer;
    }
  }

  newLocal(name: string, type: Type, span: Span): LocalId {
    this.locals.push({ name, type, span });
    return this.locals.length - 1;
  }

  /** A local that is set once, by the statement that the caller emits next. */
  resultLocal(name: string, type: Type, span: Span): LocalExpression {
    const id = this.newLocal(name, type, span);
    this.#stable.add(id);
    return local(id, type);
  }

  /** Saves the present value of an expression in a local. */
  temp(name: string, value: Expression, span: Span): LocalExpression {
    const target = this.resultLocal(name, value.type, span);
    this.emit({ kind: 'assign', local: target.local, value, span });
    return target;
  }

  newArray(declaration: ArrayDeclaration): ArrayExpression {
    this.arrays.push(declaration);
    return array(this.arrays.length - 1, declaration);
  }

  newLabel(): number {
    return this.#labels++;
  }

  newSession(): number {
    return this.#sessions++;
  }

  /** True if later assignments cannot change the expression's value. */
  isStable(value: Expression): boolean {
    for (const id of readLocals(value)) if (!this.#stable.has(id)) return false;
    return true;
  }

  /** True if a value is constant and costs nothing to repeat. */
  keep(operand: ValueOperand, name: string, span: Span): ValueOperand {
    const { value } = operand;
    if (isLeaf(value) && this.isStable(value)) return operand;
    return valueOperand(this.temp(name, value, span), operand.handle);
  }

  /**
   * Lowers `next` after the evaluation of `operand`. Evaluation is left to right, so `operand`
   * keeps its value even if `next` assigns a variable that it reads.
   */
  after<T>(operand: Operand, span: Span, next: () => T): { readonly operand: Operand; readonly result: T } {
    const out = this.out;
    const mark = out.length;
    const result = next();
    if (out.length === mark) return { operand, result };
    const assigned = assignedLocals(out.slice(mark));
    const before = (value: Expression): Expression => {
      if (this.isStable(value) || ![...readLocals(value)].some((id) => assigned.has(id))) return value;
      const stored = this.resultLocal('before', value.type, span);
      out.splice(mark, 0, { kind: 'assign', local: stored.local, value, span });
      return stored;
    };
    if (operand.kind === 'value') return { operand: valueOperand(before(operand.value), operand.handle), result };
    if (operand.kind === 'choice') return { operand: decidedBefore(operand, before), result };
    return { operand, result };
  }

  /** Runs `lower` in a new block. Sessions created in it end with the block. */
  scoped<T>(span: Span, lower: () => T): T {
    const scope: SessionScope = { sessions: [] };
    this.scopes.push(scope);
    try {
      const result = lower();
      if (!endsEarly(this.out)) endSessions(scope, span);
      return result;
    } finally {
      this.scopes.pop();
    }
  }

  /**
   * Ends the sessions of all scopes deeper than `depth`, innermost first, without closing the
   * scopes.
   */
  unwind(depth: number, span: Span): void {
    for (let i = this.scopes.length - 1; i >= depth; i--) {
      const scope = this.scopes[i];
      if (scope !== undefined) endSessions(scope, span);
    }
  }
}

function decidedBefore(choice: ChoiceOperand, before: (value: Expression) => Expression): ChoiceOperand {
  const side = (operand: ChoiceOperand['then']): ChoiceOperand['then'] =>
    operand.kind === 'choice' ? decidedBefore(operand, before) : operand;
  return { ...choice, condition: before(choice.condition), then: side(choice.then), else: side(choice.else) };
}

function endSessions(scope: SessionScope, span: Span): void {
  for (let i = scope.sessions.length - 1; i >= 0; i--) scope.sessions[i]?.end(span);
}

/** True if the end of a list of statements is unreachable. */
export function endsEarly(body: readonly Statement[]): boolean {
  const last = body.at(-1);
  if (last === undefined) return false;
  if (last.kind === 'if') return endsEarly(last.then) && endsEarly(last.else);
  if (last.kind === 'loop') return last.condition === undefined && !breaks(last.body) && !breaks(last.update);
  return last.kind === 'return' || last.kind === 'leave' || last.kind === 'break' || last.kind === 'continue';
}

/** True if a `break` in `body` leaves the loop around it. */
function breaks(body: readonly Statement[]): boolean {
  return body.some((statement) => {
    if (statement.kind === 'break') return true;
    return statement.kind !== 'loop' && statementBodies(statement).some(breaks);
  });
}

function isLeaf(value: Expression): boolean {
  switch (value.kind) {
    case 'constant':
    case 'param':
    case 'builtin':
    case 'array':
    case 'local':
      return true;
    case 'field':
      return isLeaf(value.base);
    case 'addressPointer':
    case 'binary':
    case 'bitcast':
    case 'compare':
    case 'convert':
    case 'intrinsic':
    case 'lane':
    case 'logical':
    case 'math':
    case 'multicastPointer':
    case 'multicastSize':
    case 'clusterPointer':
    case 'pointerCast':
    case 'pointerOffset':
    case 'select':
    case 'unary':
    case 'unicastPointer':
    case 'vector':
    case 'windowPointer':
    case 'withLane':
      return false;
  }
}
