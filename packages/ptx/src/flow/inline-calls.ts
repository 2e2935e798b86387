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
import { callDispatch } from './call-dispatch.ts';
import { functionAddresses, mayTakeAddress, type FunctionAddresses } from './function-addresses.ts';

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

/** The most calls by address inside each other. Each one copies all functions of its signature. */
const MOST_CALLS_BY_ADDRESS = 3;

/**
 * The most instructions and labels of an entry after which no further target of a call by address
 * is copied, so that a table of many functions does not make the entry too large.
 */
const MOST_WITH_TARGETS = { items: 60_000, labels: 20_000 };

/** A sentence that says why a call is not translated, and what to do instead. */
interface Refusal {
  readonly message: string;
  readonly help: string;
}

/** A function to inline, or the reason why it is not inlined. */
type Callee = { readonly fn: PtxFunction; readonly body: PtxBody } | Refusal;

/**
 * Replaces calls by the bodies of their functions, with new names, until only calls in `keeps`
 * remain. Reports functions that call themselves or have no body.
 *
 * A call by address becomes a jump to the functions of its signature whose addresses the text
 * takes. A function that cannot be translated, and any other address, is a trap with a message.
 */
export function inlineCalls(module: PtxModule, entry: PtxFunction, keeps: IsRetainedCall = () => false): InlinedBody {
  return new Inliner(module, keeps).body(entry);
}

class Inliner {
  readonly #functions = new Map<string, PtxFunction>();
  readonly #keeps: IsRetainedCall;
  readonly #registers = new Map<string, PtxType>();
  readonly #variables: PtxVariable[] = [];
  readonly #bytesOf = new Map<string, number>();
  readonly #targets = new Map<string, readonly string[]>();
  readonly #diagnostics: PtxDiagnostic[] = [];
  readonly #items: PtxItem[] = [];
  readonly #addresses: FunctionAddresses;
  readonly #sizes = new Map<string, Size>();
  #copies = 0;
  #labels = 0;
  /** The functions that are called by address, of which this code is a part. */
  #byAddress: readonly string[] = [];
  #span: PtxFunction['span'] | undefined;
  #hasReportedLength = false;

  constructor(module: PtxModule, keeps: IsRetainedCall) {
    // A definition follows its declaration.
    for (const fn of module.functions) {
      if (fn.body !== undefined || !this.#functions.has(fn.name)) this.#functions.set(fn.name, fn);
    }
    this.#keeps = keeps;
    this.#addresses = functionAddresses(module);
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
    for (const variable of body.variables) {
      const name = rename(variable.name);
      this.#variables.push({ ...variable, name });
      this.#bytesOf.set(name, variable.bytes);
    }
    for (const [name, labels] of body.branchTargets) this.#targets.set(rename(name), labels.map(rename));
    for (const item of body.items) {
      if (this.#isTooLong) return;
      if (item.kind === 'label') this.#label(rename(item.name), item.span);
      else this.#instruction(renamed(item, rename), end, within);
    }
  }

  #label(name: string, span: PtxInstruction['span']): void {
    this.#labels++;
    this.#items.push({ kind: 'label', name, span });
  }

  #push(item: PtxInstruction): void {
    const onlyIfCalled = this.#byAddress.at(-1);
    this.#items.push(onlyIfCalled === undefined ? item : { ...item, onlyIfCalled });
  }

  #instruction(given: PtxInstruction, end: string | undefined, within: readonly string[]): void {
    const item = this.#withAddresses(given);
    const [opcode] = item.words;
    if (opcode === 'ret' && end !== undefined) {
      this.#push({ ...item, words: ['bra'], operands: [{ kind: 'symbol', name: end, offset: 0n }] });
      return;
    }
    const { results, callee, args, address } = callParts(item);
    if (opcode !== 'call' || (callee !== undefined && this.#keeps(callee))) {
      this.#push(item);
      return;
    }
    const { guard, ...call } = item;
    const over = guard === undefined ? undefined : `$over@${++this.#copies}`;
    if (guard !== undefined && over !== undefined) {
      this.#push({
        ...call,
        guard: { ...guard, isNegated: !guard.isNegated },
        words: ['bra'],
        operands: [{ kind: 'symbol', name: over, offset: 0n }],
      });
    }
    if (callee === undefined && address !== undefined) this.#callByAddress(call, address, results, args, within);
    else this.#callByName(call, callee, results, args, within);
    if (over !== undefined) this.#label(over, item.span);
  }

  #callByName(
    call: PtxInstruction,
    callee: string | undefined,
    results: readonly PtxOperand[],
    args: readonly PtxOperand[],
    within: readonly string[],
  ): void {
    const found = this.#callee(callee, within);
    if (!('message' in found)) this.#inline(call, found.fn, found.body, results, args, within);
    else if (this.#byAddress.length > 0) this.#trap(call, found.message);
    else {
      this.#diagnostics.push({
        code: 'P2004',
        severity: 'error',
        ...found,
        span: call.span,
        ...(call.location === undefined ? {} : { location: call.location }),
      });
    }
  }

  /** Replaces the names of functions, where they are operands, by their addresses. */
  #withAddresses(item: PtxInstruction): PtxInstruction {
    if (!mayTakeAddress(item.words[0]) || this.#addresses.names.length === 0) return item;
    const isTaken = (operand: PtxOperand): boolean =>
      operand.kind === 'symbol' && this.#addresses.of(operand.name) !== undefined;
    if (!item.operands.some(isTaken)) return item;
    const operands = item.operands.map((operand): PtxOperand => {
      const address = operand.kind === 'symbol' ? this.#addresses.of(operand.name) : undefined;
      return address === undefined || operand.kind !== 'symbol'
        ? operand
        : { kind: 'integer', value: address + operand.offset };
    });
    return { ...item, operands };
  }

  /** Ends the launch with a message. */
  #trap(call: PtxInstruction, trap: string): void {
    this.#push({ ...call, words: ['trap'], operands: [], trap });
    this.#push({ ...call, words: ['exit'], operands: [] });
  }

  #callByAddress(
    call: PtxInstruction,
    address: PtxOperand,
    results: readonly PtxOperand[],
    args: readonly PtxOperand[],
    within: readonly string[],
  ): void {
    if (this.#byAddress.length >= MOST_CALLS_BY_ADDRESS) {
      const most = `more than ${MOST_CALLS_BY_ADDRESS} calls by address are inside each other`;
      return this.#trap(call, `${most}, which is not supported`);
    }
    const copy = ++this.#copies;
    const [done, other] = [`$called@${copy}`, `$uncallable@${copy}`];
    const fitting = this.#addresses.names.filter((name) => this.#fits(name, results, args));
    const labelOf = new Map(fitting.map((name, index) => [name, `$target@${copy}@${index}`]));
    const targets = this.#addresses.names.map((name) => labelOf.get(name) ?? other);
    const dispatch = callDispatch(call, address, targets, other, copy);
    for (const [name, type] of dispatch.registers) this.#registers.set(name, type);
    for (const [name, labels] of dispatch.branchTargets) this.#targets.set(name, labels);
    for (const item of dispatch.items) {
      if (item.kind === 'label') this.#label(item.name, item.span);
      else this.#push(item);
    }
    const before = this.#byAddress;
    for (const [name, label] of labelOf) {
      this.#label(label, call.span);
      this.#byAddress = [...before, name];
      const found = this.#callee(name, within);
      if ('message' in found) this.#trap(call, found.message);
      else if (this.#isFull(name)) {
        this.#trap(call, `${name} is not translated, because the functions of the table are too large together`);
      } else {
        this.#inline(call, found.fn, found.body, results, args, within);
        this.#push({ ...call, words: ['bra'], operands: [{ kind: 'symbol', name: done, offset: 0n }] });
      }
      this.#byAddress = before;
    }
    this.#label(other, call.span);
    this.#trap(call, 'the address that is called is that of no function with these arguments in the text');
    this.#label(done, call.span);
  }

  /** True if a call with these operands fits the function, by the sizes of its parameters. */
  #fits(name: string, results: readonly PtxOperand[], args: readonly PtxOperand[]): boolean {
    const fn = this.#functions.get(name);
    if (fn === undefined || fn.kind !== 'func') return false;
    return this.#haveSizes(fn.params, args) && this.#haveSizes(fn.returns, results);
  }

  #haveSizes(params: readonly PtxVariable[], operands: readonly PtxOperand[]): boolean {
    if (params.length !== operands.length) return false;
    return params.every(({ bytes }, index) => {
      const operand = operands[index];
      const given = operand?.kind === 'symbol' ? this.#bytesOf.get(operand.name) : undefined;
      return given === undefined || given === bytes;
    });
  }

  #isFull(name: string): boolean {
    const { items, labels } = this.#sizeOf(name, 0);
    const { items: most, labels: mostLabels } = MOST_WITH_TARGETS;
    return this.#items.length + items > most || this.#labels + labels > mostLabels;
  }

  /** The size of a function, those that it calls by name included. */
  #sizeOf(name: string, depth: number): Size {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    const body = this.#functions.get(name)?.body;
    if (body === undefined || depth > MOST_CALLS) return { items: 1, labels: 0 };
    // A function that calls itself is not inlined in itself.
    this.#sizes.set(name, { items: 1, labels: 0 });
    const size = { items: 0, labels: 1 };
    for (const item of body.items) {
      size.items++;
      if (item.kind === 'label') size.labels++;
      const callee = item.kind === 'instruction' && item.words[0] === 'call' ? callParts(item).callee : undefined;
      if (callee === undefined) continue;
      const inner = this.#sizeOf(callee, depth + 1);
      size.items += inner.items;
      size.labels += inner.labels;
    }
    this.#sizes.set(name, size);
    return size;
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
    this.#label(end, call.span);
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
      this.#push({ ...call, words: ['mov', param.type], operands: [to, operand] });
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

interface Size {
  readonly items: number;
  readonly labels: number;
}

interface CallParts {
  readonly results: readonly PtxOperand[];
  /** Absent if a register holds the function's address. */
  readonly callee: string | undefined;
  /** The register with the function's address, if the call names none. */
  readonly address: PtxOperand | undefined;
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
    address: callee?.kind === 'register' ? callee : undefined,
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
        return {
          ...of,
          ...(of.base === undefined ? {} : { base: { ...of.base, name: rename(of.base.name) } }),
          ...(of.more === undefined ? {} : { more: of.more.map(operand) }),
        };
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
