import { offsetAt } from '@nccl-ts/ir';
import type { Edit } from '../../edits.ts';
import type { LaunchedKernel } from '../../program/changed-kernels.ts';
import type { Strengthening } from '../strengthening.ts';
import type { AuthorFile } from '../../author-range.ts';
import { textOfStatements, type AuthorStatement } from './author-statements.ts';
import { deviceNames } from './device-names.ts';
import type { LineGap } from './line-gaps.ts';

/**
 * Barriers of the load-store ranks for a kernel that has no session yet: each opens one, where all
 * threads come by, and asks for its memory in the host, if that is in the same file.
 */
export function newSessions(
  { module, ctas }: LaunchedKernel,
  gaps: readonly LineGap[],
  statements: readonly AuthorStatement[],
  author: AuthorFile,
): readonly Strengthening[] {
  const [source] = module.sources;
  const names = source === undefined ? undefined : deviceNames(source, author);
  const param = module.params.find(({ type }) => type.kind === 'handle' && type.name === 'DevComm');
  const comm = param === undefined ? undefined : names?.parameter(param.name);
  if (names === undefined || comm === undefined) return [];
  const own = textOfStatements(
    statements.filter((one) => one.source === source),
    author.text,
  );
  const { text: lsa } = names.of('lsa');
  const name = ['bar', 'barrier', 'meeting'].find((one) => !new RegExp(`\\b${one}\\b`, 'u').test(own));
  // A kernel that does not use the module may not have it.
  if (name === undefined || HAS_SESSION.test(own) || !own.includes(`${lsa}.`)) return [];
  const [coop, block] = [names.of('coopCta'), names.of('blockIdx')];
  const isSingle = ctas === 1;
  const needs = [coop, ...(isSingle ? [] : [block])].flatMap(({ needed }) => needed ?? []);
  const opened = `const ${name} = ${lsa}.barrierSession(${coop.text}(), ${comm}, ${isSingle ? '0' : `${block.text}.x`});`;
  const meets = `${name}.sync(${coop.text}(), 'acq_rel')`;
  const host = requirementEdits(author.text, ctas);
  return gaps.flatMap(({ line, indent, depth, beside }): readonly Strengthening[] => {
    const start = offsetAt(author.text, line, 1);
    if (depth > 0 || beside.source !== source || start === undefined) return [];
    const inserted = { span: { start, end: start }, with: `${indent}${opened}\n${indent}${meets};\n` };
    return [
      {
        kind: 'barrier',
        does: `insert ${meets} of a new session`,
        instruction: '',
        edits: [...host, inserted],
        lines: [line],
        cost: 5 + beside.loops / 10,
        silences: false,
        depth,
        needs,
      },
    ];
  });
}

const HAS_SESSION = /\bbarrierSession\(|\bbarrier\.session\(/u;

/** A call by which a host makes a device communicator, with its requirements or their name. */
const CREATES = /\bcreateDevComm\(\s*(?:\)|\{([^{}]*)\}|([\w$.]+)\s*\))/gu;

const COUNTS = /\b(?:lsaBarrierCount|barrierCount)\b/u;

/** The edits by which hosts ask for barriers, where they ask for none. */
function requirementEdits(text: string, ctas: number): readonly Edit[] {
  const wanted = `lsaBarrierCount: ${ctas}`;
  return [...text.matchAll(CREATES)].flatMap(({ 0: call, 1: asked, 2: name, index }): readonly Edit[] => {
    if (COUNTS.test(asked ?? (name === undefined ? '' : text))) return [];
    const open = index + call.indexOf('(') + 1;
    if (asked === undefined) {
      const others = name === undefined ? '' : `...${name}, `;
      return [{ span: { start: open, end: index + call.length - 1 }, with: `{ ${others}${wanted} }` }];
    }
    const at = index + call.indexOf('{');
    return [{ span: { start: at, end: at + 1 }, with: `{ ${wanted}${asked.trim() === '' ? ' ' : ','}` }];
  });
}
