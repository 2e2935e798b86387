import { fabricHead, fabricText, isOfFabric } from './fabric-text.ts';
import type { KernelParts, Location, Ordering, KernelPart, CampaignProgram, Statement } from './program.ts';

/** The most values that a thread can keep. */
export const SLOTS = 16;

const types = { 1: 'u8', 2: 'u16', 4: 'u32', 8: 'u64' } as const;

/** The names that a kernel's text may take from the language, apart from its modules. */
const language = [
  'lsa',
  'gin',
  'barrier',
  'cft',
  'teamWorld',
  'coopCta',
  'coopThread',
  'threadIdx',
  'blockIdx',
  'fence',
  'waitUntil',
  'sharedArray',
  'u8',
  'u16',
  'u32',
  'u64',
] as const;

const parameters = ['comm', 'shared', 'found'] as const;

/** The parts of the language and the parameters that a kernel's text uses. */
export interface KernelText {
  readonly text: string;
  readonly uses: readonly string[];
  readonly parameters: readonly string[];
}

/** The body of a kernel as a TypeScript function, with each statement on its own line. */
export function kernelText(program: CampaignProgram, index: number): KernelText {
  const kernel = program.kernels[index];
  if (kernel === undefined) throw new RangeError(`There is no kernel ${index}.`);
  const lines = new BodyText(program, index).lines(kernel);
  const body = lines.join('\n');
  const has = (name: string): boolean => new RegExp(String.raw`\b${name}\b`).test(body);
  const uses = language.filter(has);
  const taken = parameters.filter(has);
  return {
    text: [`({ ${uses.join(', ')} }, { ${taken.join(', ')} }) => {`, ...lines, '}'].join('\n'),
    uses,
    parameters: taken,
  };
}

class BodyText {
  readonly #program: CampaignProgram;
  readonly #kernel: number;
  readonly #pointers = new Map<string, string>();
  #registers = 0;

  constructor(program: CampaignProgram, kernel: number) {
    this.#program = program;
    this.#kernel = kernel;
  }

  lines({ parts }: KernelParts): readonly string[] {
    const slots = new Map<string, number>();
    const body = parts.flatMap((part) => this.#part(part, slots));
    const kinds = new Set(parts.map(({ kind }) => kind));
    const isFabric = parts.some((part) => part.kind === 'thread' && part.body.some(isOfFabric));
    const text = body.join('\n');
    const hybrid = parts.find((part) => part.kind === 'hybridBarrier');
    const needsFirst = kinds.has('networkBarrier') || hybrid !== undefined;
    const contexts = [0, 1].filter((context) => text.includes(`net${context}.`) || (context === 0 && needsFirst));
    return [
      ...this.#pointers.values(),
      ...(text.includes('kept.') ? [`  const kept = lsa.localPointer(found, u32, 0);`] : []),
      ...(isFabric ? fabricHead : []),
      ...contexts.map((context) => `  const net${context} = gin.context(comm, ${context});`),
      ...(kinds.has('barrier') ? ['  const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);'] : []),
      ...(kinds.has('networkBarrier') ? ["  const far = gin.barrierSession(coopCta(), net0, 'world', 0);"] : []),
      ...(hybrid === undefined
        ? []
        : [`  const both = barrier.session(coopCta(), net0, '${hybrid.tag}', blockIdx.x);`]),
      ...body,
    ];
  }

  #part(part: KernelPart, slots: Map<string, number>): readonly string[] {
    switch (part.kind) {
      case 'sync':
        if (part.rank === undefined) return ['  coopCta().sync();'];
        return [`  if (comm.rank === ${part.rank}) {`, '    coopCta().sync();', '  }'];
      case 'barrier':
        return [`  bar.sync(coopCta(), '${part.order}');`];
      case 'hybridBarrier':
        return [`  both.sync(coopCta(), '${part.order}', '${part.fence}');`];
      case 'networkBarrier':
        return [`  far.sync(coopCta(), '${part.order}', '${part.fence}');`];
      case 'thread': {
        const { ranks, grid, block } = this.#program;
        const { rank, cta, thread } = part;
        const conditions = [
          ...(ranks > 1 ? [`comm.rank === ${rank}`] : []),
          ...(grid > 1 ? [`blockIdx.x === ${cta}`] : []),
          ...(block > 1 ? [`threadIdx.x === ${thread}`] : []),
        ];
        const owner = `${rank} ${cta} ${thread}`;
        const firstSlot = (this.#kernel * grid * block + cta * block + thread) * SLOTS;
        const keep = (value: string): string => {
          const used = slots.get(owner) ?? 0;
          slots.set(owner, used + 1);
          if (used >= SLOTS) throw new RangeError(`A thread keeps at most ${SLOTS} values.`);
          return `kept.store(${firstSlot + used}, u32(${value}) + 100);`;
        };
        const head = conditions.length === 0 ? '  {' : `  if (${conditions.join(' && ')}) {`;
        return [head, ...this.#statements(part.body, '    ', undefined, keep), '  }'];
      }
    }
  }

  #statements(
    body: readonly Statement[],
    indent: string,
    before: string | undefined,
    keep: (value: string) => string,
  ): readonly string[] {
    const lines: string[] = [];
    const add = (line: string): void => void lines.push(indent + line);
    let seen = before;
    for (const statement of body) {
      switch (statement.kind) {
        case 'store': {
          const { at, value, ordering } = statement;
          const type = types[at.bytes];
          const stored = value === 'seen' ? (seen === undefined ? '1' : `${type}(${seen} + 1)`) : `${value}`;
          add(`${this.#pointer(at)}.store(${indexOf(at)}, ${stored}${orderText(ordering)});`);
          break;
        }
        case 'load': {
          const { at, ordering, then } = statement;
          seen = `r${this.#registers++}`;
          add(`const ${seen} = ${this.#pointer(at)}.load(${indexOf(at)}${orderText(ordering)});`);
          if (statement.keep) add(keep(seen));
          if (then !== undefined) {
            add(`if (${seen} === ${then.equals}) {`);
            lines.push(...this.#statements(then.body, `${indent}  `, seen, keep));
            add('}');
          }
          break;
        }
        case 'atomic': {
          const { at, update, value, expected, ordering } = statement;
          const values = update === 'Cas' ? `${expected}, ${value}` : `${value}`;
          const call = `${this.#pointer(at)}.atomic${update}(${indexOf(at)}, ${values}${orderText(ordering)})`;
          if (!statement.keep) {
            add(`${call};`);
            break;
          }
          seen = `r${this.#registers++}`;
          add(`const ${seen} = ${call};`);
          add(keep(seen));
          break;
        }
        case 'fence':
          add(`fence('${statement.ordering.order}', '${statement.ordering.scope}');`);
          break;
        case 'wait': {
          const { at, ordering, until, value } = statement;
          const load = `${this.#pointer(at)}.load(${indexOf(at)}${orderText(ordering)})`;
          add(`waitUntil(() => ${load} ${until} ${value});`);
          break;
        }
        case 'put':
        case 'putValue':
        case 'get':
        case 'signal':
        case 'waitSignal':
        case 'waitCounter':
        case 'flush':
          add(networkText(statement));
          break;
        case 'fabricFill':
        case 'fabricLook':
        case 'fabricPut':
        case 'fabricGet':
        case 'fabricSubmit':
        case 'fabricFlush':
        case 'fabricFlushSmem':
        case 'fabricFence':
        case 'fabricWait':
          for (const line of fabricText(statement, () => `r${this.#registers++}`, keep)) add(line);
      }
    }
    return lines;
  }

  /** The name of a pointer to the locations of a home, for accesses of a size. */
  #pointer({ home, bytes }: Location): string {
    const type = types[bytes];
    const suffix = bytes === 4 ? '' : `as${type.toUpperCase()}`;
    const name = (home === 'own' || home === 'array' ? home : `rank${home}`) + suffix;
    const made = {
      own: `lsa.localPointer(shared, ${type}, 0)`,
      array: bytes === 4 ? `sharedArray(u32, 4)` : `array.cast(${type})`,
      rank: `lsa.pointer(shared, ${type}, 0, ${home})`,
    }[typeof home === 'number' ? 'rank' : home];
    if (home === 'array' && bytes !== 4) this.#pointer({ home, bytes: 4, word: 0 });
    if (!this.#pointers.has(name)) this.#pointers.set(name, `  const ${name} = ${made};`);
    return name;
  }
}

function indexOf({ word, bytes }: Location): number {
  return (word * 8) / bytes;
}

function orderText(ordering: Ordering | undefined): string {
  return ordering === undefined ? '' : `, '${ordering.order}', '${ordering.scope}'`;
}

function networkText(
  statement: Extract<
    Statement,
    { readonly kind: 'put' | 'putValue' | 'get' | 'signal' | 'waitSignal' | 'waitCounter' | 'flush' }
  >,
): string {
  const net = `net${statement.context}`;
  switch (statement.kind) {
    case 'put': {
      const { peer, to, from, signal, counter } = statement;
      const remote = signal === undefined ? 'undefined' : `gin.${signal}(0)`;
      const options = counter ? `, ${remote}, { localAction: gin.weakCounterInc(0) }` : '';
      const tail = counter ? options : signal === undefined ? '' : `, ${remote}`;
      return `${net}.put(teamWorld(comm), ${peer}, shared, ${to * 8}, shared, ${from * 8}, 4${tail});`;
    }
    case 'putValue': {
      const { peer, to, value, signal } = statement;
      const tail = signal === undefined ? '' : `, gin.${signal}(0)`;
      return `${net}.putValue(teamWorld(comm), ${peer}, shared, ${to * 8}, u32(${value})${tail});`;
    }
    case 'get':
      return `${net}.get(teamWorld(comm), ${statement.peer}, shared, ${statement.from * 8}, shared, ${statement.to * 8}, 4);`;
    case 'signal':
      return `${net}.signal(teamWorld(comm), ${statement.peer}, gin.${statement.signal}(0));`;
    case 'waitSignal': {
      const order = statement.order === undefined ? '' : `, { order: '${statement.order}' }`;
      return `${net}.waitSignal(coopThread(), 0, ${statement.least}${order});`;
    }
    case 'waitCounter':
      return `${net}.waitCounter(coopThread(), 0, ${statement.least});`;
    case 'flush':
      return `${net}.flush(coopThread());`;
  }
}
