import { Namer, Writer, type LocalId, type Module, type Span, type Statement } from '@nccl-ts/ir';
import type { EmitCudaOptions, PrintSite } from '../cuda-source.ts';
import { inlineDeclared, touchedBy, type Touched } from './inline-declared.ts';
import type { PreludePart } from './prelude.ts';
import { reservedWords } from './reserved-words.ts';

/** An object of NCCL's class for a session. */
export interface NativeSession {
  readonly name: string;
  readonly type: string;
  /**
   * For a barrier over the network: the subject of its fence, which is the context, after a loop if
   * there are several.
   */
  readonly fenced?: string;
}

/** The state that the parts of the emitter share for one kernel. */
export class CudaEmitContext {
  readonly module: Module;
  readonly options: EmitCudaOptions;
  readonly entry: string;
  readonly locals: readonly string[];
  readonly params: readonly string[];
  readonly arrays: readonly string[];
  readonly writer: Writer = new Writer();
  readonly parts: Set<PreludePart> = new Set();
  readonly ncclIncludes: Set<string> = new Set();
  /** True if the text calls NCCL's reduce and copy functions. */
  reduceCopy = false;
  /** The print statements. If there are any, the kernel has a printer parameter. */
  readonly sites: PrintSite[] = [];
  /** The locals that are declared where they are set. The others are declared at the top. */
  readonly inline: ReadonlySet<LocalId>;
  /** The names of native session objects, by session. */
  readonly sessions: Map<number, NativeSession> = new Map();
  /** The constants at the head of the kernel, by the text of their value. */
  readonly constants: Map<string, { readonly name: string; readonly type: string }> = new Map();
  /** Helper functions that depend on the kernel, by name. They follow the prelude. */
  readonly functions: Map<string, string> = new Map();
  /** The shared scratch memory that group operations need, declared at the top. */
  readonly scratch: Set<string> = new Set();
  readonly namer: Namer = new Namer(reservedWords);
  /** The span in the kernel of each line so far. */
  readonly lines: (Span | undefined)[] = [];
  span: Span | undefined;
  /** The labels of nested loops and blocks. */
  readonly labels: Map<number, string> = new Map();
  readonly loops: { readonly next: string | undefined; used: boolean }[] = [];

  /** True if a statement is emitted as a call of NCCL instead of its body. */
  readonly isNative: (statement: Statement) => boolean;
  /** The locals and arrays that the text mentions. */
  readonly touched: Touched;

  constructor(module: Module, options: EmitCudaOptions, isNative: (statement: Statement) => boolean) {
    this.isNative = isNative;
    this.touched = touchedBy(module, isNative);
    this.module = module;
    this.options = options;
    this.entry = this.namer.name(module.name);
    this.params = module.params.map((param) => this.namer.name(param.name));
    this.arrays = module.arrays.map(({ name }, id) => (this.touched.arrays.has(id) ? this.namer.name(name) : ''));
    this.locals = module.locals.map((local) => this.namer.name(local.name));
    this.inline = inlineDeclared(module, isNative);
  }

  /**
   * Returns the name of a constant that is declared at the head of the kernel, once for each text.
   */
  constant(wanted: string, type: string, text: string): string {
    let known = this.constants.get(text);
    if (known === undefined) {
      known = { name: this.namer.name(wanted), type };
      this.constants.set(text, known);
    }
    return known.name;
  }

  use(part: PreludePart): void {
    this.parts.add(part);
  }

  line(text: string): void {
    const before = this.writer.lineCount;
    this.writer.line(text);
    for (let i = before; i < this.writer.lineCount; i++) this.lines[i] = this.span;
  }

  block(head: string, write: () => void, tail = '}'): void {
    this.line(head);
    this.writer.indented(write);
    this.line(tail);
  }
}
