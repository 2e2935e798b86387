import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const THREADS = '/proc/self/task';

/** The numbers of the threads of this process. Empty if the system does not report them. */
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

/** The cores of this process, as `0-1` or `0,2`. `undefined` if the system does not report them. */
function coresHere(): string | undefined {
  try {
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** The cores in such a list. */
function coresOf(list: string): readonly number[] {
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

/**
 * Pins threads to these cores. Returns true if that worked. Without `taskset`, the system chooses
 * the cores.
 */
function pin(threads: Iterable<number | string>, cores: string): boolean {
  return [...threads].every((thread) => spawnSync('taskset', ['-cp', cores, String(thread)]).status === 0);
}

/** Starts threads, and gives each of them its own core while there are enough. */
export async function onCores<Made>(start: () => Promise<Made>): Promise<Made> {
  const before = threadsHere();
  const made = await start();
  const cores = coresOf(coresHere() ?? '');
  if (cores.length > 1) threadsBesides(before).forEach((thread, i) => pin([thread], String(cores[i % cores.length])));
  return made;
}

/**
 * Reserves one core for this thread and one for the threads that it starts, while they are `taken`.
 * Do not start other threads meanwhile, because they would run on this thread's core.
 */
export class CorePair {
  readonly #all: string | undefined = coresHere();
  /** The threads that are already on their cores. */
  readonly #placed: Set<string>;
  /** True if there are two cores, and the system accepts the choice. */
  readonly isPinned: boolean;

  /** Existing threads stay on their current cores. */
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
