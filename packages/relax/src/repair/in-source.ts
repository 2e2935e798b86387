import type { PtxModule } from '@nccl-ts/ptx';
import { editedSource, type Edit } from '../edits.ts';
import type { RelaxInput } from '../inputs.ts';
import type { Offer } from './across-inputs.ts';
import { sourceEdits, type AuthorSource } from './author-source.ts';
import type { ChangeSet } from './change-set.ts';
import type { CopiedCall } from './copied-calls.ts';
import type { Search } from './search.ts';
import type { Strengthening } from './strengthening.ts';

/** Calls copied in the source, compiled one after the other. */
export function* compiledCalls(
  author: AuthorSource,
  calls: readonly CopiedCall[],
  onCheck: (doing: string) => void,
): Iterable<Promise<Strengthening | undefined>> {
  for (const { does, line, edits } of calls) {
    onCheck(`${does}, compiled`);
    yield compiled(author, edits).then((text) =>
      text === undefined
        ? undefined
        : {
            kind: 'call',
            does,
            instruction: '',
            edits: [],
            lines: [line],
            cost: 5,
            silences: false,
            depth: 0,
            written: { edits, text },
          },
    );
  }
}

/** The PTX of a changed source. `undefined` if it cannot be compiled. */
async function compiled({ text, compile }: AuthorSource, edits: readonly Edit[]): Promise<string | undefined> {
  try {
    return await compile(editedSource(text, edits));
  } catch {
    return undefined;
  }
}

/**
 * The changes of an offer, written in the source if that is as good in all inputs: it is compiled
 * and checked there.
 */
export async function inSource(
  search: Search<RelaxInput>,
  { changes, proven, sampled }: Offer,
  {
    module,
    author,
    inputs,
    onCheck,
  }: {
    readonly module: PtxModule;
    readonly author: AuthorSource;
    readonly inputs: readonly RelaxInput[];
    readonly onCheck: (doing: string) => void;
  },
): Promise<ChangeSet> {
  if (changes.some(({ written }) => written !== undefined)) return changes;
  const ways = changes.map((one) => sourceEdits(one, module, author));
  const most = Math.max(...ways.map(({ length }) => length));
  for (let i = 0; i < most; i++) {
    const edits = ways.flatMap((way) => way[Math.min(i, way.length - 1)] ?? []);
    if (ways.some(({ length }) => length === 0)) return changes;
    onCheck('the change in the source, compiled');
    const text = await compiled(author, edits);
    if (text === undefined) continue;
    const [first, ...others] = changes;
    if (first === undefined) return changes;
    const made = [{ ...first, written: { edits, text } }, ...others];
    let isAsGood = true;
    for (const input of inputs.filter((one) => [...proven, ...sampled].includes(one.name)))
      isAsGood &&= (await search.check(made, input)).kind === 'clean';
    if (isAsGood) return made;
  }
  return changes;
}
