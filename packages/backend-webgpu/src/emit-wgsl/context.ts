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

/** The facts about a kernel before its text is written. */
export interface Facts {
  readonly module: Module;
  readonly options: EmitWgslOptions;
  readonly uniformity: Uniformity;
  readonly origins: Origins;
  readonly record: RecordLayout;
  readonly arrays: ArrayPlan;
  /** Words of the arrays of a CTA, and of a thread. */
  readonly arrayWords: { readonly shared: number; readonly local: number };
  /** Threads of a CTA, invocations of a workgroup, threads that each invocation runs. */
  readonly threads: number;
  readonly workgroup: number;
  readonly threadsEach: number;
  /** Locals that more than one function names: variables of the invocation. */
  readonly crossing: ReadonlySet<LocalId>;
  /** True if some threads may end before others. */
  readonly partialReturns: boolean;
}

/** The state that the parts of the emitter share for one kernel. */
export class EmitContext {
  readonly facts: Facts;
  readonly locals: readonly string[];
  readonly library: Set<LibraryFunction> = new Set();
  readonly memory: MemoryFunctions;
  /** Functions that were made for this kernel's types, by name. */
  readonly helpers: Map<string, string> = new Map();
  readonly sites: WgslSite[] = [];
  readonly prints: PrintSite[] = [];
  readonly arithmetic: ArithmeticContext;
  /** Lines of the function that is being written. */
  writer: Writer = new Writer();
  /** The span of the statement that is being written, and its kind. */
  span: Span = { source: 0, start: 0, end: 0 };
  jumps: Jumps | undefined;
  /** Told of every load, where loads are to be reported. */
  noteLoad: ((s: LoadStatement) => void) | undefined;
  /** Constants at the head of the present function, by their text. */
  head: Map<string, string> = new Map();
  /** Locals that the present function must declare. */
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
    // `nts_` is what the emitter itself names.
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

  /** The number of a source location; `what` is its statement. */
  site(what: string, span: Span = this.span, message?: string): number {
    const key = `${what} ${placeOf(span)} ${message ?? ''}`;
    let number = this.#siteNumbers.get(key);
    if (number === undefined) {
      number = this.sites.push({ span, what, ...(message !== undefined && { message }) }) - 1;
      this.#siteNumbers.set(key, number);
    }
    return number;
  }

  /** The variable of a local in the present function. */
  local(id: LocalId): string {
    const name = this.locals[id] ?? '';
    if (this.facts.crossing.has(id)) return this.facts.threadsEach > 1 ? `${name}[nts_k]` : name;
    this.declared.add(id);
    return name;
  }

  localType(id: LocalId): Type {
    const local = this.facts.module.locals[id];
    if (local === undefined) throw new RangeError(`The module has no local ${id}.`);
    return local.type;
  }

  /** The WGSL type of a local. */
  typeOf(id: LocalId): string {
    return wgslType(this.localType(id));
  }

  /** A helper function for this kernel; `text` is called once. */
  helper(name: string, text: () => string): string {
    if (!this.helpers.has(name)) {
      // Held first: what the text needs may need it in turn.
      this.helpers.set(name, '');
      this.helpers.set(name, text());
    }
    return name;
  }

  /**
   * The name of a constant at the head of the present function, with the value of `text`; equal
   * ones are merged.
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
   * Writes two branches, without `else`. SwiftShader compiles an `if` with an `else` in a loop for
   * twice as long for every further one: 24 of them take half a minute.
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

  /** The source location for faults of `e`. */
  at<T>(e: Expression, write: () => T): T {
    if (e.span === undefined) return write();
    const before = this.span;
    this.span = e.span;
    const result = write();
    this.span = before;
    return result;
  }
}

/** A device function is somewhere else wherever it is called. */
function placeOf({ source, start, end, inlinedAt }: Span): string {
  const here = `${source}:${start}-${end}`;
  return inlinedAt === undefined ? here : `${here} at ${placeOf(inlinedAt)}`;
}
