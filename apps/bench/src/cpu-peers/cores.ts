import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const THREADS = '/proc/self/task';

/** Numbers of the threads of this process; none where the system does not say. */
function threadsHere(): ReadonlySet<string> {
  try {
    return new Set(readdirSync(THREADS));
  } catch {
    return new Set();
  }
}

function threadsBesides(known: ReadonlySet<string>): readonly string[] {
  return [...threadsHere()].filter((thread) => !known.has(thread));
}

/**
 * The cores that this process was given, as `0-1` or `0,2`; undefined where the system does not
 * say.
 */
function coresHere(): string | undefined {
  try {
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** The single cores of such a list. */
function coresOf(list: string): readonly number[] {
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

/**
 * Lets threads run on these cores alone. True if they are pinned from now on. Without `taskset`,
 * the system places them as it likes.
 */
function pin(threads: Iterable<number | string>, cores: string): boolean {
  return [...threads].every((thread) => spawnSync('taskset', ['-cp', cores, String(thread)]).status === 0);
}

/** Starts threads, and gives each of them a core of its own, as far as there are some. */
export async function onCores<Made>(start: () => Promise<Made>): Promise<Made> {
  const before = threadsHere();
  const made = await start();
  const cores = coresOf(coresHere() ?? '');
  if (cores.length > 1) threadsBesides(before).forEach((thread, i) => pin([thread], String(cores[i % cores.length])));
  return made;
}

/**
 * One core for this thread and one for the threads that it starts, while they are `taken`. Threads
 * started meanwhile run on this thread's core, so none should be.
 */
export class CorePair {
  readonly #all: string | undefined = coresHere();
  /** Threads that are where they are to stay. */
  readonly #placed: Set<string>;
  /** True if there are two cores, and the system accepts the choice. */
  readonly isPinned: boolean;

  /** Existing threads stay on their present cores. */
  constructor() {
    this.#placed = new Set(threadsHere());
    this.isPinned = this.#all !== undefined && coresOf(this.#all).length > 1 && pin([process.pid], this.#all);
  }

  take(): void {
    if (!this.isPinned) return;
    const [first, second] = coresOf(this.#all ?? '');
    pin([process.pid], String(first));
    const fresh = threadsBesides(this.#placed);
    for (const thread of fresh) this.#placed.add(thread);
    pin(fresh, String(second));
  }

  leave(): void {
    if (this.isPinned && this.#all !== undefined) pin([process.pid], this.#all);
  }
}
