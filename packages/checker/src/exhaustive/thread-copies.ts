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
  /** Come after the reads, and after the whole copy. Absent until it has been made. */
  readonly hasRead?: number;
  readonly completes?: number;
}

/** The copies that are in no group, and those in groups of one kind. */
interface CopyQueue {
  readonly loose: Copy[];
  readonly groups: (readonly Copy[])[];
}

const COPY = 'bulk copy';

/**
 * The bulk copies and asynchronous stores of one thread. Each is made by its own agents, which run
 * beside the thread and use the async proxy: the thread only names the bytes. The end of a copy,
 * and that of its reads, is a proxy fence for its accesses.
 */
export class ThreadCopies {
  readonly #program: (isGeneric: boolean) => AgentProgram;
  readonly #opened: (agents: readonly number[]) => void;
  #copy: Copy | undefined;
  readonly #queues = new Map<string, CopyQueue>();

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
    const [how = '', until] = statics.flatMap((given) => (given.kind === 'word' ? [given.word] : []));
    switch (name) {
      case 'bulk.begin':
        return yield* this.#begin(how === 'store');
      case 'bulk.copied':
        return yield* this.#complete();
      case 'bulk.end':
        if (how !== 'barrier' && this.#copy !== undefined) this.#queueOf(how).loose.push(this.#copy);
        this.#copy = undefined;
        return undefined;
      case 'bulk.commit':
        this.#queueOf(how).groups.push(this.#queueOf(how).loose.splice(0));
        return undefined;
      case 'bulk.wait':
        return yield* this.#wait(how, at(values, 0), until === 'read');
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
    const hasRead = yield* this.#end(copy, [copy.reads]);
    const completes = yield* this.#end(copy, [copy.reads, copy.writes]);
    this.#copy = { ...copy, hasRead, completes };
  }

  /** Opens the agent that comes after these agents of a copy. */
  *#end({ isGeneric }: Copy, after: readonly number[]): Steps<number> {
    const agents = yield* open([this.#program(isGeneric)], after);
    const end = at(agents, 0);
    if (!isGeneric) yield* as(end, fenceProxy(COPY));
    this.#opened(agents);
    return end;
  }

  #queueOf(groups: string): CopyQueue {
    const known = this.#queues.get(groups) ?? { loose: [], groups: [] };
    this.#queues.set(groups, known);
    return known;
  }

  *#wait(of: string, left: number, onlyReads: boolean): Steps<void> {
    const { groups } = this.#queueOf(of);
    const over = Math.max(0, groups.length - left);
    const copies = groups.slice(0, over).flat();
    const agents = copies.map(({ hasRead, completes }) => (onlyReads ? hasRead : completes));
    yield* join(
      agents.filter((agent) => agent !== undefined),
      COPY,
    );
    if (!onlyReads) groups.splice(0, over);
  }
}

/** True for a call that `ThreadCopies` handles. */
export function isOfCopies({ name }: CallStatement): boolean {
  return name.startsWith('bulk.');
}
