import { fenceOrdering, locationOf, type Draft, type ThreadCoordinates } from './draft.ts';
import { FABRIC_PROGRAM_WORDS, fabricCounted, fabricHandover, fabricPull } from './fabric-patterns.ts';
import { crossing, delivery, message, type Share } from './patterns.ts';
import type { AccessBytes, HostStep, KernelParts, KernelPart, CampaignProgram, Statement } from './program.ts';
import { randomStatement, type Mix } from './random-statement.ts';
import { Random } from './random.ts';

/** The main subject of a program. */
export type Theme = 'words' | 'fences' | 'messages' | 'barriers' | 'network' | 'hosts' | 'single' | 'fabric' | 'hybrid';

/**
 * The frequency of each theme. The fabric and hybrid themes are selected only by name, so that
 * seeds keep their programs.
 */
const themes: Readonly<Record<Theme, number>> = {
  words: 4,
  fences: 3,
  messages: 4,
  barriers: 4,
  network: 5,
  hosts: 4,
  single: 1,
  fabric: 0,
  hybrid: 0,
};

export function isTheme(name: string): name is Theme {
  return Object.hasOwn(themes, name);
}

const mixes: Readonly<Record<Theme, Mix>> = {
  words: { store: 28, load: 28, atomic: 12, fence: 12, wait: 12, array: 5, network: 0 },
  fences: { store: 30, load: 25, atomic: 5, fence: 35, wait: 5, array: 0, network: 0 },
  messages: { store: 25, load: 35, atomic: 10, fence: 15, wait: 5, array: 5, network: 0 },
  barriers: { store: 40, load: 40, atomic: 5, fence: 5, wait: 2, array: 8, network: 0 },
  network: { store: 14, load: 16, atomic: 2, fence: 5, wait: 3, array: 0, network: 60 },
  hosts: { store: 35, load: 35, atomic: 10, fence: 8, wait: 8, array: 4, network: 3 },
  single: { store: 20, load: 25, atomic: 40, fence: 15, wait: 0, array: 0, network: 0 },
  fabric: { store: 30, load: 40, atomic: 10, fence: 20, wait: 0, array: 0, network: 0 },
  hybrid: { store: 25, load: 25, atomic: 4, fence: 4, wait: 2, array: 0, network: 40 },
};

const ranksOf: Readonly<Record<Theme, readonly [number, ...number[]]>> = {
  words: [2, 2, 2, 2, 1, 3],
  fences: [1, 1, 2, 2],
  messages: [2, 2, 2, 2, 1, 3],
  barriers: [2],
  network: [2, 2, 2, 2, 1, 3],
  hosts: [2, 2, 2, 2, 1, 3],
  single: [1],
  fabric: [2, 2, 2, 1],
  hybrid: [2, 2, 2, 3],
};

/**
 * The program of a seed. The same seed gives the same program. It has the given `theme`, or any
 * theme by default.
 */
export function generate(seed: number, theme?: Theme): CampaignProgram {
  const random = new Random(seed);
  const chosen = random.weighted(themes);
  return new Author(random, theme ?? chosen).program();
}

class Author {
  readonly #random: Random;
  readonly #theme: Theme;
  readonly #draft: Draft;
  /** The ranks of hybrid barriers. */
  readonly #tag: Extract<KernelPart, { readonly kind: 'hybridBarrier' }>['tag'] | undefined;
  readonly #grid: number;
  readonly #block: number;

  constructor(random: Random, theme: Theme) {
    this.#random = random;
    this.#theme = theme;
    const network = theme === 'network' || theme === 'hybrid';
    const fabric = theme === 'fabric';
    const ranks = random.pick(ranksOf[theme]);
    this.#grid =
      theme === 'single' || theme === 'barriers' || theme === 'hybrid' || fabric
        ? 1
        : ranks === 1
          ? 2
          : random.pick([1, 1, 1, 2]);
    this.#block = theme === 'single' || fabric ? 1 : theme === 'hybrid' ? ranks - 1 : random.pick([1, 1, 1, 2, 2]);
    const sizes = random.pick<readonly [AccessBytes, ...AccessBytes[]]>([
      [4],
      [4],
      [4],
      [4],
      [4],
      [8],
      [8, 8, 4],
      [4, 4, 2],
      [4, 4, 1],
    ]);
    this.#draft = {
      random,
      ranks,
      lsaSize: network && random.chance(0.6) ? 1 : ranks,
      words: fabric ? FABRIC_PROGRAM_WORDS : random.pick([2, 3, 3]),
      sizes: network || fabric ? [4] : sizes,
      ordered: theme === 'barriers' ? 0.2 : random.pick([0.3, 0.6, 0.6, 0.9]),
      care: random.pick([0.95, 0.8, 0.6]),
    };
    this.#tag = theme === 'hybrid' ? random.pick(['world', 'world', 'rail', 'lsa']) : undefined;
  }

  program(): CampaignProgram {
    const random = this.#random;
    const { ranks, lsaSize, words } = this.#draft;
    const kernelCount = this.#theme === 'hosts' ? random.pick([1, 1, 2, 2, 3]) : 1;
    const kernels = Array.from({ length: kernelCount }, () => this.#kernel(kernelCount));
    const steps = this.#theme === 'hosts' ? this.#steps(kernelCount) : [launch(0)];
    const readsWords = this.#theme === 'single' || random.chance(0.15);
    return { ranks, lsaSize, grid: this.#grid, block: this.#block, words, kernels, steps, readsWords };
  }

  #kernel(kernels: number): KernelParts {
    const random = this.#random;
    const { ranks } = this.#draft;
    const count = this.#theme === 'single' ? 1 : random.pick(kernels > 1 ? [1, 2] : [2, 2, 2, 3]);
    const threads = this.#threads(count);
    const phases =
      this.#theme === 'barriers'
        ? random.pick([2, 3, 3])
        : this.#theme === 'hybrid'
          ? 2
          : this.#theme === 'fabric'
            ? 1
            : random.pick([1, 1, 1, 2]);
    const parts: KernelPart[] = [];
    for (let phase = 0; phase < phases; phase++) {
      // Barriers before and after make this a separate phase.
      const isEdge = this.#theme === 'barriers' && (phase === 0 || phase === phases - 1) && random.chance(0.6);
      if (!isEdge) parts.push(...this.#phase(threads, phases > 1 || kernels > 1 ? 2 : 3));
      if (phase < phases - 1 || random.chance(this.#theme === 'barriers' ? 0.4 : 0.15)) parts.push(...this.#end(ranks));
    }
    return { parts };
  }

  #phase(threads: readonly ThreadCoordinates[], most: number): readonly KernelPart[] {
    const random = this.#random;
    const draft = this.#draft;
    const bodies = new Map<ThreadCoordinates, Statement[]>(threads.map((thread) => [thread, []]));
    const add = (shares: readonly Share[]): void => {
      for (const { thread, body } of shares) bodies.get(thread)?.push(...body);
    };
    const [one, other] = threads;
    if (one !== undefined && other !== undefined) {
      if (this.#theme === 'messages') {
        add(message(draft, one, other));
        const third = threads[2] ?? one;
        if (random.chance(0.5)) add(message(draft, other, third));
      }
      if (this.#theme === 'fences' && random.chance(0.6)) add(crossing(draft, one, other));
      if ((this.#theme === 'network' || this.#theme === 'hybrid') && random.chance(0.6)) {
        add(delivery(draft, one, other));
        if (random.chance(0.3)) add(delivery(draft, other, one));
      }
    }
    if (this.#theme === 'fabric' && one !== undefined) this.#fabric(one, other ?? one, add);
    for (const [thread, body] of bodies) {
      const more = body.length > 0 ? random.below(2) : 1 + random.below(most);
      for (let i = 0; i < more; i++) {
        const statement = randomStatement(draft, mixes[this.#theme], thread);
        body.splice(random.chance(0.5) ? body.length : random.below(body.length + 1), 0, statement);
      }
      if (this.#theme === 'fences' && random.chance(0.3)) {
        const plain: Statement = { kind: 'store', at: locationOf(draft), value: 1 };
        const fence: Statement = { kind: 'fence', ordering: { ...fenceOrdering(draft), order: 'seq_cst' } };
        body.push(...(random.chance(0.5) ? [plain, fence] : [fence, plain]));
      }
    }
    return [...bodies].map(([thread, body]): KernelPart => ({ kind: 'thread', ...thread, body }));
  }

  /** One or two messages through the fabric. */
  #fabric(one: ThreadCoordinates, other: ThreadCoordinates, add: (shares: readonly Share[]) => void): void {
    const random = this.#random;
    const messages = { handover: fabricHandover, counted: fabricCounted, pull: fabricPull };
    const next = (): keyof typeof messages => random.weighted({ handover: 3, counted: 2, pull: 2 });
    add(messages[next()](this.#draft, one, other));
    if (random.chance(0.2)) add(messages[next()](this.#draft, other, one));
  }

  /** The operations of all threads between two phases. */
  #end(ranks: number): readonly KernelPart[] {
    const random = this.#random;
    const tag = this.#tag;
    const order = random.pick(['acq_rel', 'acq_rel', 'acq_rel', 'acquire', 'release', 'relaxed', 'seq_cst']);
    if (tag !== undefined) {
      return [{ kind: 'hybridBarrier', tag, order, fence: random.pick(['none', 'put', 'putGet']) }];
    }
    // More CTAs at a barrier would have too many executions.
    const few = ranks * this.#grid <= 2;
    const isNetwork = this.#theme === 'network' && this.#grid === 1 && this.#block >= ranks - 1;
    const kind = random.weighted({
      none: this.#theme === 'barriers' ? 0 : 2,
      sync: this.#block > 1 ? 2 : 0,
      syncOfRank: this.#block > 1 ? 0.3 : 0,
      barrier: this.#draft.lsaSize > 1 && few ? (this.#theme === 'barriers' ? 8 : 1) : 0.01,
      networkBarrier: isNetwork ? 1.5 : 0,
    });
    switch (kind) {
      case 'none':
        return [];
      case 'sync':
        return [{ kind: 'sync' }];
      case 'syncOfRank':
        return [{ kind: 'sync', rank: 0 }];
      case 'barrier':
        return [{ kind: 'barrier', order }];
      case 'networkBarrier':
        return [{ kind: 'networkBarrier', order, fence: random.pick(['none', 'put']) }];
    }
  }

  #threads(count: number): readonly ThreadCoordinates[] {
    const random = this.#random;
    const all = Array.from({ length: this.#draft.ranks * this.#grid * this.#block }, (_, i): ThreadCoordinates => {
      const thread = i % this.#block;
      const cta = Math.floor(i / this.#block) % this.#grid;
      return { rank: Math.floor(i / (this.#block * this.#grid)), cta, thread };
    });
    const threads: ThreadCoordinates[] = [];
    while (threads.length < count && all.length > 0) threads.push(...all.splice(random.below(all.length), 1));
    return threads;
  }

  #steps(kernels: number): readonly HostStep[] {
    const random = this.#random;
    const { ranks, words } = this.#draft;
    const some = (): { readonly rank?: number } => (random.chance(0.6) ? { rank: random.below(ranks) } : {});
    const steps: HostStep[] = [];
    const between = (): void => {
      const word = random.below(words);
      if (random.chance(0.25)) steps.push({ kind: 'write', ...some(), word, value: random.pick([0, 1, 3]) });
      if (random.chance(0.15)) steps.push({ kind: 'meet' });
    };
    between();
    const streams = random.chance(0.25) ? 2 : 1;
    for (let kernel = 0; kernel < kernels; kernel++) {
      const only = random.chance(0.2) ? { rank: random.below(ranks) } : {};
      steps.push({ kind: 'launch', ...only, kernel, stream: random.below(streams) });
      if (random.chance(0.5)) steps.push({ kind: 'synchronize', ...some(), stream: random.below(streams) });
      if (random.chance(0.3)) steps.push({ kind: 'read', ...some(), word: random.below(words) });
      between();
    }
    return steps;
  }
}

function launch(kernel: number): HostStep {
  return { kind: 'launch', kernel, stream: 0 };
}
