import { at } from '@nccl-ts/core';
import type { CallStatement } from '@nccl-ts/ir';
import { as, fenceProxy, join, open, type AgentProgram } from '@nccl-ts/memory-model';
import type { Steps } from './steps.ts';
import { Unsupported } from './thread-fault.ts';

/** The agents of one bulk copy, which read, write, and report its end. */
interface Copy {
  readonly reads: number;
  readonly writes: number;
  /** True if it uses the generic proxy, as asynchronous stores do. */
  readonly isGeneric: boolean;
  /** Absent until the copy has been made. */
  readonly completes?: number;
}

const COPY = 'bulk copy';

/**
 * The bulk copies and asynchronous stores of one thread. Each is made by its own agents, which run beside the thread and
 * use the async proxy: the thread only names the bytes. The end of a copy is a proxy fence for its
 * accesses.
 */
export class ThreadCopies {
  readonly #program: (isGeneric: boolean) => AgentProgram;
  readonly #opened: (agents: readonly number[]) => void;
  #copy: Copy | undefined;
  #loose: Copy[] = [];
  readonly #groups: (readonly Copy[])[] = [];

  /** `opened` receives the agents of each copy. */
  constructor(program: (isGeneric: boolean) => AgentProgram, opened: (agents: readonly number[]) => void) {
    this.#program = program;
    this.#opened = opened;
  }

  /** The agent that reads for the copy in progress; `undefined` if there is none. */
  get reader(): number | undefined {
    return this.#copy?.reads;
  }

  get writer(): number | undefined {
    return this.#copy?.writes;
  }

  /** The agent that counts the copy's bytes at its mbarrier. */
  get completer(): number | undefined {
    return this.#copy?.completes;
  }

  /** Runs a call that concerns copies. `values` are those of its arguments. */
  *call({ name, statics }: CallStatement, values: readonly number[]): Steps<void> {
    const [how] = statics.flatMap((given) => (given.kind === 'word' ? [given.word] : []));
    switch (name) {
      case 'bulk.begin':
        return yield* this.#begin(how === 'store');
      case 'bulk.copied':
        return yield* this.#complete();
      case 'bulk.end':
        if (how === 'group' && this.#copy !== undefined) this.#loose.push(this.#copy);
        this.#copy = undefined;
        return undefined;
      case 'bulk.commit':
        this.#groups.push(this.#loose);
        this.#loose = [];
        return undefined;
      case 'bulk.wait':
        return yield* this.#wait(at(values, 0), how === 'read');
      case 'bulk.fence':
        return yield* fenceProxy('fence.proxy.async');
      default:
        throw new Unsupported(`the primitive ${name}`);
    }
  }

  *#begin(isGeneric: boolean): Steps<void> {
    const agents = yield* open([this.#program(isGeneric), this.#program(isGeneric)]);
    this.#opened(agents);
    this.#copy = { reads: at(agents, 0), writes: at(agents, 1), isGeneric };
  }

  *#complete(): Steps<void> {
    const copy = this.#copy;
    if (copy === undefined) throw new RangeError('A bulk copy ends that never began.');
    const agents = yield* open([this.#program(copy.isGeneric)], [copy.reads, copy.writes]);
    const completes = at(agents, 0);
    if (!copy.isGeneric) yield* as(completes, fenceProxy(COPY));
    this.#opened(agents);
    this.#copy = { ...copy, completes };
  }

  *#wait(left: number, onlyReads: boolean): Steps<void> {
    const over = Math.max(0, this.#groups.length - left);
    const copies = this.#groups.slice(0, over).flat();
    const agents = copies.map(({ reads, completes }) => (onlyReads ? reads : completes));
    yield* join(
      agents.filter((agent) => agent !== undefined),
      COPY,
    );
    if (!onlyReads) this.#groups.splice(0, over);
  }
}

/** True for a call that `ThreadCopies` handles. */
export function isOfCopies({ name }: CallStatement): boolean {
  return name.startsWith('bulk.');
}
