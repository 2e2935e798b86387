import { at } from '@nccl-ts/core';
import { ncclWindow, ncclDevComm, ncclLayouts, type NcclVersion } from '../adapters/nccl.ts';
import { array } from '../compound-types.ts';
import type { EntryFacts } from './entry-facts.ts';
import { ptr } from '../scalar-types.ts';
import type { PlannedExpression } from './launch-plan.ts';
import { isPair, multicastOf, own, plain, todo } from './expressions.ts';
import { isOwnCopyName, isPeerName, isResultName, meaningOf } from './name-meanings.ts';
import type { PlannedMemories } from './plan-memory.ts';
import { planStruct } from './plan-struct.ts';
import type { ReachedMemory } from './reached-memory.ts';
import { standInDevComm } from './stand-in-dev-comm.ts';
import { takenNames } from './taken-names.ts';

/** A statement of the text, with the names that it imports. */
export interface PlannedStatement {
  readonly text: string;
  readonly imports: readonly string[];
}

/** The type of the pointers in a table of pointers: `float *` for `float *const *`. */
function pointerIn(type: string): string | undefined {
  return /^(?<pointer>.*\*)(?:\s*(?:const|volatile|__restrict__))*\s*\*$/u.exec(type)?.groups?.['pointer'];
}

/** Plans the arguments of an entry, with the memory that they need. */
export class ArgumentPlanner {
  readonly definitions: string[] = [];
  readonly statements: PlannedStatement[] = [];
  readonly memories: PlannedMemories;
  readonly #facts: EntryFacts;
  readonly #types: readonly string[];
  readonly #version: NcclVersion;
  /** True if the entry has a way to the memory of peers other than pointers to it. */
  readonly #reachesPeers: boolean;

  constructor(facts: EntryFacts, types: readonly string[], memories: PlannedMemories, version: string) {
    this.#facts = facts;
    this.#types = types;
    this.memories = memories;
    this.#version = Object.keys(ncclLayouts).find((one): one is NcclVersion => one === version) ?? '2.30';
    this.#reachesPeers =
      facts.calls.length > 0 ||
      types.some((type) => /^nccl(?:DevComm|Window)/u.test(type) || pointerIn(type) !== undefined) ||
      facts.reached.some(({ pointers, isMulticast }) => pointers.length > 0 || isMulticast) ||
      facts.parameters.some(({ isStruct, words }) => isStruct && words.some(({ guess }) => guess === 'pointer')) ||
      facts.parameters.some(({ declared }) => declared !== undefined && isPeerName(declared.name));
  }

  /** The argument of a parameter. */
  plan(index: number): PlannedExpression {
    const parameter = at(this.#facts.parameters, index);
    const type = at(this.#types, index);
    const name = this.nameOf(index);
    if (parameter === standInDevComm(this.#facts)) return plain('devComm', ({ setup }) => setup.devComm);
    if (type === 'ncclDevComm') return this.#devComm();
    if (type.startsWith('ncclWindow')) return this.#window(name);
    // NVSHMEM_TEAM_WORLD of the stand-in headers.
    if (parameter.declared?.type === 'nvshmem_team_t') return plain('0', () => 0);
    if (!parameter.isRead && parameter.isStruct)
      return plain(`new Uint8Array(${parameter.bytes})`, () => new Uint8Array(parameter.bytes));
    if (parameter.isStruct) return planStruct(this, parameter, index, type, this.#reachedFrom(index));
    const [reached] = this.#reachedFrom(index);
    const isPointer = type === '' ? reached !== undefined : type.endsWith('*');
    const declared = parameter.declared?.name;
    if (!parameter.isRead && isPointer) return plain('null', () => null);
    // The kernel does not read it, so that any number will do.
    if (!parameter.isRead && (declared === undefined || meaningOf(declared) === undefined)) return plain('0', () => 0);
    if (isPointer) return this.pointer({ name, type, ...(reached === undefined ? {} : { reached }) }, index);
    const isFloat = type === '' ? parameter.words[0]?.guess === 'float' : /float|double|half|bfloat/u.test(type);
    return this.scalar(declared === '' ? undefined : declared, isFloat, type, index);
  }

  nameOf(index: number): string {
    const { declared } = at(this.#facts.parameters, index);
    if (declared === undefined || declared.name === '') return `data${index}`;
    const { name } = declared;
    return takenNames.has(name) || takenNames.has(name.toLowerCase()) ? `${name}${index}` : name;
  }

  /** A pointer, in an argument or in a struct. */
  pointer(
    { name, type, reached }: { readonly name: string; readonly type: string; readonly reached?: ReachedMemory },
    index?: number,
  ): PlannedExpression {
    const inner = reached?.pointers ?? [];
    const element = pointerIn(type);
    if (element !== undefined || isTable(inner)) {
      const target = inner.find(({ stride }) => stride !== undefined) ?? inner[0];
      const memory = this.memories.add({
        name: nameOfTarget(name),
        ...(element === undefined ? {} : { type: element }),
        ...(target === undefined ? {} : { reached: target }),
      });
      return own(this.memories.addTable(name, memory));
    }
    if (inner.length > 0) {
      const what = `${name}: in memory, ${inner.length} pointers at the bytes ${inner.map(({ offset }) => offset).join(', ')}${inner[0]?.stride === undefined ? '' : ` of elements of ${inner[0].stride} bytes`}`;
      return todo(what, [], () => null);
    }
    if (reached?.isMulticast === true && index !== undefined) return this.#multicast(name, type, index, reached);
    const staged = this.#mayStage(index, reached) ? this.memories.onlyReadAtPeers(type) : undefined;
    if (staged !== undefined && isOwnCopyName(name)) return own(staged);
    const memory = this.memories.add({ name, type, ...(reached === undefined ? {} : { reached }) });
    if (staged !== undefined) return todo('whose memory', [memory, staged], ({ allocation }) => allocation(memory));
    if (isPeerName(name)) {
      return plain(`peer(${memory}, (rank + 1) % nRanks)`, ({ setup, allocation }) =>
        setup.peer(allocation(memory), (setup.rank + 1) % setup.nRanks),
      );
    }
    if (this.#reachesPeers) return own(memory);
    return todo(`whose memory`, [memory, `peer(${memory}, (rank + 1) % nRanks)`], ({ allocation }) =>
      allocation(memory),
    );
  }

  /**
   * True if the kernel stores through the pointer, and nothing says that it is for results: a name,
   * or that it is the last such pointer.
   */
  #mayStage(index: number | undefined, reached: ReachedMemory | undefined): boolean {
    if (index === undefined || reached?.isStored !== true || reached.isSynchronizing) return false;
    const name = this.#facts.parameters[index]?.declared?.name ?? '';
    if (name !== '') return !isResultName(name);
    return this.#facts.reached.some(
      ({ from, isStored, isSynchronizing }) => typeof from === 'number' && from > index && isStored && !isSynchronizing,
    );
  }

  /** A number, in an argument or in a struct. */
  scalar(name: string | undefined, isFloat: boolean, type: string, index?: number): PlannedExpression {
    const what = name === undefined ? '' : `${name}, `;
    if (isFloat) return todo(`${what}a float`, ['1'], () => 1);
    const meaning = name === undefined ? undefined : meaningOf(name);
    const isRank =
      meaning === 'rank' || (name === undefined && index !== undefined && index === this.#facts.rankParameter);
    if (isRank) return plain('rank', ({ setup }) => setup.rank);
    switch (meaning) {
      case 'nRanks':
        return plain('nRanks', ({ setup }) => setup.nRanks);
      case 'count':
        return plain('n', ({ n }) => n);
      case 'bytes': {
        const element = this.memories.all.find(
          ({ isSynchronizing, fill }) => !isSynchronizing && typeof fill === 'string',
        );
        const bytes = bytesOf(element?.element ?? 'f32');
        return {
          ...plain(`n * ${element?.element ?? 'f32'}.bytes`, ({ n }) => n * bytes),
          imports: [element?.element ?? 'f32'],
        };
      }
      case 'launch':
        return plain('launch + 1', ({ launch }) => launch + 1);
      case 'timeout':
        return plain('2 ** 30', () => 2 ** 30);
      case 'zero':
        return plain('0', () => 0);
      case undefined:
        return todo(`${what}${type === '' ? 'an integer' : article(type)}`, [], ({ standIn }) =>
          type === 'bool' ? 1 : standIn,
        );
    }
  }

  /** A table of the peers' addresses by value, with room for `length` of them. */
  table(memory: string, length: number): PlannedExpression {
    this.memories.reachedByPeers(memory);
    return {
      text: `array(ptr, ${length})(peers(${memory}))`,
      imports: ['array', 'ptr'],
      of: ({ setup, allocation }) => array(ptr, length)(setup.peers(allocation(memory))),
    };
  }

  #reachedFrom(index: number): readonly ReachedMemory[] {
    return this.#facts.reached.filter(({ from }) => from === index);
  }

  #devComm(): PlannedExpression {
    const version = this.#version;
    return {
      ...plain(`ncclDevComm(setup, { version: '${version}', lsaBarriers: 2 })`, ({ setup }) =>
        ncclDevComm(setup, { version, lsaBarriers: 2 }),
      ),
      isMemory: true,
      imports: ['ncclDevComm'],
    };
  }

  #window(name: string): PlannedExpression {
    const version = this.#version;
    const memory = this.memories.add({ name, type: '' });
    if (standInDevComm(this.#facts) !== undefined || this.#facts.calls.length > 0) return own(memory);
    return {
      ...plain(`ncclWindow(setup, ${memory}, { version: '${version}' })`, ({ setup, allocation }) =>
        ncclWindow(setup, allocation(memory), { version }),
      ),
      isMemory: true,
      imports: ['ncclWindow'],
    };
  }

  /**
   * The multicast address of the memory that its name says, or that is next to it, or else of its
   * own.
   */
  #multicast(name: string, type: string, index: number, reached: ReachedMemory): PlannedExpression {
    const others = this.#facts.reached.filter(
      ({ from, isMulticast, pointers }) => typeof from === 'number' && !isMulticast && pointers.length === 0,
    );
    const places = others.flatMap(({ from }) => (typeof from === 'number' ? from : []));
    const named = places.find((one) => isPair(name, this.nameOf(one)));
    const near = named ?? places.find((one) => one === index + 1);
    const memory = near === undefined ? this.memories.add({ name, type, reached }) : this.nameOf(near);
    return multicastOf(memory);
  }
}

/** The name of the memory to which a table of pointers leads. */
function nameOfTarget(table: string): string {
  const plainName = table.replace(/_?(?:ptrs|pointers|addrs|addresses|ptr)(?:_dev)?$/iu, '');
  return plainName === '' || plainName === table || takenNames.has(plainName) ? `${table}Memory` : plainName;
}

/** True for pointers of one kind that are next to each other, or read by an index. */
function isTable(pointers: readonly ReachedMemory[]): boolean {
  const [first] = pointers;
  if (first === undefined) return false;
  const strided = pointers.filter(({ stride }) => stride !== undefined);
  if (strided.length > 0) return strided.every(({ stride, offset }) => (stride === 8 || stride === 0) && offset === 0);
  const isRow =
    pointers.length > 1 && pointers.every(({ offset, stride }, i) => offset === 8 * i && stride === undefined);
  const kind = ({ isSynchronizing, isStored, isLoaded }: ReachedMemory): string =>
    [isSynchronizing, isStored, isLoaded].join();
  return isRow && pointers.every((one) => kind(one) === kind(first));
}

function article(type: string): string {
  return `${/^[aeiou](?!ns)/u.test(type) ? 'an' : 'a'} ${type}`;
}

function bytesOf(element: string): number {
  return Number(/\d+$/u.exec(element)?.[0] ?? 32) / 8;
}
