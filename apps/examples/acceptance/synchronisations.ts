import { entryOf, readPtxModule } from '@nccl-ts/harness';
import type { PtxInstruction, PtxModule } from '@nccl-ts/ptx';
import { edited, placesOf, type SourceLine } from '@nccl-ts/relax';

/** A synchronisation of an entry, and the text without it. */
export interface PtxMutant {
  /** The change, such as `release -> relaxed`. */
  readonly what: string;
  /** The line of the PTX, from 1. */
  readonly line: number;
  readonly instruction: string;
  /**
   * The locations, such as `file.cuh:12`, of the instruction and of the calls that lead to it,
   * innermost first.
   */
  readonly places: readonly string[];
  /** True if an access became weaker, and false if a fence or barrier was removed. */
  readonly isAccess: boolean;
  readonly text: string;
  /** The text with a trap before the synchronisation, which fails if a thread reaches it. */
  readonly trap: string;
}

/**
 * Each synchronisation of an entry of a PTX text, removed one at a time: those that relax judges,
 * and the scopes and volatile accesses, which it does not.
 */
export function synchronisations(text: string, entry: string): readonly PtxMutant[] {
  const module = readPtxModule(text, 'kernel.ptx');
  const own = entryOf(module, entry);
  const removed = placesOf(module, own).flatMap(({ span, kind, instruction, source, weakenings }) =>
    weakenings
      .slice(0, 1)
      .map(({ does, text: other }) =>
        mutantOf(module, { span, instruction, source }, kind === 'order' ? does : `${kind} dropped`, other),
      ),
  );
  const narrowed = module.functions
    .filter((one) => one === own || one.kind === 'func')
    .flatMap(({ body }) => body?.items ?? [])
    .flatMap((item) => (item.kind === 'instruction' ? narrowedForms(module, item) : []));
  return [...removed, ...narrowed].toSorted((a, b) => a.line - b.line);
}

/** An access without its `volatile`, and one of the whole system for the GPU alone. */
function narrowedForms(module: PtxModule, instruction: PtxInstruction): readonly PtxMutant[] {
  const { words, span, location } = instruction;
  if (words[0] === 'fence' || words[0] === 'membar') return [];
  const text = module.text.slice(span.start, span.end);
  const source: SourceLine[] = [];
  for (let at = location; at !== undefined; at = at.inlinedAt)
    source.push({ file: module.files.get(at.file) ?? '?', line: at.line });
  const bare = text.replace(/^@!?\S+\s+/u, '');
  const place = { span, instruction: bare, source };
  return [
    ...(words.includes('volatile')
      ? [mutantOf(module, place, 'volatile -> weak', text.replace(/\.volatile(?=\.)/u, ''))]
      : []),
    ...(words.includes('sys') ? [mutantOf(module, place, 'sys -> gpu', text.replace(/\.sys(?=[.;\s])/u, '.gpu'))] : []),
  ];
}

type Place = Pick<ReturnType<typeof placesOf>[number], 'span' | 'instruction' | 'source'>;

function mutantOf(module: PtxModule, { span, instruction, source }: Place, what: string, other: string): PtxMutant {
  const own = module.text.slice(span.start, span.end);
  const [guard = ''] = /^@!?\S+\s+/u.exec(own) ?? [];
  return {
    what,
    line: module.text.slice(0, span.start).split('\n').length,
    instruction,
    places: source.map(({ file, line }) => `${file.split('/').at(-1) ?? file}:${line}`),
    isAccess: other !== '',
    text: edited(module.text, [{ span, with: other }]),
    trap: edited(module.text, [{ span, with: `${guard}trap; ${own}` }]),
  };
}
