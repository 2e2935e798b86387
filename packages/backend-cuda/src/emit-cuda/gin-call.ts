import { NcclError, type MemoryOrder, type MemoryScope } from '@nccl-ts/core';
import type { CallStatement, Expression, Type } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { nativeCoop } from './emit-coop.ts';
import { emitExpression } from './emit-expression.ts';
import { has, needs } from './first-versions.ts';
import { bare } from './parentheses.ts';

/** An argument for which C++ has a default. `usual` is true if the text is that default. */
export interface Trailing {
  readonly text: string;
  readonly usual: boolean;
}

const sharingModes = ['GPU', 'CTA', 'THREAD'] as const;

/**
 * Reads a call's arguments in the order of its signature. Options that were not set have no
 * argument.
 */
export class GinCall {
  readonly s: CallStatement;
  readonly c: CudaEmitContext;
  #read = 0;

  constructor(s: CallStatement, c: CudaEmitContext) {
    this.s = s;
    this.c = c;
  }

  get name(): string {
    return `\`${this.s.name}\``;
  }

  /** Returns the number of arguments that have not been read. */
  get left(): number {
    return this.s.args.length - this.#read;
  }

  /** Returns the context's communicator, which comes first. */
  get comm(): string {
    const [comm] = this.s.args;
    if (comm === undefined) throw this.refused('lacks its communicator');
    return emitExpression(comm, this.c);
  }

  /** Returns the type of the next argument, without reading it. */
  get nextType(): Type | undefined {
    return this.s.args[this.#read]?.type;
  }

  nextExpression(): Expression {
    const found = this.s.args[this.#read++];
    if (found === undefined) throw this.refused('lacks an argument');
    return found;
  }

  next(): string {
    return bare(emitExpression(this.nextExpression(), this.c));
  }

  /** Returns the context: communicator, index, sharing. */
  net(): string {
    const [comm, index, sharing] = [this.next(), this.next(), this.nextExpression()];
    // These are promises. If a version does not accept one, only speed is lost. One thread is also
    // one CTA.
    if (!has(this.c, 'sharing')) return `ncclGin(${comm}, ${index})`;
    const requested = sharing.kind === 'constant' ? sharingModes[Number(sharing.value)] : undefined;
    const mode = requested === 'THREAD' && !has(this.c, 'threadSharing') ? 'CTA' : requested;
    if (mode === 'GPU') return `ncclGin(${comm}, ${index})`;
    const text =
      mode === undefined
        ? `static_cast<ncclGinResourceSharingMode>(${bare(emitExpression(sharing, this.c))})`
        : `NCCL_GIN_RESOURCE_SHARING_${mode}`;
    return `ncclGin(${comm}, ${index}, ${text})`;
  }

  team(): string {
    return `ncclTeam{${this.next()}, ${this.next()}, ${this.next()}}`;
  }

  word(name: string): string | undefined {
    const found = this.s.statics.find((part) => part.kind === 'word' && part.name === name);
    return found?.kind === 'word' ? found.word : undefined;
  }

  /** Returns true for a constant argument that is not 0 or false. */
  flag(name: string): boolean {
    const found = this.s.statics.find((part) => part.kind === 'number' && part.name === name);
    return found?.kind === 'number' && Number(found.number) !== 0;
  }

  /** Returns the group, which by default is the calling thread. */
  coop(): string {
    return this.group().value;
  }

  group(): { readonly type: string; readonly value: string } {
    if (this.s.statics.some((part) => part.kind === 'custom')) {
      throw this.refused('is made by a group of its own; NCCL knows CTAs, warps, tiles, lanes and spans of warps');
    }
    const found = this.s.statics.find((part) => part.kind === 'coop');
    return nativeCoop(found?.kind === 'coop' ? found.coop : { kind: 'tile', size: 1 }, this.c);
  }

  order(usual: MemoryOrder = 'acquire'): Trailing {
    const order = this.word('order') ?? usual;
    return { text: `cuda::memory_order_${order}`, usual: order === usual };
  }

  scope(name: string, usual: MemoryScope): Trailing {
    const scope = this.word(name) ?? usual;
    return { text: `cuda::thread_scope_${scope}`, usual: scope === usual };
  }

  /** Returns the options for reading a signal or counter: bits and order. */
  reading(bits: number): readonly Trailing[] {
    const { nextType: type } = this;
    // The number of bits has type u32. A time limit, which may follow, has 64 bits.
    const isGiven = type?.kind === 'scalar' && type.scalar === 'u32';
    const given = isGiven ? this.nextExpression() : undefined;
    const text =
      given === undefined
        ? String(bits)
        : given.kind === 'constant'
          ? String(given.value)
          : `(int)${emitExpression(given, this.c)}`;
    return [{ text, usual: text === String(bits) }, this.order()];
  }

  /** Returns the time limit of a wait, which comes last. */
  limit(): string | undefined {
    if (this.left === 0) return undefined;
    needs(this.c, 'waitTimeouts', `${this.name} with a time limit`);
    return this.next();
  }

  /** Returns a call of a wait. With a limit it needs all preceding arguments, and has a result. */
  timed(name: string, given: readonly string[], trailing: readonly Trailing[]): string {
    const limit = this.limit();
    if (limit === undefined) return `${name}(${this.trimmed(given, trailing)})`;
    const call = `${name}(${[...given, ...trailing.map(({ text }) => text), limit].join(', ')})`;
    return this.s.local === undefined ? call : `static_cast<unsigned int>(${call})`;
  }

  /** Returns a list of arguments without trailing defaults. */
  trimmed(given: readonly string[], trailing: readonly Trailing[]): string {
    const last = trailing.findLastIndex(({ usual }) => !usual);
    return [...given, ...trailing.slice(0, last + 1).map(({ text }) => text)].join(', ');
  }

  /**
   * Marks the call as a wait. An abortable launch refuses it, because NCCL's wait cannot be ended.
   */
  waits(): void {
    if (this.c.options.abortable !== true) return;
    throw this.refused("waits, and NCCL's wait cannot end an aborted launch: launch it without `abortable`");
  }

  refused(why: string): NcclError {
    return new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `On CUDA the kernel '${this.c.module.name}' cannot call ${this.name}: the call ${why}.`,
      { details: { call: this.s.name } },
    );
  }
}
