import { valuesOf } from './parse-condition.ts';
import { NotExpressibleError, type LitmusTest, type LitmusThread, type Proxy } from './litmus-test.ts';
import { instructionText, type ThreadNames } from './instruction-text.ts';

/** A litmus test as PTX, with its shape and the places of its values. */
export interface LitmusPtx {
  /**
   * One entry, `litmus`, with the addresses of the locations and of the kept registers, and the
   * rank.
   */
  readonly text: string;
  readonly ranks: number;
  readonly grid: number;
  readonly block: number;
  /** The first value of each location. Locations are 16 bytes apart. */
  readonly locations: readonly number[];
  /** The index of the word of a location or of a kept register: `x` or `P0:r1`. */
  readonly wordOf: (name: string) => number | undefined;
  /** The number of registers that are kept. */
  readonly kept: number;
}

/** @throws NotExpressibleError if PTX text cannot say what the test does */
export function litmusPtx(test: LitmusTest): LitmusPtx {
  const { threads, locations, registers } = test;
  const gpus = [...new Set(threads.map(({ gpu }) => gpu))].toSorted((a, b) => a - b);
  const ctasOf = (gpu: number): readonly number[] =>
    [...new Set(threads.filter((thread) => thread.gpu === gpu).map(({ cta }) => cta))].toSorted((a, b) => a - b);
  const grid = Math.max(...gpus.map((gpu) => ctasOf(gpu).length));
  const together = (thread: LitmusThread): readonly LitmusThread[] =>
    threads.filter(({ cta, gpu }) => cta === thread.cta && gpu === thread.gpu);
  const most = Math.max(...threads.map((thread) => together(thread).length));
  // Barriers count whole warps, so each thread gets a warp where a barrier has a count.
  const lanes = threads.some(({ instructions }) => instructions.some(hasCount)) ? 32 : 1;
  const block = most * lanes;
  const names = placesOf(test);
  const kept = keptRegisters(test);
  const bodies = threads.flatMap((thread, index) => {
    const rank = gpus.indexOf(thread.gpu);
    const cta = ctasOf(thread.gpu).indexOf(thread.cta);
    const warp = together(thread).indexOf(thread);
    const number = ((rank * grid + cta) * most + warp) * lanes;
    const initial = new Map(
      [...registers].flatMap(([name, value]) => {
        const [owner, register = ''] = name.split(':');
        return owner === thread.name ? [[register, value] as const] : [];
      }),
    );
    return threadText({ thread, index, number, lanes, initial, names, kept });
  });
  const words = [...locations.keys()];
  return {
    ranks: gpus.length,
    grid,
    block,
    locations: [...locations.values()],
    kept: kept.length,
    wordOf: (name) => {
      const register = kept.indexOf(name);
      if (register >= 0) return register;
      const word = words.indexOf(test.aliases.get(name)?.of ?? name);
      return word < 0 ? undefined : word;
    },
    text: [
      '.version 8.5',
      '.target sm_90',
      '.address_size 64',
      '.visible .entry litmus(.param .u64 words, .param .u64 kept, .param .u32 rank)',
      '{',
      `  .shared .align 16 .b8 lines[${16 * threads.length}];`,
      `  .shared .align 8 .b64 bars[${threads.length}];`,
      '  .reg .pred %p<4>;',
      '  .reg .b32 %r<16>;',
      ...threads.map((_, index) => `  .reg .b32 %t${index}_<100>;`),
      '  .reg .b64 %rd<4>;',
      '  ld.param.u64 %rd1, [words];',
      '  ld.param.u64 %rd2, [kept];',
      '  ld.param.u32 %r1, [rank];',
      '  mov.u32 %r2, %ctaid.x;',
      '  mov.u32 %r3, %tid.x;',
      `  mad.lo.u32 %r4, %r1, ${grid}, %r2;`,
      `  mad.lo.u32 %r4, %r4, ${block}, %r3;`,
      '  mov.u32 %r5, lines;',
      '  mov.u32 %r6, bars;',
      ...bodies,
      '  ret;',
      '}',
      '',
    ].join('\n'),
  };
}

function hasCount(instruction: string): boolean {
  return instruction.startsWith('bar.') && instruction.split(',').length === 3;
}

/** Registers in the condition, which the host reads at the end. */
function keptRegisters({ condition }: LitmusTest): readonly string[] {
  const found = valuesOf(condition).flatMap((value) =>
    value.kind === 'register' ? [`${value.thread}:${value.name}`] : [],
  );
  return [...new Set(found)];
}

interface Places {
  readonly wordOf: ReadonlyMap<string, { readonly word: number; readonly proxy: Proxy }>;
}

function placesOf({ locations, aliases, threads }: LitmusTest): Places {
  const words = [...locations.keys()];
  const used = [...aliases].filter(([name]) =>
    threads.some(({ instructions }) =>
      instructions.some((text) => new RegExp(String.raw`\b${name}\b`, 'u').test(text)),
    ),
  );
  if (used.some(([, { proxy }]) => proxy === 'generic')) {
    throw new NotExpressibleError('two generic addresses of one location');
  }
  const proxies = new Set(used.map(([, { proxy }]) => proxy));
  if (proxies.size > 1) {
    throw new NotExpressibleError(
      `the proxies ${[...proxies].toSorted().join(' and ')}, where PTX text here has the async proxy alone`,
    );
  }
  const wordOf = new Map<string, { readonly word: number; readonly proxy: Proxy }>();
  for (const [word, name] of words.entries()) wordOf.set(name, { word, proxy: 'generic' });
  for (const [name, { proxy, of }] of used) {
    const word = words.indexOf(of);
    if (word < 0) throw new NotExpressibleError('an alias of an alias');
    wordOf.set(name, { word, proxy });
  }
  return { wordOf };
}

interface ThreadText {
  readonly thread: LitmusThread;
  readonly index: number;
  readonly number: number;
  readonly lanes: number;
  readonly initial: ReadonlyMap<string, number>;
  readonly names: Places;
  readonly kept: readonly string[];
}

function threadText({ thread, index, number, lanes, initial, names, kept }: ThreadText): readonly string[] {
  const used = new Set<string>();
  const registerOf = (name: string): string => {
    used.add(name);
    return `%t${index}_${name.slice(1)}`;
  };
  const translated: ThreadNames = {
    ...names,
    register: registerOf,
    label: (name) => `T${index}_${name}`,
    line: 16 * index,
    bar: 8 * index,
    loads: { count: 0 },
    isFirst: lanes > 1 ? '@%p2 ' : '',
  };
  const own = kept.filter((name) => name.startsWith(`${thread.name}:`));
  const lines = thread.instructions.flatMap((text) => instructionText(text, translated));
  const keeps = own.map((name) => {
    const register = registerOf(name.split(':')[1] ?? '');
    return `  ${translated.isFirst}st.global.u32 [%rd2+${4 * kept.indexOf(name)}], ${register};`;
  });
  const usesBar = lines.some((line) => line.includes('[%r6'));
  return [
    // Each litmus thread is a thread, or the first lane of a warp. Others only meet at barriers.
    ...(lanes > 1
      ? [`  sub.u32 %r7, %r4, ${number};`, `  setp.ge.u32 %p1, %r7, ${lanes};`, '  setp.eq.u32 %p2, %r7, 0;']
      : [`  setp.ne.u32 %p1, %r4, ${number};`]),
    `  @%p1 bra SKIP${index};`,
    ...[...used].map((name) => `  mov.u32 ${registerOf(name)}, ${initial.get(name) ?? 0};`),
    ...(usesBar
      ? [`  mbarrier.init.shared::cta.b64 [%r6+${8 * index}], 1;`, '  fence.mbarrier_init.release.cluster;']
      : []),
    ...lines,
    ...keeps,
    `SKIP${index}:`,
  ];
}
