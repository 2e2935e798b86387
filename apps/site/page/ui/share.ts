/** The state of the playground in a link. It comes after `#`, so no server sees it. */
export interface Shared {
  readonly text: string;
  readonly ranks: number;
  readonly seed: number;
  readonly nodes: number;
  /** The action that the page performs when it opens. */
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
  const parts = ['v1', `r=${ranks}`, `s=${seed}`, `n=${nodes}`];
  if (action !== undefined) parts.push(`a=${action}`);
  if (finding !== undefined) parts.push(`f=${encodeURIComponent(finding)}`);
  if (replay !== undefined) parts.push(`p=${encodeURIComponent(replay)}`);
  if (view !== undefined) parts.push(`v=${view}`, `t=${step ?? 0}`);
  parts.push(`c=${await packed(text)}`);
  return `#${parts.join(';')}`;
}

/** Returns `undefined` if the fragment is damaged or from another source. */
export async function sharedOf(fragment: string): Promise<Shared | undefined> {
  const [version, ...parts] = fragment.replace(/^#/, '').split(';');
  if (version !== 'v1') return undefined;
  const fields = new Map(parts.map((part) => [part.slice(0, 1), part.slice(2)]));
  try {
    const text = await unpacked(fields.get('c') ?? '');
    const action = fields.get('a');
    const finding = fields.get('f');
    const replay = fields.get('p');
    const view = fields.get('v');
    const step = Number(fields.get('t'));
    return {
      text,
      ranks: numberOf(fields.get('r'), 4),
      seed: numberOf(fields.get('s'), 1),
      nodes: numberOf(fields.get('n'), 1),
      ...(action === 'run' || action === 'check' ? { action } : {}),
      ...(finding === undefined ? {} : { finding: decodeURIComponent(finding) }),
      ...(replay === undefined ? {} : { replay: decodeURIComponent(replay) }),
      ...(view === 'history' || view === 'executions' ? { view, step: Number.isInteger(step) ? step : 0 } : {}),
    };
  } catch {
    return undefined;
  }
}

function numberOf(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return text !== undefined && Number.isInteger(value) && value >= 1 ? value : otherwise;
}

async function packed(text: string): Promise<string> {
  const bytes = await through(new Blob([text]), new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of bytes) binary += String.fromCodePoint(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function unpacked(text: string): Promise<string> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0);
  return new TextDecoder().decode(await through(new Blob([bytes]), new DecompressionStream('deflate-raw')));
}

async function through(blob: Blob, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(blob.stream().pipeThrough(stream)).arrayBuffer());
}
