import { at } from '@nccl-ts/core';
import {
  Namer,
  type ArrayPlan,
  Writer,
  type Expression,
  type LoadStatement,
  type LocalId,
  type Module,
  type Span,
  type Type,
  type Uniformity,
} from '@nccl-ts/ir';
import type { EmitWgslOptions, PrintSite, WgslSite } from '../wgsl-source.ts';
import type { ArithmeticContext, LibraryFunction } from './arithmetic/index.ts';
import type { Jumps } from './jumps.ts';
import { LineMarks } from './line-marks.ts';
import type { RecordLayout } from './launch-record.ts';
import type { MemoryFunctions } from './memory.ts';
import type { Origins } from './pointer-origins.ts';
import { reservedWords } from './reserved-words.ts';
import { wgslType } from './value-type.ts';

/** The facts about a kernel that are known before its text is generated. */
export interface Facts {
  readonly module: Module;
  readonly options: EmitWgslOptions;
  readonly uniformity: Uniformity;
  readonly origins: Origins;
  readonly record: RecordLayout;
  readonly arrays: ArrayPlan;
  /** The words of the arrays of a CTA, and of a thread. */
  readonly arrayWords: { readonly shared: number; readonly local: number };
  /**
   * The threads of a CTA, the invocations of a workgroup, and the threads that each invocation
   * runs.
   */
  readonly threads: number;
  readonly workgroup: number;
  readonly threadsEach: number;
  /** The locals that more than one function uses, which are variables of the invocation. */
  readonly crossing: ReadonlySet<LocalId>;
  /** True if some threads may end before others. */
  readonly partialReturns: boolean;
}

/** The state that the parts of the emitter share for one kernel. */
export class WgslEmitContext {
  readonly facts: Facts;
  readonly locals: readonly string[];
  readonly library: Set<LibraryFunction> = new Set();
  readonly memory: MemoryFunctions;
  /** Functions that were generated for this kernel's types, by name. */
  readonly helpers: Map<string, string> = new Map();
  readonly sites: WgslSite[] = [];
  readonly prints: PrintSite[] = [];
  readonly arithmetic: ArithmeticContext;
  /** The lines of the current function. */
  writer: Writer = new Writer();
  /** The span of the current statement, and its kind. */
  span: Span = { source: 0, start: 0, end: 0 };
  jumps: Jumps | undefined;
  /** Receives every load, if loads must be reported. */
  noteLoad: ((s: LoadStatement) => void) | undefined;
  /** The constants at the head of the current function, by their text. */
  head: Map<string, string> = new Map();
  /** The locals that the current function must declare. */
  declared: Set<LocalId> = new Set();
  readonly used = { clock: false, wide: false, print: false, fuel: false };
  /** Set if the source of each line is to be known. */
  readonly lines: LineMarks | undefined;
  readonly #siteNumbers = new Map<string, number>();
  #temporaries = 0;

  constructor(facts: Facts, memory: MemoryFunctions) {
    this.facts = facts;
    this.memory = memory;
    this.lines = facts.options.lines === true ? new LineMarks() : undefined;
    const namer = new Namer(reservedWords);
    // The emitter's own names begin with `nts_`.
    this.locals = facts.module.locals.map(({ name }) => namer.name(name.replace(/^_*nts_/, 'k_')));
    const library = this.library;
    const siteText = (): string => `${this.site('arithmetic')}u`;
    this.arithmetic = {
      exact: facts.options.exact,
      use: (fn) => void library.add(fn),
      get site() {
        return siteText();
      },
    };
  }

  get checks(): boolean {
    return this.facts.options.checks;
  }

  /** Returns the number of a source location. `what` is its statement. */
  site(what: string, span: Span = this.span, message?: string): number {
    const key = `${what} ${spanKey(span)} ${message ?? ''}`;
    let number = this.#siteNumbers.get(key);
    if (number === undefined) {
      number = this.sites.push({ span, what, ...(message !== undefined && { message }) }) - 1;
      this.#siteNumbers.set(key, number);
    }
    return number;
  }

  /** Returns the variable of a local in the current function. */
  local(id: LocalId): string {
    const name = at(this.locals, id);
    if (this.facts.crossing.has(id)) return this.facts.threadsEach > 1 ? `${name}[nts_k]` : name;
    this.declared.add(id);
    return name;
  }

  localType(id: LocalId): Type {
    const local = this.facts.module.locals[id];
    if (local === undefined) throw new RangeError(`The module has no local ${id}.`);
    return local.type;
  }

  /** Returns the WGSL type of a local. */
  typeOf(id: LocalId): string {
    return wgslType(this.localType(id));
  }

  /** Returns a helper function for this kernel. `text` is called once. */
  helper(name: string, text: () => string): string {
    if (!this.helpers.has(name)) {
      // Registered first, because functions that the text needs may need it in turn.
      this.helpers.set(name, '');
      this.helpers.set(name, text());
    }
    return name;
  }

  /**
   * Returns the name of a constant at the head of the current function, with the value of `text`.
   * Equal constants are merged.
   */
  atHead(text: () => string): string {
    const { writer, head } = this;
    const before = new Writer();
    this.writer = before;
    const value = text();
    this.writer = writer;
    const known = head.get(value);
    if (known !== undefined) return known;
    const name = this.temporary();
    head.set(value, name);
    return name;
  }

  temporary(): string {
    return `nts_v${this.#temporaries++}`;
  }

  /**
   * Emits two branches without `else`. In a loop, SwiftShader's compile time doubles with every
   * further `if` that has an `else`: 24 of them take half a minute.
   */
  choose(condition: string, then: () => void, otherwise: () => void): void {
    const name = this.temporary();
    this.line(`let ${name} = ${condition};`);
    this.block(`if (${name}) {`, then);
    this.block(`if (!${name}) {`, otherwise);
  }

  line(text: string): void {
    this.writer.line(this.lines?.marked(text, this.span) ?? text);
  }

  block(head: string, write: () => void, tail = '}'): void {
    this.line(head);
    this.writer.indented(write).line(tail);
  }

  /** Sets the source location for faults of `e`. */
  at<T>(e: Expression, write: () => T): T {
    if (e.span === undefined) return write();
    const before = this.span;
    this.span = e.span;
    const result = write();
    this.span = before;
    return result;
  }
}

/** Each call of a device function has its own key. */
function spanKey({ source, start, end, inlinedAt }: Span): string {
  const here = `${source}:${start}-${end}`;
  return inlinedAt === undefined ? here : `${here} at ${spanKey(inlinedAt)}`;
}
