import { quotedLocation } from '@nccl-ts/findings';
import type { Module, Span } from '@nccl-ts/ir';
import { changeableSites, changeSites, type ChangeableSite, type SiteChange } from '@nccl-ts/mutation';

/** One synchronization in the source of a kernel. */
export interface ProgramPlace {
  /** The name of the kernel. */
  readonly kernel: string;
  /** The author's line, as in `all-reduce.ts:42`. */
  readonly at: string;
  /** The statement, as in `fence` or `lsa.barrierSession.sync`. */
  readonly name: string;
  /** Weaker forms to try, the weakest first. */
  readonly changes: readonly SiteChange[];
  /** Its position in the sources of the kernel. */
  readonly span: Span;
  /** Identifies that position. All copies of it are one place, which its author writes once. */
  readonly key: string;
}

/**
 * The changes to try, the weakest first. Scopes stay as they are: an access is only morally strong
 * with a partner if both include each other.
 */
const TRIED: readonly SiteChange[] = ['removed', 'relaxed', 'acquire', 'release', 'warp', 'weaker'];

/** Changes whose effect another one names too. */
const named: ReadonlySet<SiteChange> = new Set(['relaxed', 'acquire', 'release', 'warp', 'device', 'cluster', 'block']);

/** The synchronizations that the author of a kernel has written, in program order. */
export function programPlaces(module: Module): readonly ProgramPlace[] {
  const places = new Map<string, ProgramPlace>();
  for (const site of changeableSites(module)) {
    const key = keyOf(module, site);
    if (places.has(key) || isOfLibrary(site)) continue;
    const changes = TRIED.filter((to) => allows(module, site, to));
    if (changes.length === 0) continue;
    const { span, name } = site;
    const place = { kernel: module.name, at: lineOf(module, span), name, changes, span, key };
    places.set(key, Object.freeze(place));
  }
  return [...places.values()];
}

/** True if the site is one of the place. */
export function isOf(module: Module, { kernel, key }: ProgramPlace, site: ChangeableSite): boolean {
  return module.name === kernel && !isOfLibrary(site) && keyOf(module, site) === key;
}

function allows(module: Module, { span, name, changes }: ChangeableSite, to: SiteChange): boolean {
  // A step that is named is tried by its name.
  if (to === 'weaker' && (!changes.includes('weaker') || changes.some((one) => named.has(one)))) return false;
  return changeSites(module, (one) => one.span === span && one.name === name, to).changed.length > 0;
}

/** The statements of the device API, and the ends of its sessions, are no author's to change. */
function isOfLibrary({ name, calls }: ChangeableSite): boolean {
  return name.endsWith('.~') || calls.some((call) => call.includes('.'));
}

function keyOf(module: Module, { span, name }: ChangeableSite): string {
  const { source, start, end } = span;
  return [module.name, name, source, start, end].join(' ');
}

function lineOf(module: Module, span: Span): string {
  const quoted = quotedLocation(module, span);
  if (quoted === undefined) return module.name;
  const own = quoted.location ?? { file: quoted.source, line: quoted.line };
  return `${own.file.split(/[\\/]/u).at(-1) ?? own.file}:${own.line}`;
}
