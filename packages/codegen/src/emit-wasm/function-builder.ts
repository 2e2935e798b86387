import { get, type WasmCode, type Instruction } from './instruction.ts';
import type { WasmType } from './opcodes.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';
import type { WasmFunction } from './wasm-module.ts';

/**
 * Locals with numbers from this one up follow the last parameter, which is known only at the end.
 */
const behindParams = 1 << 20;

/**
 * The limit that browsers have agreed on: for parameters, and for parameters and locals together.
 */
const MOST_PARAMS = 1000;
const MOST_LOCALS = 50_000;

/**
 * A function under construction. Its parameters are values that JavaScript computes before the
 * call.
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

  /**
   * Returns the parameter for the value of the JavaScript expression `text`. Equal texts share one.
   */
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

  /** Returns the label for one of the kernel's blocks. */
  blockLabel(block: number): number {
    const label = this.#blocks.get(block) ?? this.label();
    this.#blocks.set(block, label);
    return label;
  }

  hasBlock(block: number): boolean {
    return this.#blocks.has(block);
  }

  /** Returns the local that counts rounds of loops. */
  get fuel(): number {
    this.#fuel ??= this.local('i32');
    return this.#fuel;
  }

  /** Returns the local that counts the rounds until the next clock check. */
  get left(): number {
    this.#left ??= this.local('i32');
    return this.#left;
  }

  /** Returns the local with the number of those rounds that `fuel` leaves out. */
  get ahead(): number {
    this.#ahead ??= this.local('i32');
    return this.#ahead;
  }

  /** True if loops check the clock. */
  get looks(): boolean {
    return this.#left !== undefined;
  }

  /** Returns the JavaScript expressions for the parameters, in order. */
  get args(): readonly string[] {
    return [...this.#params].map(([key, type]) => key.slice(type.length + 1));
  }

  finish(name: string, results: readonly WasmType[], code: WasmCode): WasmFunction {
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

/** One value: instructions that push it on the stack. */
export interface WasmValue {
  readonly type: WasmType;
  readonly code: WasmCode;
  /**
   * The JavaScript expression with the same value, if it does not depend on the thread and was
   * computed before.
   */
  readonly text?: string | undefined;
  /** For floats in 16-bit lanes: true if each NaN is the one that JavaScript writes. */
  readonly canonical?: true | undefined;
  /** For a region that differs by thread: the start and end of its bytes. */
  readonly bounds?: { readonly low: WasmCode; readonly high: WasmCode } | undefined;
}

export function value(type: WasmType, ...code: readonly Instruction[]): WasmValue {
  return { type, code };
}

export function localValue(type: WasmType, local: number): WasmValue {
  return { type, code: [get(local)] };
}

/** True if the value may be computed again at no cost. */
export function isLeaf({ code }: WasmValue): boolean {
  const [only] = code;
  return code.length === 1 && only !== undefined && (only.op === 'local.get' || only.op.endsWith('.const'));
}
