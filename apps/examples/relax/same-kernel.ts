import { parsePtx } from '@nccl-ts/ptx';

/** Opcodes that act on more than registers. */
const effects: ReadonlySet<string> = new Set(
  'ld st atom red multimem fence membar bar barrier mbarrier cp bra ret exit trap call'.split(' '),
);

/** The words of a fence of all memory, and of an order. */
const fence = /^(?:membar\.\w+|fence\.(?:sc|acq_rel)\.\w+|fence\.proxy\.async(?:\.[\w:]+)?)/u;

/**
 * How alike two texts of a kernel are: `same` if their instructions with an effect are, in their
 * order; `same place` if only the strength of fences differs.
 */
export function likeness(one: string, other: string): 'same' | 'same place' | 'different' {
  const [a, b] = [effectsOf(one), effectsOf(other)];
  if (a.join('\n') === b.join('\n')) return 'same';
  const loose = (lines: readonly string[]): string => lines.map((line) => line.replace(fence, 'FENCE')).join('\n');
  return loose(a) === loose(b) ? 'same place' : 'different';
}

function effectsOf(text: string): readonly string[] {
  const { module } = parsePtx(text, 'kernel.ptx');
  if (module === undefined) throw new TypeError('the text is not PTX');
  return module.functions
    .flatMap(({ body }) => body?.items ?? [])
    .flatMap((item) => {
      if (item.kind === 'label') return [`${item.name}:`];
      const isOwn = item.words.some((word) => /^(?:param|local|const)$/u.test(word.split('::')[0] ?? ''));
      if (!effects.has(item.words[0]) || isOwn) return [];
      const written = module.text.slice(item.span.start, item.span.end).replace(/^@!?\S+\s+/u, '');
      const guard = item.guard === undefined ? '' : ` if ${item.guard.isNegated ? '!' : ''}${item.guard.register}`;
      return [`${written.replaceAll(/\s+/gu, ' ')}${guard}`];
    });
}
