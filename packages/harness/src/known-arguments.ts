import { ncclLayouts } from './adapters/nccl.ts';
import type { EntryFacts } from './entry-facts.ts';

/** An argument that an adapter makes. */
export interface KnownArgument {
  /** For people. */
  readonly what: string;
  /** The argument, as text. */
  readonly text: string;
  /** Statements that stand before it. */
  readonly memory: readonly string[];
  /** What it takes from the package. */
  readonly imports: readonly string[];
}

/** Arguments, by parameter, that adapters make by the names of their types: of NCCL's device API. */
export function knownArguments({ title, parameters }: EntryFacts): ReadonlyMap<number, KnownArgument> {
  const types = parameterTypes(title);
  const known = new Map<number, KnownArgument>();
  const comm = types.indexOf('ncclDevComm');
  const bytes = parameters[comm]?.bytes;
  const version = Object.entries(ncclLayouts).find(([, layout]) => layout.bytes === bytes)?.[0] ?? '2.30';
  for (const [i, type] of types.entries()) {
    if (type === 'ncclWindow_vidmem *') {
      known.set(i, {
        what: 'a window of NCCL.',
        text: `window${i}`,
        memory: [
          `const data${i} = alloc('data${i}', f32, 1024, (i) => rank + i);`,
          `const window${i} = ncclWindow(setup, data${i}, { version: '${version}' });`,
        ],
        imports: ['f32', 'ncclWindow'],
      });
    } else if (type === 'ncclDevComm') {
      known.set(i, {
        what: `the device communicator of NCCL ${version}, with as many barriers as the kernel has CTAs.`,
        text: `ncclDevComm(setup, { version: '${version}', lsaBarriers: 1 })`,
        memory: [],
        imports: ['ncclDevComm'],
      });
    }
  }
  return known;
}

/** The types of the parameters of a demangled function. */
function parameterTypes(title: string): readonly string[] {
  const end = title.lastIndexOf(')');
  let depth = 0;
  let from = end;
  const types: string[] = [];
  for (let at = end - 1; at >= 0; at--) {
    const c = title[at];
    if (c === '>' || c === ')') depth++;
    else if (depth > 0 && (c === '<' || c === '(')) depth--;
    else if (depth === 0 && (c === ',' || c === '(')) {
      types.unshift(title.slice(at + 1, from).trim());
      from = at;
      if (c === '(') break;
    }
  }
  return types;
}
