import type { PtxDiagnostic } from '../syntax/diagnostic.ts';
import type {
  PtxBody,
  PtxFunction,
  PtxInstruction,
  PtxItem,
  PtxModule,
  PtxOperand,
  PtxType,
  PtxVariable,
} from '../syntax/module.ts';

/** An entry after its calls were inlined. */
export interface InlinedBody extends PtxBody {
  readonly diagnostics: readonly PtxDiagnostic[];
}

/**
 * Selects calls that represent instructions of this package, by the name of the function. These are
 * not inlined.
 */
export type IsRetainedCall = (name: string) => boolean;

/** The most instructions of an entry after inlining. Each call is a copy of the function. */
const MOST_ITEMS = 500_000;

/** The most calls inside each other. */
const MOST_CALLS = 256;

/** A sentence that says why a call is not translated, and what to do instead. */
interface Refusal {
  readonly message: string;
  readonly help: string;
}

/** A function to inline, or the reason why it is not inlined. */
type Callee = { readonly fn: PtxFunction; readonly body: PtxBody } | Refusal;

/**
 * Replaces calls by the bodies of their functions, with new names, until only calls in `keeps`
 * remain. Reports functions that call themselves, that have no body, or that are called by address.
 */
export function inlineCalls(module: PtxModule, entry: PtxFunction, keeps: IsRetainedCall = () => false): InlinedBody {
  return new Inliner(module, keeps).body(entry);
}

class Inliner {
  readonly #functions = new Map<string, PtxFunction>();
  readonly #keeps: IsRetainedCall;
  readonly #registers = new Map<string, PtxType>();
  readonly #variables: PtxVariable[] = [];
  readonly #targets = new Map<string, readonly string[]>();
  readonly #diagnostics: PtxDiagnostic[] = [];
  readonly #items: PtxItem[] = [];
  #copies = 0;
  #span: PtxFunction['span'] | undefined;
  #hasReportedLength = false;

  constructor(module: PtxModule, keeps: IsRetainedCall) {
    // A definition follows its declaration.
    for (const fn of module.functions) {
      if (fn.body !== undefined || !this.#functions.has(fn.name)) this.#functions.set(fn.name, fn);
    }
    this.#keeps = keeps;
  }

  body(entry: PtxFunction): InlinedBody {
    this.#span = entry.span;
    if (entry.body !== undefined) this.#copy(entry.body, (name) => name, undefined, [entry.name]);
    return {
      registers: this.#registers,
      variables: this.#variables,
      items: this.#items,
      branchTargets: this.#targets,
      diagnostics: this.#diagnostics,
    };
  }

  /** The `ret` of a called function becomes a jump to the label `end`. */
  #copy(body: PtxBody, rename: (name: string) => string, end: string | undefined, within: readonly string[]): void {
    for (const [name, type] of body.registers) this.#registers.set(rename(name), type);
    for (const variable of body.variables) this.#variables.push({ ...variable, name: rename(variable.name) });
    for (const [name, labels] of body.branchTargets) this.#targets.set(rename(name), labels.map(rename));
    for (const item of body.items) {
      if (this.#isTooLong) return;
      if (item.kind === 'label') this.#items.push({ ...item, name: rename(item.name) });
      else this.#instruction(renamed(item, rename), end, within);
    }
  }

  #instruction(item: PtxInstruction, end: string | undefined, within: readonly string[]): void {
    const [opcode] = item.words;
    if (opcode === 'ret' && end !== undefined) {
      this.#items.push({ ...item, words: ['bra'], operands: [{ kind: 'symbol', name: end, offset: 0n }] });
      return;
    }
    if (opcode !== 'call') {
      this.#items.push(item);
      return;
    }
    const { results, callee, args } = callParts(item);
    if (callee !== undefined && this.#keeps(callee)) {
      this.#items.push(item);
      return;
    }
    const found = this.#callee(callee, within);
    if ('message' in found) {
      this.#diagnostics.push({
        code: 'P2004',
        severity: 'error',
        ...found,
        span: item.span,
        ...(item.location === undefined ? {} : { location: item.location }),
      });
      return;
    }
    this.#inline(item, found.fn, found.body, results, args, within);
  }

  /** Reports a kernel that is too long once, at the entry, and then stops. */
  get #isTooLong(): boolean {
    if (this.#items.length <= MOST_ITEMS) return false;
    if (!this.#hasReportedLength && this.#span !== undefined) {
      this.#hasReportedLength = true;
      this.#diagnostics.push({
        code: 'P2004',
        severity: 'error',
        message: `the kernel has more than ${MOST_ITEMS} instructions, those of its functions included`,
        help: 'check a smaller instance of its template',
        span: this.#span,
      });
    }
    return true;
  }

  #callee(name: string | undefined, within: readonly string[]): Callee {
    if (name === undefined) {
      return {
        message: 'the function called here is known only by its address',
        help: 'call it by its name: a switch can choose',
      };
    }
    if (within.includes(name)) return { message: `${name} calls itself`, help: 'write it as a loop' };
    if (within.length > MOST_CALLS) {
      return {
        message: `the calls of the kernel are nested more than ${MOST_CALLS} deep`,
        help: 'call fewer functions inside each other',
      };
    }
    if (name === 'malloc' || name === 'free') {
      return {
        message: `${name} needs a heap, which kernels do not have here`,
        help: 'let the host allocate the memory, and pass a pointer to it',
      };
    }
    const fn = this.#functions.get(name);
    if (fn?.body !== undefined) return { fn, body: fn.body };
    return {
      message: `${name} is defined elsewhere, so its call cannot be translated`,
      help: 'compile it in the same file, so that its body is in the text',
    };
  }

  #inline(
    call: PtxInstruction,
    fn: PtxFunction,
    body: PtxBody,
    results: readonly PtxOperand[],
    args: readonly PtxOperand[],
    within: readonly string[],
  ): void {
    const copy = ++this.#copies;
    const given = new Map<string, string>();
    const pass = (params: readonly PtxVariable[], operands: readonly PtxOperand[]): void => {
      params.forEach((param, index) => {
        const operand = operands[index];
        if (operand?.kind === 'symbol' || operand?.kind === 'register') given.set(param.name, operand.name);
      });
    };
    pass(fn.params, args);
    pass(fn.returns, results);
    const end = `$end@${copy}`;
    const own = (name: string): string => given.get(name) ?? `${name}@@${copy}`;
    const rename = (name: string): string =>
      given.has(name) || body.registers.has(name) || isDeclared(body, name) ? own(name) : name;
    this.#literals(fn, args, given, call, copy);
    this.#copy(body, rename, end, [...within, fn.name]);
    this.#items.push({ kind: 'label', name: end, span: call.span });
  }

  /** Moves an argument that is a number into a register with the parameter's name. */
  #literals(
    fn: PtxFunction,
    args: readonly PtxOperand[],
    given: Map<string, string>,
    call: PtxInstruction,
    copy: number,
  ): void {
    fn.params.forEach((param, index) => {
      const operand = args[index];
      if (operand === undefined || given.has(param.name)) return;
      const name = `${param.name}@@${copy}`;
      given.set(param.name, name);
      this.#registers.set(name, param.type);
      const to: PtxOperand = { kind: 'register', name, isNegated: false };
      this.#items.push({ ...call, words: ['mov', param.type], operands: [to, operand] });
    });
  }
}

function isDeclared(body: PtxBody, name: string): boolean {
  const declared =
    namesOf.get(body) ??
    new Set([...body.variables.map((v) => v.name), ...labelsOf(body), ...body.branchTargets.keys()]);
  namesOf.set(body, declared);
  return declared.has(name);
}

const namesOf = new WeakMap<PtxBody, ReadonlySet<string>>();

function labelsOf({ items }: PtxBody): readonly string[] {
  return items.flatMap((item) => (item.kind === 'label' ? [item.name] : []));
}

interface CallParts {
  readonly results: readonly PtxOperand[];
  /** Absent if a register holds the function's address. */
  readonly callee: string | undefined;
  readonly args: readonly PtxOperand[];
}

/** Reads `call (results), callee, (args);`, where each list is optional. */
export function callParts({ operands }: PtxInstruction): CallParts {
  const index = operands.findIndex(({ kind }) => kind === 'symbol' || kind === 'register');
  const callee = operands[index];
  const before = operands[index - 1];
  const after = operands[index + 1];
  return {
    results: before?.kind === 'list' ? before.elements : [],
    callee: callee?.kind === 'symbol' ? callee.name : undefined,
    args: after?.kind === 'list' ? after.elements : [],
  };
}

function renamed(item: PtxInstruction, rename: (name: string) => string): PtxInstruction {
  const operand = (of: PtxOperand): PtxOperand => {
    switch (of.kind) {
      case 'register':
      case 'symbol':
        return { ...of, name: rename(of.name) };
      case 'address':
        return of.base === undefined ? of : { ...of, base: { ...of.base, name: rename(of.base.name) } };
      case 'vector':
      case 'list':
        return { ...of, elements: of.elements.map(operand) };
      case 'pair':
        return { ...of, first: operand(of.first), second: operand(of.second) };
      case 'integer':
      case 'float':
      case 'sink':
        return of;
    }
  };
  const { guard } = item;
  return {
    ...item,
    operands: item.operands.map(operand),
    ...(guard === undefined ? {} : { guard: { ...guard, register: rename(guard.register) } }),
  };
}
