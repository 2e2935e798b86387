import { fragmentOfText, readLink } from './link.ts';

/** The state of the playground in a link. */
export interface Shared {
  readonly text: string;
  readonly ranks: number;
  readonly seed: number;
  readonly nodes: number;
  /** The sender's last action with the program. */
  readonly action?: 'run' | 'check';
  /** The fingerprint of the shown finding. */
  readonly finding?: string;
  /** The choices of a schedule, to replay only that schedule. */
  readonly replay?: string;
  /** The shown view with steps, and its step. */
  readonly view?: SteppedView;
  readonly step?: number;
}

/** The name of a view: memory over turns, or executions. */
export type SteppedView = 'history' | 'executions';

export type SharedLink =
  | { readonly kind: 'none' }
  | { readonly kind: 'problem'; readonly why: string }
  | { readonly kind: 'program'; readonly shared: Shared };

export async function fragmentOf({
  text,
  ranks,
  seed,
  nodes,
  action,
  finding,
  replay,
  view,
  step,
}: Shared): Promise<string> {
  return fragmentOfText(text, {
    r: String(ranks),
    s: String(seed),
    n: String(nodes),
    ...(action === undefined ? {} : { a: action }),
    ...(finding === undefined ? {} : { f: finding }),
    ...(replay === undefined ? {} : { p: replay }),
    ...(view === undefined ? {} : { v: view, t: String(step ?? 0) }),
  });
}

/** Reads a link to the playground. A value that the page does not offer counts as not given. */
export async function sharedOf(fragment: string): Promise<SharedLink> {
  const link = await readLink(fragment);
  if (link.kind !== 'text') return link;
  const { text, fields } = link;
  const [action, finding, replay, view] = ['a', 'f', 'p', 'v'].map((name) => fields.get(name));
  return {
    kind: 'program',
    shared: {
      text,
      ranks: numberOf(fields.get('r'), { least: 2, most: 8, otherwise: 4 }),
      seed: numberOf(fields.get('s'), { least: 1, most: 999_999, otherwise: 1 }),
      nodes: numberOf(fields.get('n'), { least: 1, most: 2, otherwise: 1 }),
      ...(action === 'run' || action === 'check' ? { action } : {}),
      ...(finding === undefined ? {} : { finding }),
      ...(replay === undefined ? {} : { replay }),
      ...(view === 'history' || view === 'executions'
        ? { view, step: numberOf(fields.get('t'), { least: 0, most: 1_000_000, otherwise: 0 }) }
        : {}),
    },
  };
}

function numberOf(
  text: string | undefined,
  { least, most, otherwise }: { readonly least: number; readonly most: number; readonly otherwise: number },
): number {
  const value = Number(text);
  return text !== undefined && Number.isInteger(value) && value >= least && value <= most ? value : otherwise;
}
