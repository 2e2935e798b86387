import type { Source } from '@nccl-ts/ir';
import type { Strengthening } from '../strengthening.ts';
import type { AuthorFile } from '../../author-range.ts';
import { textOfStatements, type AuthorStatement } from './author-statements.ts';

/**
 * Calls of the network by another context that the same function has opened, because a flush, a
 * wait or a barrier covers the requests of its own context alone.
 */
export function otherContexts(statements: readonly AuthorStatement[], { text }: AuthorFile): readonly Strengthening[] {
  const bySource = new Map<Source, readonly string[]>();
  return statements.flatMap(({ statement, source, start, end, line, depth }): readonly Strengthening[] => {
    if (statement.kind !== 'call' || !statement.name.startsWith('gin.')) return [];
    const own = text.slice(start, end);
    const [, net, call] = /^([\w$]+)\.([\w$]+)\(/u.exec(own) ?? [];
    const opened = bySource.get(source) ?? openedIn(statements, source, text);
    bySource.set(source, opened);
    if (net === undefined || call === undefined || !opened.includes(net)) return [];
    const others = opened.filter((other) => other !== net);
    return others.map((other) => ({
      kind: 'context',
      does: `${net}.${call} -> ${other}.${call}`,
      instruction: own.replaceAll(/\s+/gu, ' '),
      edits: [{ span: { start, end: start + net.length }, with: other }],
      lines: [line],
      cost: 1.5,
      silences: false,
      depth,
    }));
  });
}

/** The names of the contexts that a function opens. */
function openedIn(statements: readonly AuthorStatement[], source: Source, text: string): readonly string[] {
  const own = textOfStatements(
    statements.filter((one) => one.source === source),
    text,
  );
  return [...new Set([...own.matchAll(CONTEXT)].flatMap(([, name]) => name ?? []))];
}

/** The opening of a context: its name. */
const CONTEXT = /\b(?:const|let)\s+([\w$]+)\s*=\s*[\w$.]+\.context\(/gu;
