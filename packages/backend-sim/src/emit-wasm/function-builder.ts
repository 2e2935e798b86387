import { get, type Code, type Instruction } from './instruction.ts';
import type { WasmType } from './opcodes.ts';
import { Unsupported } from './unsupported.ts';
import type { WasmFunction } from './wasm-module.ts';

/**
 * Numbers of locals from here on follow the last parameter, which is known at the end.
 */
const behindParams = 1 << 20;

/** The limit that browsers have agreed on: for parameters, and with them for all locals. */
const MOST_PARAMS = 1000;
const MOST_LOCALS = 50_000;

/**
 * A function while it is written. Its parameters are values that JavaScript computes before it
 * calls.
 */
export class FunctionBuilder {
  readonly #params = new Map<string, WasmType>();
  readonly #numbers = new Map<string, number>();
  readonly #locals: WasmType[] = [];
  readonly #blocks = new Map<number, number>();
  #labels = 0;
  #fuel: number | undefined;
  #left: number | undefined;
  #ahead: number | undefined;

  /** The parameter for the value of the JavaScript expression `text`: one for all equal texts. */
  param(text: string, type: WasmType): number {
    const key = `${type} ${text}`;
    const before = this.#numbers.get(key);
    if (before !== undefined) return before;
    if (this.#params.size === MOST_PARAMS) throw new Unsupported('more values from outside than a function takes');
    this.#numbers.set(key, this.#params.size);
    this.#params.set(key, type);
    return this.#params.size - 1;
  }

  local(type: WasmType): number {
    if (this.#locals.length + MOST_PARAMS === MOST_LOCALS) throw new Unsupported('more variables than a function has');
    return behindParams + this.#locals.push(type) - 1;
  }

  label(): number {
    return this.#labels++;
  }

  /** The label of a block of the kernel's. */
  blockLabel(block: number): number {
    const label = this.#blocks.get(block) ?? this.label();
    this.#blocks.set(block, label);
    return label;
  }

  hasBlock(block: number): boolean {
    return this.#blocks.has(block);
  }

  /** The local that counts rounds of loops. */
  get fuel(): number {
    this.#fuel ??= this.local('i32');
    return this.#fuel;
  }

  /** The local that counts the rounds until the next clock check. */
  get left(): number {
    this.#left ??= this.local('i32');
    return this.#left;
  }

  /** The local that has those of them that `fuel` leaves out. */
  get ahead(): number {
    this.#ahead ??= this.local('i32');
    return this.#ahead;
  }

  /** True if loops check the clock. */
  get looks(): boolean {
    return this.#left !== undefined;
  }

  /** The JavaScript expressions that the parameters are, in their order. */
  get args(): readonly string[] {
    return [...this.#params].map(([key, type]) => key.slice(type.length + 1));
  }

  finish(name: string, results: readonly WasmType[], code: Code): WasmFunction {
    const count = this.#params.size;
    const place = (instruction: Instruction): Instruction =>
      'local' in instruction && instruction.local >= behindParams
        ? { ...instruction, local: instruction.local - behindParams + count }
        : instruction;
    return {
      name,
      params: [...this.#params.values()],
      results,
      locals: this.#locals,
      code: code.map(place),
      exported: true,
    };
  }
}

/** One value: instructions that leave it on the stack. */
export interface Value {
  readonly type: WasmType;
  readonly code: Code;
  /**
   * The JavaScript expression with the same value, where it does not depend on the thread and was
   * computed before.
   */
  readonly text?: string | undefined;
  /** For floats in lanes of 16 bits: true if each NaN is the one that JavaScript writes. */
  readonly canonical?: true | undefined;
  /** For a region that differs by thread: the beginning and end of its bytes. */
  readonly bounds?: { readonly low: Code; readonly high: Code } | undefined;
}

export function value(type: WasmType, ...code: readonly Instruction[]): Value {
  return { type, code };
}

export function localValue(type: WasmType, local: number): Value {
  return { type, code: [get(local)] };
}

/** True if it may be computed again at no cost. */
export function isLeaf({ code }: Value): boolean {
  const [only] = code;
  return code.length === 1 && only !== undefined && (only.op === 'local.get' || only.op.endsWith('.const'));
}
